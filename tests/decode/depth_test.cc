// Input never decides how deep the stack goes.

#include <pthread.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/census.h"
#include "headrace/decoder.h"
#include "headrace/message.h"
#include "tests/decode/decode_agreement.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/wire_families.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

constexpr size_t kStackBytes = size_t{kInstrumented ? 1024 : 64} << 10;

std::vector<std::string> DeepRecords() {
  const std::string groups = NestedGroups(kUnknownField, 1000000);
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

void* ReadAll(void* argument) {
  const auto& records = *static_cast<const std::vector<std::string>*>(argument);
  const auto plan = Plan::ForColumns(UsualColumns());
  DecodeOptions options;
  options.verify_unselected = true;
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
  return nullptr;
}

TEST(Depth, FitsASmallStack) {
  std::vector<std::string> records = DeepRecords();
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStackBytes), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, &ReadAll, &records), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

}  // namespace
}  // namespace headrace::testing
