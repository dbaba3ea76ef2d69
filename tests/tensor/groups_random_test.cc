// Random matrix and jagged groups over random records: what they hold is what
// their members hold as plain features, one behind another.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/naive/naive_groups.h"
#include "tests/random/random_groups.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kGroupSpecs = 20000;  // of as many batches each:
constexpr size_t kGroupBatches = 5;
constexpr uint64_t kGroupStride = 29 * kCaseStride;

using Views = std::vector<std::string_view>;

// A batch of records, and what they are.
struct GroupBatch {
  std::vector<std::string> records;
  Views views;
  NaiveGroups expected;

  size_t num_good() const {
    return static_cast<size_t>(
        std::count_if(expected.rows.begin(), expected.rows.end(),
                      [](const NaiveFault& row) { return row.ok(); }));
  }
};

std::vector<GroupBatch> RandomBatches(const FeatureSpec& spec,
                                      const NaiveGrouper& grouper,
                                      uint64_t seed) {
  Random random(seed);
  RandomGroupRecords records(spec, seed + 1);
  std::vector<GroupBatch> batches(kGroupBatches);
  for (GroupBatch& batch : batches) {
    // Blocks of records have 256.
    size_t num_rows = random.OneIn(60)  ? 250 + random.Below(300)
                      : random.OneIn(4) ? 40
                                        : random.Below(9);
    const bool calm = random.OneIn(2);
    for (; num_rows > 0; --num_rows) {
      batch.records.push_back(records.Next(calm));
    }
    batch.views.assign(batch.records.begin(), batch.records.end());
    batch.expected = grouper.Decode(batch.views);
  }
  return batches;
}

void ExpectSkipping(const GroupBatch& given,
                    std::span<const std::string_view> views, Decoder* decoder) {
  const auto batch = decoder->Decode(views);
  ASSERT_THAT(batch, IsOk());
  size_t skipped = 0;
  for (size_t i = 0; i < given.records.size(); ++i) {
    if (given.expected.rows[i].ok()) continue;
    ASSERT_LT(skipped, decoder->skipped().size()) << "row " << i;
    const Status& status = decoder->skipped()[skipped++];
    ASSERT_EQ(status.info()->record, i)
        << NameOf(*given.expected.rows[i].codes.begin()) << " in "
        << ToHex(given.records[i]);
    ASSERT_EQ(Difference(given.expected, i, status), "")
        << ToHex(given.records[i]);
  }
  ASSERT_EQ(skipped, decoder->skipped().size());
  ASSERT_EQ(Difference(given.expected, *batch), "");
}

void ExpectFailing(const GroupBatch& given,
                   std::span<const std::string_view> views, Decoder* decoder) {
  const auto batch = decoder->Decode(views);
  if (given.num_good() == given.records.size()) {
    ASSERT_THAT(batch, IsOk());
    ASSERT_EQ(Difference(given.expected, *batch), "");
    return;
  }
  size_t bad = 0;
  while (given.expected.rows[bad].ok()) ++bad;
  ASSERT_FALSE(batch.ok());
  ASSERT_EQ(batch.status().info()->record, bad);
  ASSERT_EQ(Difference(given.expected, bad, batch.status()), "")
      << ToHex(given.records[bad]);
}

// A decoder takes all batches, one after another; the records are next to guard
// pages.
void ExpectDecoding(const std::vector<GroupBatch>& batches, const Plan& plan,
                    bool padded) {
  DecodeOptions options = {.padded_input = padded,
                           .on_absent = OnAbsent::kIgnore};
  Decoder failing(plan, options);
  options.on_row_error = OnRowError::kSkip;
  Decoder skipping(plan, options);
  GuardedRecords guarded;
  for (size_t i = 0; i < batches.size(); ++i) {
    std::span<const std::string_view> views = batches[i].views;
    SCOPED_TRACE("batch " + std::to_string(i) + ": " + HexOf(views));
    if (views.size() < 100) {
      views = guarded.Put(views, padded ? GuardedRecords::Place::kPaddedEnd
                                        : GuardedRecords::Place::kEnd);
    } else if (padded) {
      continue;
    }
    ExpectFailing(batches[i], views, &failing);
    ExpectSkipping(batches[i], views, &skipping);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// The good records of a file in batches of any size, by any number of threads.
void ExpectReading(const std::vector<GroupBatch>& batches, const Plan& plan,
                   const NaiveGrouper& grouper, uint64_t seed) {
  Views all, good;
  for (const GroupBatch& batch : batches) {
    for (size_t i = 0; i < batch.views.size(); ++i) {
      all.push_back(batch.views[i]);
      if (batch.expected.rows[i].ok()) good.push_back(batch.views[i]);
    }
  }
  const TemporaryFile file(RecordFile({all.begin(), all.end()}));
  const ReadOptions options = {.batch_size = 1 + seed % 53,
                               .on_row_error = OnRowError::kSkip,
                               .on_absent = OnAbsent::kIgnore,
                               .threads = 1 + seed % 3};
  auto reader = OrThrow(Reader::Open({file.path()}, plan, options));
  size_t next = 0;
  while (true) {
    const auto batch = reader.Next();
    ASSERT_THAT(batch, IsOk());
    if (!batch) break;
    ASSERT_LE(next + batch->num_rows(), good.size());
    const auto rows = std::span(good).subspan(next, batch->num_rows());
    ASSERT_EQ(Difference(grouper.Decode(rows), *batch), "");
    next += batch->num_rows();
  }
  ASSERT_EQ(next, good.size());
}

const VocabularyFiles& Vocabularies() {
  static const TemporaryFile words(VocabularyFiles::WordLines());
  static const TemporaryFile numbers(VocabularyFiles::NumberLines());
  static const VocabularyFiles files = {words.path(), numbers.path()};
  return files;
}

TEST(GroupsRandom, AreTheirMembers) {
  size_t num_refused = 0, num_good = 0, num_rows = 0, num_specs = 0;
  std::map<ErrorCode, size_t> classes;
  const uint64_t stride = SlowTestsWanted() ? kCaseStride : kGroupStride;
  for (uint64_t seed = 0; seed < kGroupSpecs; seed += stride, ++num_specs) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const FeatureSpec spec = RandomGroupSpecs(seed, Vocabularies()).Next();
    SCOPED_TRACE(spec.ToJson());
    ASSERT_THAT(FeatureSpec::FromJson(spec.ToJson()), IsOkAndHolds(spec));
    const auto plan = Plan::Compile(spec);
    if (!NaiveGroupsFit(spec)) {
      ++num_refused;
      ASSERT_THAT(plan, IsError(ErrorCode::kBadSpec));
      continue;
    }
    ASSERT_THAT(plan, IsOk());
    const NaiveGrouper grouper(spec);
    const auto batches = RandomBatches(spec, grouper, seed);
    ForEachTarget(
        [&] { ExpectDecoding(batches, *plan, (seed / stride) % 2 == 0); });
    if (HasFatalFailure()) return;
    if (seed / stride % 4 == 0) {
      ExpectReading(batches, *plan, grouper, seed);
      if (HasFatalFailure()) return;
    }
    for (const GroupBatch& batch : batches) {
      num_good += batch.num_good();
      num_rows += batch.records.size();
      for (const NaiveFault& row : batch.expected.rows) {
        if (!row.ok()) ++classes[*row.codes.begin()];
      }
    }
  }
  // A test that hardly meets a case proves nothing.
  EXPECT_GT(num_refused, num_specs / 100);
  EXPECT_LT(num_refused, num_specs * 3 / 4);
  EXPECT_GT(num_good, num_rows / 2);
  EXPECT_LT(num_good, num_rows * 19 / 20);
  for (const ErrorCode code :
       {ErrorCode::kMalformed, ErrorCode::kWrongKind, ErrorCode::kWrongCount,
        ErrorCode::kMissingFeature}) {
    EXPECT_GT(classes[code], num_rows / 1000) << NameOf(code);
  }
}

}  // namespace
}  // namespace headrace::testing
