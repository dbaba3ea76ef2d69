// Steady state takes no memory: batches go back to their pool and fit again.

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "headrace/reader.h"
#include "src/base/memory/arena.h"
#include "tests/process/allocation_counter.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensor_proto.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

class SteadyRecords {
 public:
  explicit SteadyRecords(bool plain) {
    RandomExample random(/*seed=*/51, {.plain = plain, .max_values = 50});
    for (int i = 0; i < 256; ++i) {
      bytes_.push_back(random.Next().append(kPadding, '\0'));
    }
    for (const std::string& padded : bytes_) {
      views_.push_back(
          std::string_view(padded).substr(0, padded.size() - kPadding));
    }
  }
  std::span<const std::string_view> views() const { return views_; }

 private:
  std::vector<std::string> bytes_;
  std::vector<std::string_view> views_;
};

Plan WholePlan() { return *Plan::ForColumns(RandomExample::Columns()); }

void ExpectNoAllocations(bool plain, bool padded) {
  const SteadyRecords records(plain);
  DecodeOptions options = {.padded_input = padded};
  Decoder decoder(WholePlan(), options);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(decoder.Decode(records.views()).ok());
  }
  const size_t before = AllocationCount();
  for (int i = 0; i < 20; ++i) {
    const auto batch = decoder.Decode(records.views());
    if (!batch.ok() || batch->num_rows() != records.views().size()) {
      ADD_FAILURE() << batch.status().ToString();
      return;
    }
  }
  EXPECT_EQ(AllocationCount() - before, 0u)
      << (plain ? "plain" : "odd") << (padded ? ", padded" : ", copied");
}

TEST(Allocations, CounterCounts) {
  if (!AllocationsAreCounted()) GTEST_SKIP() << "not with this sanitizer";
  size_t before = AllocationCount();
  const std::vector<int> memory(1000, 1);
  EXPECT_EQ(memory.back(), 1);
  EXPECT_GE(AllocationCount() - before, 1u);

  before = AllocationCount();
  Arena arena(/*budget=*/1 << 20);
  EXPECT_NE(arena.Allocate(1), nullptr);
  EXPECT_GE(AllocationCount() - before, 1u);
}

TEST(Allocations, DecoderInSteadyState) {
  ForEachTarget([] {
    for (bool plain : {true, false}) {
      for (bool padded : {true, false}) ExpectNoAllocations(plain, padded);
    }
  });
}

// Two bytes are stored in this zlib stream.
const std::string kTwoBytes(
    "\x78\x01\x01\x02\x00\xfd\xff"
    "ab\x01\x26\x00\xc4",
    13);

TEST(Allocations, ShapesArraysAndGroupsInSteadyState) {
  FeatureConfig shaped = Ragged(DType::kInt64);
  shaped.shape = {2, -1};
  shaped.as = DType::kBool;
  shaped.group = "group";
  FeatureConfig arrays = Ragged(DType::kBytes);
  arrays.as = DType::kUint8;
  arrays.encoding = Encoding::kZlib;
  arrays.shape = {-1};
  arrays.item_shape = {-1};
  arrays.group = "group";
  FeatureConfig protos = arrays;
  protos.encoding = Encoding::kTensorProto;
  Decoder decoder(*Plan::Compile(
      FeatureSpec().Add("s", shaped).Add("a", arrays).Add("p", protos)));
  const std::string proto = TensorOfContent(DType::kUint8, {2}, "ab");
  const std::string record = ExampleBuilder()
                                 .Int64s("s", {1, 0, 2, 3})
                                 .Bytes("a", {kTwoBytes, kTwoBytes})
                                 .Bytes("p", {proto, proto})
                                 .Build();
  const std::vector<std::string_view> records(100, record);
  const auto decode = [&](int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_TRUE(decoder.Decode(records).ok());
    }
  };
  decode(3);
  const size_t before = AllocationCount();
  decode(20);
  EXPECT_EQ(AllocationCount() - before, 0u);
}

// The reader frames, checks and decodes; one batch at a time is let go. Steady
// state begins when every window of the file's pool was in use once, and a
// batch lay across two of them.
TEST(Allocations, ReaderInSteadyState) {
  constexpr size_t kBatch = 1000;
  constexpr size_t kBatches = 120;
  constexpr size_t kWarmBatches = 60;
  RandomExample random(/*seed=*/52, {.plain = true});
  std::vector<std::string> distinct;
  for (size_t i = 0; i < 5 * kBatch; ++i) distinct.push_back(random.Next());
  std::vector<std::string> records;
  for (size_t i = 0; i < kBatches * kBatch; ++i) {
    records.push_back(distinct[i % distinct.size()]);
  }
  const TemporaryFile file(RecordFile(records));
  ReadOptions options = {.message = MessageType::kExample,
                         .batch_size = kBatch};
  auto reader = Reader::Open({file.path()}, WholePlan(), options);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  size_t warm = 0;
  for (size_t batch = 0; batch < kBatches; ++batch) {
    if (batch == kWarmBatches) warm = AllocationCount();
    ASSERT_TRUE(reader->Next()) << reader->status().ToString();
  }
  EXPECT_EQ(AllocationCount() - warm, 0u);
}

}  // namespace
}  // namespace headrace::testing
