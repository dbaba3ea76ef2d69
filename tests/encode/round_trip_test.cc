// What is decoded, exported and encoded again is the message it was.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/decoder.h"
#include "headrace/example_encoder.h"
#include "headrace/message.h"
#include "headrace/plan.h"
#include "src/plan/infer/census.h"
#include "tests/random/random_example.h"
#include "tests/support/effort.h"
#include "tests/support/exported.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

constexpr BytesAs kBytesAs[] = {BytesAs::kBinary, BytesAs::kLargeBinary,
                                BytesAs::kBinaryView};

// The columns that records have.
Plan PlanOf(const std::vector<std::string>& records, MessageType message) {
  FeatureCensus census(message);
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_THAT(census.Add(records[i], i), IsOk());
  }
  auto plan = Plan::ForColumns(census.columns(), message,
                               message == MessageType::kSequence);
  EXPECT_THAT(plan, IsOk());
  return *plan;
}

// The message as columns have it: unset and absent are one.
std::string Canonical(const std::string& record, MessageType type) {
  auto message = ParseMessage(record, type);
  EXPECT_THAT(message, IsOk());
  std::erase_if(message->features, [](const auto& entry) {
    return entry.second.kind == Kind::kNull;
  });
  message->has_feature_lists = type == MessageType::kSequence;
  return *SerializeMessage(*message);
}

void ExpectRoundTrip(const std::vector<std::string>& records,
                     MessageType message, BytesAs bytes_as) {
  const Plan plan = PlanOf(records, message);
  Decoder decoder(plan);
  const std::vector<std::string_view> views(records.begin(), records.end());
  auto batch = OrThrow(decoder.Decode(views));
  Exported out;
  ASSERT_THAT(ExportSchema(plan, {.bytes_as = bytes_as}, &out.schema), IsOk());
  ASSERT_THAT(ExportBatch(batch, {.bytes_as = bytes_as}, &out.array), IsOk());

  std::vector<std::string> expected;
  for (const std::string& record : records) {
    expected.push_back(Canonical(record, message));
  }
  auto encoded = EncodeExamples(out.schema, out.array);
  ASSERT_THAT(encoded, IsOk());
  EXPECT_THAT(*encoded, ElementsAreArray(expected));

  // The rows from the third on.
  if (records.size() < 3) return;
  out.array.offset = 2;
  out.array.length -= 2;
  expected.erase(expected.begin(), expected.begin() + 2);
  encoded = EncodeExamples(out.schema, out.array);
  ASSERT_THAT(encoded, IsOk());
  EXPECT_THAT(*encoded, ElementsAreArray(expected));
}

TEST(RoundTripTest, RandomExamples) {
  for (uint64_t seed = 0; seed < (kInstrumented ? 20u : 200u); ++seed) {
    SCOPED_TRACE(seed);
    RandomExample random(seed, {.plain = seed % 2 == 0});
    std::vector<std::string> records;
    for (uint64_t i = 0; i < seed % 40; ++i) records.push_back(random.Next());
    ExpectRoundTrip(records, MessageType::kExample, kBytesAs[seed % 3]);
  }
}

TEST(RoundTripTest, RandomSequenceExamples) {
  for (uint64_t seed = 0; seed < (kInstrumented ? 20u : 200u); ++seed) {
    SCOPED_TRACE(seed);
    RandomExample random(seed, {.plain = seed % 2 == 0});
    std::vector<std::string> records;
    for (uint64_t i = 0; i < seed % 40; ++i) {
      records.push_back(random.NextSequence());
    }
    ExpectRoundTrip(records, MessageType::kSequence, kBytesAs[seed % 3]);
  }
}

// Encoding again gives the same bytes: they are canonical.
TEST(RoundTripTest, TwiceIsTheSame) {
  RandomExample random(5, {});
  std::vector<std::string> records;
  for (int i = 0; i < 30; ++i) {
    records.push_back(Canonical(random.NextSequence(), MessageType::kSequence));
  }
  const Plan plan = PlanOf(records, MessageType::kSequence);
  Decoder decoder(plan);
  const std::vector<std::string_view> views(records.begin(), records.end());
  auto batch = OrThrow(decoder.Decode(views));
  Exported out;
  ASSERT_THAT(ExportSchema(plan, {}, &out.schema), IsOk());
  ASSERT_THAT(ExportBatch(batch, {}, &out.array), IsOk());
  auto encoded = OrThrow(EncodeExamples(out.schema, out.array));
  EXPECT_THAT(encoded, ElementsAreArray(records));
}

// A raw batch is a record batch of one plain column, so a feature of one value.
TEST(RoundTripTest, RawPayloadsBecomeAFeature) {
  Decoder decoder(Plan::ForRaw());
  const std::vector<std::string_view> records = {"a\xff", ""};
  auto batch = OrThrow(decoder.Decode(records));
  Exported out;
  ASSERT_THAT(ExportSchema(Plan::ForRaw(), {}, &out.schema), IsOk());
  ASSERT_THAT(ExportBatch(batch, {}, &out.array), IsOk());
  auto encoded = OrThrow(EncodeExamples(out.schema, out.array));
  ASSERT_EQ(encoded.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    auto message = OrThrow(ParseMessage(encoded[i], MessageType::kExample));
    EXPECT_EQ(message.features["payload"].bytes,
              std::vector<std::string>{std::string(records[i])});
  }
}

}  // namespace
}  // namespace headrace::testing
