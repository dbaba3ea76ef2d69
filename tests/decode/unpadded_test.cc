// Records without padding are read where they lie, up to the end of a page, and
// the batch keeps nothing of them.

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "headrace/message.h"
#include "headrace/plan.h"
#include "src/base/memory/page_slack.h"
#include "tests/naive/batch_columns.h"
#include "tests/random/random_example.h"
#include "tests/random/random_lists.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/or_throw.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 10;

// Rows and tensors, bit by bit, or the error.
std::vector<std::string> TextOf(const Result<Batch>& batch) {
  if (!batch.ok()) return {batch.status().ToString()};
  EXPECT_EQ(BrokenPromise(*batch), "");
  Transcript transcript;
  AddRows(*batch, &transcript);
  for (std::string& tensor : transcript.tensors) {
    transcript.rows.push_back(std::move(tensor));
  }
  return transcript.rows;
}

// Each record comes to lie before a page that nobody may read, or `slack` bytes
// before it, and is overwritten after it was decoded.
void CheckPlaces(const Plan& plan, const std::vector<std::string>& records) {
  GuardedBytes memory(kMaxBytes);
  Decoder in_place(plan);
  Decoder padded(plan, {.padded_input = true});
  for (const std::string& record : records) {
    ASSERT_LE(record.size() + kPadding, kMaxBytes);
    const std::string with_padding = record + std::string(kPadding, '\0');
    const std::string_view expected_record =
        std::string_view(with_padding).substr(0, record.size());
    const auto expected = TextOf(padded.Decode({&expected_record, 1}));
    for (const size_t slack : {size_t{0}, size_t{1}, kPadding - 1, kPadding}) {
      const std::string_view placed = memory.PlaceAtEnd(record, slack);
      const auto batch = in_place.Decode({&placed, 1});
      std::memset(const_cast<char*>(placed.data()), 0x5A, placed.size());
      EXPECT_EQ(TextOf(batch), expected) << slack;
    }
  }
}

TEST(Unpadded, ExamplesNextToAPageThatFaults) {
  ForEachTarget([] {
    RandomExample random(/*seed=*/71, {.plain = false, .max_values = 30});
    std::vector<std::string> records = {""};
    for (int i = 0; i < (kInstrumented ? 40 : 300); ++i) {
      records.push_back(random.Next());
    }
    CheckPlaces(OrThrow(Plan::ForColumns(RandomExample::Columns())), records);
  });
}

TEST(Unpadded, ListsNextToAPageThatFaults) {
  ForEachTarget([] {
    RandomLists lists(/*seed=*/72);
    for (int i = 0; i < 20; ++i) {
      const FeatureSpec spec = lists.NextSpec(MessageType::kElwc);
      std::vector<std::string> records;
      for (int row = 0; row < 5; ++row) {
        records.push_back(lists.NextRecord(spec));
      }
      CheckPlaces(OrThrow(Plan::Compile(spec)), records);
    }
  });
}

TEST(Unpadded, BatchesOfRecordsWithAndWithoutSlack) {
  RandomExample random(/*seed=*/73, {.plain = true, .max_values = 400});
  std::vector<std::string> records;
  for (int i = 0; i < 200; ++i) records.push_back(random.Next());
  std::vector<std::string> padded = records;
  for (std::string& record : padded) record.append(kPadding, '\0');
  std::vector<std::string_view> views(records.begin(), records.end());
  std::vector<std::string_view> padded_views;
  for (const std::string& record : padded) {
    padded_views.push_back(
        std::string_view(record).substr(0, record.size() - kPadding));
  }
  const Plan plan = OrThrow(Plan::ForColumns(RandomExample::Columns()));
  Decoder decoder(plan);
  const auto batch = decoder.Decode(views);
  Decoder pointing(plan, {.padded_input = true});
  const auto expected = TextOf(pointing.Decode(padded_views));
  for (std::string& record : records) record.assign(record.size(), 'Z');
  EXPECT_EQ(TextOf(batch), expected);
}

TEST(Unpadded, SlackEndsWithThePage) {
  alignas(4096) static const char page[4096] = {};
  EXPECT_TRUE(HasSlack(page, 10, 0));
  EXPECT_FALSE(HasSlack(page, 0, 1));
  EXPECT_FALSE(HasSlack(page, 4096, 1));
  EXPECT_FALSE(HasSlack(page, 4000, 97));
  EXPECT_EQ(HasSlack(page, 4000, 96), !kInstrumented);
  EXPECT_EQ(HasSlack(page, 1, 64), !kInstrumented);
}

}  // namespace
}  // namespace headrace::testing
