// Readers, decoders and datasets with an allocator: when slabs are asked for
// and given back, and what happens when there are none.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/arrow.h"
#include "headrace/dataset.h"
#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "src/decode/column/column_set.h"
#include "src/read/batch/batch_storage.h"
#include "tests/allocator/guard_allocator.h"
#include "tests/support/example_builder.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr size_t kRows = 1000;

// A matrix of one slot, a matrix of two types, a plain dense feature, a jagged
// group with weights, a ragged, a sparse, a padded feature, and one of bytes.
Plan EverythingPlan() {
  FeatureSpec spec;
  spec.AddMatrix("dense", DType::kFloat, {{"f", FixedLen(DType::kFloat, {3})}});
  spec.AddMatrix("mixed", DType::kFloat16,
                 {{"n", FixedLen(DType::kInt64)},
                  {"g", FixedLen(DType::kFloat, {2}).Default({1.0f, 2.0f})}});
  spec.AddJagged(
      "ids", DType::kInt32,
      {{"a", Ragged(DType::kInt64).FirstN(2)}, {"b", Ragged(DType::kInt64)}});
  spec.Add("label", FixedLen(DType::kInt64));
  spec.Add("ragged", Ragged(DType::kFloat));
  spec.Add("sparse", VarLen(DType::kInt64));
  FeatureConfig padded = VarLen(DType::kFloat);
  padded.pad_to = 4;
  padded.truncate = true;
  spec.Add("padded", padded);
  spec.Add("name", FixedLen(DType::kBytes));
  return OrThrow(Plan::Compile(spec));
}

std::string RecordOf(size_t i) {
  const auto number = static_cast<int64_t>(i);
  const auto real = static_cast<float>(i);
  ExampleBuilder builder;
  builder.Floats("f", {real, real + 0.5f, -real}).Int64s("n", {number % 50});
  if (i % 3 != 0) builder.Floats("g", {real / 1024, 1});
  builder.Int64s("a", std::vector<int64_t>(i % 4, number))
      .Int64s("b", std::vector<int64_t>(i % 3, -number))
      .Int64s("label", {number})
      .Floats("ragged", std::vector<float>(i % 5, real))
      .Int64s("sparse", std::vector<int64_t>(i % 2, number))
      .Floats("padded", std::vector<float>(i % 7, real))
      .Bytes("name", {std::string(i % 20, 'x')});
  return builder.Build();
}

std::vector<std::string> SomeRecords(size_t rows = kRows) {
  std::vector<std::string> records;
  for (size_t i = 0; i < rows; ++i) records.push_back(RecordOf(i));
  return records;
}

struct Reading {
  std::vector<Bits> batches;
  Status status;
};

// Reads at most `most` batches. With an allocator, checks their slabs.
Reading Read(const std::string& path, const Plan& plan,
             const ReadOptions& options, GuardAllocator* allocator = nullptr,
             size_t most = ~size_t{0}) {
  Reading reading;
  auto reader = OrThrow(Reader::Open({path}, plan, options));
  std::optional<Batch> before;  // outlives the next call
  while (reading.batches.size() < most) {
    auto batch = reader.Next();
    if (!batch) break;
    if (allocator != nullptr) {
      EXPECT_EQ(allocator->Seal(*batch), "");
    }
    reading.batches.push_back(BitsOf(*batch));
    if (before) {
      EXPECT_NE(BitsOf(*before), Bits());
    }
    before = *std::move(batch);
  }
  reading.status = reader.status();
  return reading;
}

TEST(AllocatorBatches, AreTheSameForEveryNumberOfThreads) {
  std::vector<std::string> records = SomeRecords();
  records[400] = ExampleBuilder().Int64s("n", {1}).Build();  // lacks most
  records[777] = "no Example";
  const TemporaryFile file(RecordFile(records));
  const Plan plan = EverythingPlan();
  for (const size_t batch_size : {size_t{64}, kAutoBatchSize}) {
    ReadOptions options{.batch_size = batch_size,
                        .on_row_error = OnRowError::kSkip,
                        .threads = 1};
    const Reading plain = Read(file.path(), plan, options);
    ASSERT_TRUE(plain.status.ok()) << plain.status.ToString();
    for (const size_t threads : {1u, 2u, 3u, 8u}) {
      const auto allocator = std::make_shared<GuardAllocator>();
      options.threads = threads;
      options.allocator = allocator;
      const Reading reading = Read(file.path(), plan, options, allocator.get());
      EXPECT_TRUE(reading.status.ok());
      EXPECT_EQ(reading.batches, plain.batches) << threads;
      EXPECT_EQ(allocator->num_held(), 0u);
      if (threads == 1) {
        EXPECT_EQ(allocator->num_calls(), 2 * plain.batches.size());
      }
    }
  }
}

TEST(AllocatorBatches, TheFirstSlabIsForAllRowsOfABatch) {
  const TemporaryFile file(RecordFile(SomeRecords(100)));
  FeatureSpec spec;
  spec.Add("label", FixedLen(DType::kInt64));
  const Plan plan = OrThrow(Plan::Compile(spec));
  const auto sizes_of = [&](size_t batch_size) {
    const auto allocator = std::make_shared<GuardAllocator>();
    Read(file.path(), plan, {.batch_size = batch_size, .allocator = allocator},
         allocator.get());
    return allocator->sizes();
  };
  // 512 bytes of slack follow the values; units of 256 are odd in number.
  EXPECT_EQ(sizes_of(64), std::vector<size_t>(2, 1280));
  EXPECT_EQ(sizes_of(kAutoBatchSize),
            std::vector<size_t>(sizes_of(kAutoBatchSize).size(), 8960));
}

// A full batch, too, whose last row leaves no room behind it.
TEST(AllocatorBatches, DenseSlotsAreDecodedInTheirPlace) {
  const auto allocator = std::make_shared<GuardAllocator>();
  FeatureSpec spec;
  spec.AddMatrix("dense", DType::kFloat, {{"f", FixedLen(DType::kFloat, {3})}});
  spec.Add("label", FixedLen(DType::kInt64));
  spec.Add("n", FixedLen(DType::kInt64, {4}));
  Decoder decoder(OrThrow(Plan::Compile(spec)), {.allocator = allocator});
  std::vector<std::string> records;
  for (int64_t i = 0; i < 300; ++i) {
    const auto real = static_cast<float>(i);
    records.push_back(ExampleBuilder()
                          .Floats("f", {real, real, real})
                          .Int64s("label", {int64_t{1} << (i % 63)})
                          .Int64s("n", {i, int64_t{1} << (i % 63), -1, 1 - i})
                          .Build());
  }
  const Batch batch = OrThrow(decoder.Decode(
      std::vector<std::string_view>(records.begin(), records.end())));
  EXPECT_EQ(allocator->Seal(batch), "");
  const column::ColumnSet& columns = reader::BatchStorage::Of(batch)->columns();
  ASSERT_EQ(columns.num_slots(), 3u);
  for (uint32_t slot = 0; slot < columns.num_slots(); ++slot) {
    EXPECT_EQ(columns.builder(slot).values, batch.tensors()[slot].values);
    EXPECT_EQ(columns.builder(slot).form, plan::SlotForm::kDense);
  }
  EXPECT_EQ(allocator->num_calls(), 1u);
}

TEST(AllocatorBatches, BatchesOfBytesAskForNothing) {
  const auto allocator = std::make_shared<GuardAllocator>();
  FeatureSpec spec;
  spec.Add("name", FixedLen(DType::kBytes));
  Decoder decoder(OrThrow(Plan::Compile(spec)), {.allocator = allocator});
  const std::string record = RecordOf(3);
  const auto batch = decoder.Decode(std::vector<std::string_view>{record});
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->tensors()[0].bytes()[0], "xxx");
  EXPECT_EQ(allocator->num_calls(), 0u);
}

TEST(AllocatorBatches, SlabsLiveAsLongAsTheLastHandle) {
  const auto allocator = std::make_shared<GuardAllocator>();
  std::optional<Decoder> decoder(std::in_place, EverythingPlan(),
                                 DecodeOptions{.allocator = allocator});
  const std::string record = RecordOf(3);
  auto batch = decoder->Decode(std::vector<std::string_view>{record});
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(allocator->Seal(*batch), "");
  decoder.reset();
  EXPECT_EQ(allocator->num_held(), 2u);
  ArrowArray array;
  ASSERT_TRUE(ExportBatch(*batch, {}, &array).ok());
  {
    const Batch copy = *batch;
    *batch = Batch();
    EXPECT_EQ(allocator->num_held(), 2u);
    EXPECT_EQ(copy.FindTensor("label")->int64s()[0], 3);
  }
  EXPECT_EQ(allocator->num_held(), 2u);
  array.release(&array);
  EXPECT_EQ(allocator->num_held(), 0u);
  // Nobody else has the allocator any more.
  EXPECT_EQ(allocator.use_count(), 1);
}

TEST(AllocatorBatches, EachFailedCallEndsTheReader) {
  const TemporaryFile file(RecordFile(SomeRecords(300)));
  const Plan plan = EverythingPlan();
  ReadOptions options{.batch_size = 64};
  const Reading plain = Read(file.path(), plan, options);
  for (const size_t threads : {1u, 2u, 8u}) {
    for (size_t n = 0; n <= 10; ++n) {
      const auto allocator = std::make_shared<GuardAllocator>(n);
      options.threads = threads;
      options.allocator = allocator;
      auto reader = OrThrow(Reader::Open({file.path()}, plan, options));
      std::vector<Bits> batches;
      while (auto batch = reader.Next()) {
        EXPECT_EQ(allocator->Seal(*batch), "");
        batches.push_back(BitsOf(*batch));
      }
      EXPECT_EQ(reader.Next().status().code(), reader.status().code());
      if (n == 10) {
        EXPECT_TRUE(reader.status().ok());
        EXPECT_EQ(batches, plain.batches);
      } else {
        EXPECT_EQ(reader.status().code(), ErrorCode::kOutOfMemory);
        if (threads == 1) {
          EXPECT_EQ(batches.size(), n / 2);
        }
        ASSERT_LT(batches.size(), plain.batches.size());
        batches.resize(plain.batches.size());
        for (size_t i = 0; i < batches.size() && batches[i] != Bits(); ++i) {
          EXPECT_EQ(batches[i], plain.batches[i]);
        }
      }
      reader = Reader();
      EXPECT_EQ(allocator->num_held(), 0u);
    }
  }
}

TEST(AllocatorBatches, AreFreedAfterErrorsAndEarlyEnds) {
  std::vector<std::string> records = SomeRecords();
  records[900] = "no Example";
  const TemporaryFile file(RecordFile(records));
  const Plan plan = EverythingPlan();
  for (size_t threads = 1; threads <= 8; ++threads) {
    const auto allocator = std::make_shared<GuardAllocator>();
    ReadOptions options{
        .batch_size = 32, .threads = threads, .allocator = allocator};
    const Reading failed = Read(file.path(), plan, options, allocator.get());
    EXPECT_EQ(failed.status.code(), ErrorCode::kMalformed);
    EXPECT_EQ(allocator->num_held(), 0u);
    Read(file.path(), plan, options, allocator.get(), /*most=*/3);
    EXPECT_EQ(allocator->num_held(), 0u);
    std::atomic<bool> is_cancelled = false;
    options.interrupted = [&] { return is_cancelled.load(); };
    auto reader = OrThrow(Reader::Open({file.path()}, plan, options));
    ASSERT_TRUE(reader.Next().ok());
    is_cancelled = true;
    while (reader.Next()) continue;
    reader = Reader();
    EXPECT_EQ(allocator->num_held(), 0u);
  }
}

TEST(AllocatorBatches, ASlabBeyondTheBudgetIsNotAskedFor) {
  const TemporaryFile file(RecordFile(SomeRecords(10)));
  FeatureSpec spec;
  spec.Add("label", FixedLen(DType::kInt64));
  spec.Add("ragged", Ragged(DType::kFloat));
  const Plan plan = OrThrow(Plan::Compile(spec));
  for (const size_t threads : {1u, 2u}) {
    for (const size_t batch_size : {size_t{1} << 20, size_t{1} << 62}) {
      const auto allocator = std::make_shared<GuardAllocator>();
      const Reading reading = Read(file.path(), plan,
                                   {.batch_size = batch_size,
                                    .threads = threads,
                                    .allocator = allocator,
                                    .limits = {.max_batch_bytes = 1 << 20}},
                                   allocator.get());
      EXPECT_EQ(reading.status.code(), ErrorCode::kLimit);
      EXPECT_NE(reading.status.message().find("ask for fewer rows"),
                std::string::npos)
          << reading.status.ToString();
      EXPECT_EQ(allocator->num_calls(), 0u);
    }
  }
}

// Rows of values that both the columns and the second slab have: a batch ends
// before they exceed the budget together.
TEST(AllocatorBatches, ABatchEndsBeforeTheSecondSlabExceedsTheBudget) {
  std::vector<std::string> records;
  for (size_t i = 0; i < 200; ++i) {
    records.push_back(ExampleBuilder()
                          .Floats("ragged", std::vector<float>(2000, float(i)))
                          .Build());
  }
  const TemporaryFile file(RecordFile(records));
  FeatureSpec spec;
  spec.Add("ragged", Ragged(DType::kFloat));
  const Plan plan = OrThrow(Plan::Compile(spec));
  const auto allocator = std::make_shared<GuardAllocator>();
  const Reading reading = Read(file.path(), plan,
                               {.batch_size = 200,
                                .allocator = allocator,
                                .limits = {.max_batch_bytes = 1 << 20}},
                               allocator.get());
  EXPECT_TRUE(reading.status.ok()) << reading.status.ToString();
  EXPECT_GT(reading.batches.size(), 2u);
  for (const size_t size : allocator->sizes()) EXPECT_LE(size, 1u << 20);
}

// A bad row may need more values than the place of its slot has.
TEST(AllocatorBatches, ARowOfTooManyValuesLeavesTheOthersInTheirPlace) {
  const auto allocator = std::make_shared<GuardAllocator>();
  std::vector<std::string> records = SomeRecords(20);
  records[19] = ExampleBuilder()
                    .Floats("f", std::vector<float>(5000, 1.0f))
                    .Int64s("label", std::vector<int64_t>(700, 1))
                    .Build();
  const std::vector<std::string_view> views(records.begin(), records.end());
  DecodeOptions options{.on_row_error = OnRowError::kSkip};
  const auto plain = Decoder(EverythingPlan(), options).Decode(views);
  options.allocator = allocator;
  const auto batch = Decoder(EverythingPlan(), options).Decode(views);
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->num_rows(), 19u);
  EXPECT_EQ(allocator->Seal(*batch), "");
  EXPECT_EQ(BitsOf(*batch), BitsOf(*plain));
}

TEST(AllocatorBatches, ColumnsAreRefused) {
  const TemporaryFile file(RecordFile(SomeRecords(10)));
  const auto allocator = std::make_shared<GuardAllocator>();
  const Plan columns =
      OrThrow(Plan::ForColumns({{.name = "label", .kind = Kind::kInt64}}));
  const ReadOptions options{.allocator = allocator};
  const DatasetOptions of_dataset{.allocator = allocator};
  EXPECT_EQ(Reader::Open({file.path()}, options).status().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Reader::Open({file.path()}, columns, options).status().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Dataset::Open({file.path()}, of_dataset).status().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Dataset::Open({file.path()}, columns, of_dataset).status().code(),
            ErrorCode::kInvalidArgument);
  const auto tensors =
      OrThrow(Dataset::Open({file.path()}, EverythingPlan(), of_dataset));
  EXPECT_EQ(tensors.With(columns).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      Decoder(columns, {.allocator = allocator}).Decode({}).status().code(),
      ErrorCode::kInvalidArgument);
  EXPECT_EQ(allocator->num_calls(), 0u);
}

TEST(AllocatorBatches, DatasetsTakeRowsIntoSlabs) {
  const TemporaryFile file(RecordFile(SomeRecords(100)));
  const auto allocator = std::make_shared<GuardAllocator>();
  auto plain = OrThrow(Dataset::Open({file.path()}, EverythingPlan()));
  auto dataset = OrThrow(
      Dataset::Open({file.path()}, EverythingPlan(), {.allocator = allocator}));
  const std::vector<uint64_t> rows = {99, 3, 3, 50};
  {
    const Batch batch = OrThrow(dataset.Take(rows));
    EXPECT_EQ(allocator->Seal(batch), "");
    EXPECT_EQ(BitsOf(batch), BitsOf(OrThrow(plain.Take(rows))));
    EXPECT_EQ(allocator->num_held(), 2u);
  }
  EXPECT_EQ(allocator->num_held(), 0u);
}

class Misaligned : public BatchAllocator {
 public:
  void* Allocate(size_t size, size_t) override {
    memory_.resize(size + 512);
    return reinterpret_cast<void*>(
        reinterpret_cast<uintptr_t>(memory_.data()) / 256 * 256 + 256 + 64);
  }
  void Free(void*, size_t) noexcept override { ++num_freed_; }
  int num_freed() const { return num_freed_; }

 private:
  std::vector<char> memory_;
  int num_freed_ = 0;
};

TEST(AllocatorBatches, MisalignedMemoryIsRefusedAndFreed) {
  const auto allocator = std::make_shared<Misaligned>();
  Decoder decoder(EverythingPlan(), {.allocator = allocator});
  const std::string record = RecordOf(3);
  const auto batch = decoder.Decode(std::vector<std::string_view>{record});
  EXPECT_EQ(batch.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(allocator->num_freed(), 1);
}

}  // namespace
}  // namespace headrace::testing
