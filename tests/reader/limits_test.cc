// Every limit of limits.h, one below, at, and one above: what is at it is
// allowed.

#include "headrace/limits.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/reader.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

ReadOptions Skipping(const Limits& limits) {
  return {.on_corrupt = OnCorrupt::kSkip,
          .on_row_error = OnRowError::kSkip,
          .limits = limits};
}

TEST(LimitsTest, RecordBytes) {
  const std::string record = IdRecords(0, 1)[0];
  const std::string first = IdRecords(0, 1)[0];
  const TemporaryFile file(RecordFile({first, record}));
  for (const int more : {-1, 0, 1}) {
    Limits limits = {.max_record_bytes = static_cast<uint64_t>(
                         static_cast<int64_t>(record.size()) + more)};
    const ErrorCode code = more < 0 ? ErrorCode::kTooLarge : ErrorCode::kOk;
    for (const size_t threads : {1u, 2u}) {
      const Plan plan = IdPlan();
      const Transcript read =
          ReadAll({file.path()}, {.threads = threads, .limits = limits}, &plan);
      EXPECT_THAT(read.status, HasCode(code));
      EXPECT_THAT(read.rows, SizeIs(more < 0 ? 0 : 2));
    }
    Decoder decoder(IdPlan(), {.limits = limits});
    const std::string_view view = record;
    EXPECT_THAT(decoder.Decode({&view, 1}), HasCode(code));
  }
}

Status DecodeWithin(uint64_t bytes, const std::string& record) {
  Decoder decoder(IdPlan(), {.limits = {.max_batch_bytes = bytes}});
  const std::string_view view = record;
  return decoder.Decode({&view, 1}).status();
}

// Of columns. How much a row needs is not promised, only about how much.
TEST(LimitsTest, BatchBytesOfARow) {
  constexpr uint64_t kValues = 20'000;
  const std::string record =
      ExampleBuilder().Int64s("id", std::vector<int64_t>(kValues, 1)).Build();
  uint64_t too_little = kValues * sizeof(int64_t);
  uint64_t enough = 2 * too_little;
  ASSERT_THAT(DecodeWithin(too_little, record), HasCode(ErrorCode::kLimit));
  ASSERT_THAT(DecodeWithin(enough, record), IsOk());
  while (enough - too_little > 1) {
    const uint64_t middle = (too_little + enough) / 2;
    (DecodeWithin(middle, record).ok() ? enough : too_little) = middle;
  }
  const Plan plan = IdPlan();
  const TemporaryFile file(RecordFile({record, IdRecords(0, 1)[0]}));
  for (const uint64_t limit : {enough - 64, enough - 1, enough, enough + 1}) {
    const bool fits = limit >= enough;
    EXPECT_EQ(DecodeWithin(limit, record).ok(), fits) << limit;
    for (const size_t threads : {1u, 2u}) {
      ReadOptions options = Skipping({.max_batch_bytes = limit});
      options.threads = threads;
      options.batch_size = 1;
      const Transcript read = ReadAll({file.path()}, options, &plan);
      EXPECT_THAT(read.status, IsOk());
      EXPECT_THAT(read.rows, SizeIs(fits ? 2 : 1));
      EXPECT_EQ(read.report.num_rows, fits ? 0u : 1u);
    }
  }
}

// Of payloads, which a batch pins: a row too many is left to the next batch.
TEST(LimitsTest, BatchBytesOfPayloads) {
  const std::vector<std::string> records(6, std::string(100'000, 'x'));
  const TemporaryFile file(RecordFile(records));
  for (const int more : {-1, 0, 1}) {
    ReadOptions options = {.message = MessageType::kRaw};
    options.limits.max_batch_bytes = static_cast<uint64_t>(300'000 + more);
    for (const size_t threads : {1u, 2u}) {
      options.threads = threads;
      auto reader = OrThrow(Reader::Open({file.path()}, options));
      const auto batch = reader.Next();
      ASSERT_TRUE(batch);
      EXPECT_EQ(batch->num_rows(), more < 0 ? 2u : 3u);
    }
  }
  // One that is longer than all that a batch may pin is a batch.
  ReadOptions options = {.message = MessageType::kRaw};
  options.limits.max_batch_bytes = 99'999;
  EXPECT_THAT(ReadAll({file.path()}, options).rows, SizeIs(6));
}

TEST(LimitsTest, InflatedBytes) {
  const std::string bytes = RecordFile(IdRecords(0, 50));
  const Plan plan = IdPlan();
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(CompressedBytes(bytes, compression));
    for (const int more : {-1, 0, 1}) {
      ReadOptions options;
      options.limits.max_inflated_bytes =
          static_cast<uint64_t>(static_cast<int64_t>(bytes.size()) + more);
      const Transcript read = ReadAll({file.path()}, options, &plan);
      // What is not compressed does not inflate.
      const bool fits = more >= 0 || compression == Compression::kNone;
      EXPECT_THAT(read.status,
                  HasCode(fits ? ErrorCode::kOk : ErrorCode::kLimit));
      EXPECT_THAT(read.rows, SizeIs(fits ? 50 : 49));
    }
  }
}

TEST(LimitsTest, Reported) {
  constexpr size_t kBad = 5;
  std::vector<std::string> records = IdRecords(0, 40);
  for (size_t i = 0; i < kBad; ++i) {
    records[2 * i] = "\x07";
    const std::string key = "late " + std::to_string(i);
    records[20 + i] = ExampleBuilder().Int64s(key, {1}).Build();
  }
  DamagedFile damaged(records);
  for (size_t i = 0; i < kBad; ++i) {
    damaged.FlipByte(damaged.offset(30 + 2 * i) + 13);
  }
  const TemporaryFile file(damaged.bytes());
  for (const size_t limit : {size_t{0}, kBad - 1, kBad, kBad + 1}) {
    for (const size_t threads : {1u, 2u}) {
      for (const size_t batch_size : {1u, 3u, 256u}) {
        ReadOptions options = Skipping({.max_reported = limit});
        options.sample = 4;
        options.threads = threads;
        options.batch_size = batch_size;
        const ReadReport report = ReadAll({file.path()}, options).report;
        const size_t listed = std::min(limit, kBad);
        EXPECT_THAT(report.rows, SizeIs(listed));
        EXPECT_THAT(report.regions, SizeIs(listed));
        EXPECT_THAT(report.late, SizeIs(listed));
        EXPECT_EQ(report.num_rows, kBad);
        EXPECT_EQ(report.num_regions, kBad);
        EXPECT_EQ(report.num_late, kBad);
      }
    }
  }
}

// Of a Decoder: the count goes on where the list ends.
TEST(LimitsTest, SkippedByADecoder) {
  std::vector<std::string> records = IdRecords(0, 3);
  records.insert(records.end(), 1500, "\x07");
  const std::vector<std::string_view> views(records.begin(), records.end());
  for (const size_t limit : {size_t{0}, size_t{1000}, size_t{2000}}) {
    Decoder decoder(IdPlan(), {.on_row_error = OnRowError::kSkip,
                               .limits = {.max_reported = limit}});
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_THAT(decoder.Decode(views), IsOk());
      EXPECT_THAT(decoder.skipped(), SizeIs(std::min<size_t>(limit, 1500)));
      EXPECT_EQ(decoder.num_skipped(), 1500u);
    }
    EXPECT_THAT(decoder.Decode(std::span(views).first(3)), IsOk());
    EXPECT_EQ(decoder.num_skipped(), 0u);
  }
}

// Of a tensor that takes all but a little of a batch: the batch ends before the
// rows for which what is left of the budget is in pieces too small.
TEST(LimitsTest, BatchBytesOfATensor) {
  constexpr size_t kRows = 150;
  const TemporaryFile file(RecordFile(IdRecords(0, kRows)));
  FeatureConfig padded = VarLen(DType::kInt64);
  padded.pad_to = 2000;
  const auto plan = OrThrow(Plan::Compile(FeatureSpec().Add("id", padded)));
  for (uint64_t budget = 200'000; budget < 2'000'000; budget += 99'991) {
    ReadOptions options = {.batch_size = kRows};
    options.limits.max_batch_bytes = budget;
    const Transcript read = ReadAll({file.path()}, options, &plan);
    EXPECT_THAT(read.status, IsOk()) << budget;
    EXPECT_EQ(read.origins.size(), kRows) << budget;
  }
}

// Rows whose arrays grow in the midst of a batch: what the growth takes is not
// what the rows before need to be finished. Every row fits alone.
TEST(LimitsTest, BatchBytesOfRowsThatGrow) {
  constexpr size_t kRows = 400;
  std::vector<std::string> records;
  for (size_t i = 0; i < kRows; ++i) {
    ExampleBuilder record;
    record.Int64s("a", std::vector<int64_t>(20, 1));
    // Some have it not: it has a bitmap.
    if (i % 7 != 0) record.Floats("b", std::vector<float>(i % 40, 1));
    // Growing to the end.
    record.Int64s("c", std::vector<int64_t>(i / 4, 1));
    records.push_back(record.Build());
  }
  const TemporaryFile file(RecordFile(records));
  FeatureConfig padded = VarLen(DType::kInt64);
  padded.pad_to = 50;
  FeatureConfig narrowed = Ragged(DType::kInt64);
  narrowed.as = DType::kUint64;
  // In place, and a list.
  const FeatureConfig mapped = FixedLen(DType::kInt64, {20}).Map(Log1p{});
  const FeatureConfig ids = VarLen(DType::kInt64).Map(HashBucket{1000});
  const Result<Plan> plans[] = {
      Plan::Compile(FeatureSpec().Add("a", mapped)),
      Plan::Compile(FeatureSpec().Add("c", ids)),
      Plan::Compile(FeatureSpec().Add("a", padded)),
      Plan::Compile(
          FeatureSpec().Add("a", padded).Add("b", VarLen(DType::kFloat))),
      Plan::ForColumns({{"a", Kind::kInt64}, {"b", Kind::kFloat}}),
      Plan::Compile(FeatureSpec().Add(
          "c", FixedLenSequence(DType::kInt64, {}, /*allow_missing=*/true))),
      Plan::Compile(FeatureSpec().Add("c", narrowed)),
      Plan::Compile(
          FeatureSpec().Add("c", Sparse({"c"}, "c", DType::kInt64, {100}))),
      Plan::Compile(FeatureSpec().Add(
          "c", Ragged(DType::kInt64, {{PartitionType::kRowLengths, "c"}}, "c",
                      DType::kInt64)))};
  for (const Result<Plan>& plan : plans) {
    ASSERT_THAT(plan, IsOk());
    for (uint64_t budget = 70'000; budget < 1'200'000;
         budget += 9'973 * kCaseStride) {
      ReadOptions options = {.batch_size = kRows};
      options.limits.max_batch_bytes = budget;
      const Transcript read = ReadAll({file.path()}, options, &*plan);
      EXPECT_THAT(read.status, IsOk()) << budget;
      EXPECT_EQ(read.origins.size(), kRows) << budget;
    }
  }
}

TEST(LimitsTest, Bad) {
  DamagedFile damaged(IdRecords(0, 40));
  for (size_t i = 0; i < 5; ++i) damaged.FlipByte(damaged.offset(7 * i) + 13);
  const TemporaryFile file(damaged.bytes());
  for (const uint64_t limit : {4u, 5u, 6u}) {
    ReadOptions options = Skipping({});
    options.max_bad = limit;
    const Transcript read = ReadAll({file.path()}, options);
    EXPECT_THAT(read.status,
                HasCode(limit < 5 ? ErrorCode::kTooManyBad : ErrorCode::kOk));
  }
}

// The record that a sample of n does not see.
TEST(LimitsTest, Sample) {
  std::vector<std::string> records = IdRecords(0, 600);
  constexpr uint64_t kAt = 500;
  records[kAt] = ExampleBuilder().Floats("late", {1}).Build();
  const TemporaryFile file(RecordFile(records));
  for (const uint64_t sample : {kAt, kAt + 1, kAt + 2}) {
    const Transcript read = ReadAll({file.path()}, {.sample = sample});
    EXPECT_EQ(read.report.num_late, sample == kAt ? 1u : 0u);
  }
}

// A record whose payload is `begin` and as much else as makes a MiB.
std::string MebibyteRecord(const std::string& begin) {
  constexpr size_t kBytes = size_t{1} << 20;
  // Tag and a length of three bytes.
  const std::string rest(kBytes - begin.size() - 4, 'x');
  const std::string payload = begin + LenField(kUnknownField, rest);
  EXPECT_EQ(payload.size(), kBytes);
  return FramedRecord(payload);
}

// Records of one MiB, one after another; number `odd` is another one.
class MebibyteRecords : public InputFile {
 public:
  static constexpr uint64_t kCount = 260;

  MebibyteRecords(const std::string& record, const std::string& other,
                  uint64_t odd)
      : record_(record), other_(other), odd_(odd) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    if (at_ == record_.size()) {
      at_ = 0;
      ++number_;
    }
    if (number_ == kCount) return size_t{0};
    const std::string& record = number_ == odd_ ? other_ : record_;
    const size_t count =
        record.copy(reinterpret_cast<char*>(out.data()), out.size(), at_);
    at_ += count;
    return count;
  }

 private:
  const std::string& record_;
  const std::string& other_;
  const uint64_t odd_;
  size_t at_ = 0;
  uint64_t number_ = 0;
};

// The sample is kept, whatever bound is given for it: 256 MiB at most.
TEST(LimitsTest, SampleThatIsKept) {
  const std::string record = MebibyteRecord("");
  const std::string other =
      MebibyteRecord(ExampleBuilder().Floats("odd", {1}).Build());
  for (const uint64_t odd : {254u, 255u, 256u}) {
    ReadOptions options = {
        .message = MessageType::kExample,
        .sample_bytes = odd == 255 ? 0 : ~uint64_t{0},
        .open_input = [&, odd](const std::string&) {
          return Result<std::unique_ptr<InputFile>>(
              std::make_unique<MebibyteRecords>(record, other, odd));
        }};
    const Transcript read = ReadAll({"pipe"}, options);
    EXPECT_THAT(read.status, IsOk());
    EXPECT_THAT(read.rows, SizeIs(MebibyteRecords::kCount));
    EXPECT_EQ(read.report.num_late, odd < 256 ? 0u : 1u) << odd;
  }
}

size_t ThreadsOfThisProcess() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(LimitsTest, Threads) {
  if (kInstrumented) GTEST_SKIP() << "a thousand threads take too much";
  const TemporaryFile file(RecordFile(IdRecords(0, 100)));
  for (const size_t threads : {size_t{1023}, size_t{1024}, size_t{100'000}}) {
    const size_t before = ThreadsOfThisProcess();
    auto reader =
        OrThrow(Reader::Open({file.path()}, IdPlan(), {.threads = threads}));
    ASSERT_TRUE(reader.Next());
    // Where the system grants fewer, fewer do.
    EXPECT_LE(ThreadsOfThisProcess(),
              before - 1 + std::min<size_t>(threads, 1024));
  }
}

}  // namespace
}  // namespace headrace::testing
