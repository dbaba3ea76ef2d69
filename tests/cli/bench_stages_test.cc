// The passes of `headrace bench`, and what is said about them.

#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "headrace/message.h"
#include "headrace/record_writer.h"
#include "src/cli/bench/report.h"
#include "src/cli/bench/stages.h"

namespace headrace::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Ids(size_t count) {
  Message message;
  message.features["id"] = {.kind = Kind::kInt64,
                            .int64s = std::vector<int64_t>(count, 7)};
  return *SerializeMessage(message);
}

class BenchStages : public ::testing::Test {
 protected:
  BenchStages()
      : path_(::testing::TempDir() + "bench_stages." +
              std::to_string(getpid())) {
    input_.files = {path_};
    input_.batches.batch_size = 4;
    input_.batch_records = {4, 4, 2};
    input_.plan = *Plan::ForColumns({{"id", Kind::kInt64}});
  }
  ~BenchStages() override { unlink(path_.c_str()); }

  void Write(const std::vector<std::string>& payloads,
             Compression compression = Compression::kNone) {
    auto writer = RecordWriter::Open(path_, {.compression = compression});
    ASSERT_TRUE(writer.ok());
    for (const std::string& payload : payloads) {
      ASSERT_TRUE(writer->Write(payload).ok());
    }
    num_bytes_ = writer->num_bytes();
    ASSERT_TRUE(writer->Close().ok());
  }

  const std::string path_;
  uint64_t num_bytes_ = 0;
  BenchInput input_;
};

TEST_F(BenchStages, GoOverTheWholeFile) {
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip}) {
    Write(std::vector<std::string>(10, Ids(3)), compression);
    EXPECT_EQ(*ReadBytes(input_), num_bytes_);
    Result<FramedTotals> framed = FrameRecords(input_);
    ASSERT_TRUE(framed.ok());
    EXPECT_EQ(framed->records, 10u);
    EXPECT_EQ(framed->bytes, num_bytes_);
    EXPECT_EQ(framed->is_compressed, compression != Compression::kNone);
    EXPECT_EQ(*ReadBatches(input_), 10u);
    Result<HeldRecords> held = HeldRecords::Hold(input_, num_bytes_);
    ASSERT_TRUE(held.ok());
    EXPECT_EQ(held->num_records(), 10u);
    EXPECT_EQ(held->num_bytes(), num_bytes_);
    for (int pass = 0; pass < 3; ++pass) EXPECT_EQ(*held->Decode(), 10u);
    EXPECT_THAT(held->batch_sizes(), ElementsAre(4, 4, 2));
  }
}

TEST_F(BenchStages, HoldWholeRecordsUpToABound) {
  Write(std::vector<std::string>(10, Ids(3)));
  input_.files = {path_, path_};
  const uint64_t one = num_bytes_ / 10;
  for (const uint64_t most : {uint64_t{0}, one - 1, one, 2 * one - 1}) {
    Result<HeldRecords> held = HeldRecords::Hold(input_, most);
    ASSERT_TRUE(held.ok());
    EXPECT_EQ(held->num_records(), 1u) << most;
    EXPECT_EQ(held->num_bytes(), one);
    EXPECT_EQ(*held->Decode(), 1u);
  }
  Result<HeldRecords> held = HeldRecords::Hold(input_, 12 * one);
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(held->num_records(), 12u);
  EXPECT_EQ(*held->Decode(), 12u);
}

TEST_F(BenchStages, NoRecords) {
  Write({});
  Result<HeldRecords> held = HeldRecords::Hold(input_, 1000);
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(held->num_records(), 0u);
  for (int pass = 0; pass < 2; ++pass) EXPECT_EQ(*held->Decode(), 0u);
}

TEST_F(BenchStages, BatchesOfHeldRecordsFitTheLimits) {
  Write(std::vector<std::string>(64, Ids(1000)));
  input_.batches.batch_size = 64;
  input_.batch_records = {64};
  input_.batches.limits.max_batch_bytes = 200'000;
  EXPECT_EQ(*ReadBatches(input_), 64u);
  Result<HeldRecords> held = HeldRecords::Hold(input_, num_bytes_);
  ASSERT_TRUE(held.ok());
  for (int pass = 0; pass < 2; ++pass) {
    Result<uint64_t> rows = held->Decode();
    ASSERT_TRUE(rows.ok()) << rows.status().ToString();
    EXPECT_EQ(*rows, 64u);
  }
  EXPECT_GT(held->batch_sizes().size(), 1u);
}

BenchResult SomeResult() {
  BenchResult result = {.files = {"x"},
                        .bytes = 2'000'000'000,
                        .records = 1000,
                        .num_columns = 5,
                        .target = "AVX2",
                        .clock = 3e9};
  const auto stage = [](uint64_t bytes, double seconds) {
    return StageTimes{bytes, 1000, {seconds * 2, seconds, seconds / 2}};
  };
  result.stages = {stage(result.bytes, 1), stage(result.bytes, 3),
                   stage(result.bytes / 2, 0.5), stage(result.bytes, 4)};
  return result;
}

TEST(BenchReport, Json) {
  EXPECT_EQ(BenchJson(SomeResult()),
            "{\"files\":[\"x\"],\"bytes\":2000000000,\"records\":1000,"
            "\"features\":5000,\"target\":\"AVX2\",\"threads\":1,"
            "\"clock_ghz\":3,\"stages\":{"
            "\"read\":{\"seconds\":[2,1,0.5],\"gb_per_s\":2},"
            "\"frame_crc\":{\"seconds\":[6,3,1.5],\"gb_per_s\":0.666667},"
            "\"decode\":{\"seconds\":[1,0.5,0.25],\"gb_per_s\":2},"
            "\"all\":{\"seconds\":[8,4,2],\"gb_per_s\":0.5}},"
            "\"ns_per_feature\":800000,\"cycles_per_feature\":2.4e+06,"
            "\"late_features\":[]}\n");
}

// The half of the records that was held stands for all of them.
TEST(BenchReport, WhatBounds) {
  BenchResult result = SomeResult();
  EXPECT_THAT(BenchText(result, 80, false),
              HasSubstr("\nbound by framing and checksums: 50% of the work, "
                        "reading 25%, decoding 25%\n"));
  result.is_compressed = true;
  result.stages[kRead].seconds = {3, 3, 3};
  EXPECT_THAT(BenchText(result, 80, false),
              HasSubstr("\nbound by decompression: 75% of the work, "
                        "decoding 25%, framing and checksums 0%\n"));
}

TEST(BenchReport, Text) {
  const std::string text = BenchText(SomeResult(), 80, false);
  EXPECT_THAT(text, HasSubstr("\nframe_crc  0.667  0.333..1.33        333  "));
  EXPECT_THAT(text,
              HasSubstr("\n1,000 records, 5 columns, 1.9 GiB; 3 passes "));
  EXPECT_THAT(text, HasSubstr("\n800000 ns or 2400000 cycles a feature; "
                              "target AVX2, clock 3.00 GHz, 1 thread\n"));
}

}  // namespace
}  // namespace headrace::cli
