// Input never decides how deep the stack goes.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "headrace/message.h"
#include "src/plan/infer/census.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/naive/example.pb.h"
#include "tests/process/small_stack.h"
#include "tests/support/example_builder.h"
#include "tests/support/wire_families.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

std::vector<std::string> DeepRecords() {
  const std::string groups = NestedGroups(kUnknownField, 10'000'000);
  // And lengths inside lengths, which are only bytes to skip.
  std::string lengths;
  for (int i = 0; i < 2000; ++i) lengths = LenField(kUnknownField, lengths);
  std::vector<std::string> records = {groups,
                                      groups.substr(0, groups.size() / 2)};
  for (const Level& level : Levels()) {
    records.push_back(level.wrap(NestedGroups(kUnknownField, 20000)));
    records.push_back(level.wrap(lengths));
  }
  return records;
}

void ReadAll(const std::vector<std::string>& records) {
  const auto plan = Plan::ForColumns(UsualColumns());
  DecodeOptions options = {.verify_unselected = true};
  Decoder decoder(*plan, options);
  for (const std::string& record : records) {
    const std::string_view view = record;
    // Some have another kind than the plan asks for, which is not the matter.
    const ErrorCode decoded = decoder.Decode({&view, 1}).status().code();
    const bool example = ParseMessage(view, MessageType::kExample).ok();
    EXPECT_EQ(decoded != ErrorCode::kMalformed, example);
    FeatureCensus census(MessageType::kSequence);
    const bool sequence = ParseMessage(view, MessageType::kSequence).ok();
    EXPECT_EQ(census.Add(view, 0).ok(), sequence);
  }
}

TEST(Depth, FitsASmallStack) {
  const std::vector<std::string> records = DeepRecords();
  OnSmallStack([&records] { ReadAll(records); });
}

// Groups may nest as deep as protobuf lets them, and not one deeper.
TEST(Depth, EndsWhereThatOfProtobufDoes) {
  for (const Level& level : Levels()) {
    for (size_t depth = 85; depth < 105; ++depth) {
      const std::string record = level.wrap(NestedGroups(kUnknownField, depth));
      EXPECT_EQ(ParseMessage(record, MessageType::kExample).ok(),
                tf::train::Example().ParseFromString(record))
          << depth;
      EXPECT_EQ(ParseMessage(record, MessageType::kSequence).ok(),
                tf::train::SequenceExample().ParseFromString(record))
          << depth;
    }
  }
}

}  // namespace
}  // namespace headrace::testing
