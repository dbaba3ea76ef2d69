// A Decoder without memory: every allocation of Decode fails once.

#include "headrace/decoder.h"

#include <cstdlib>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/batch_allocator.h"
#include "src/read/batch/batch_copy.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/batch_tensors.h"
#include "tests/out_of_memory/every_allocation.h"
#include "tests/random/random_example.h"
#include "tests/random/random_lists.h"
#include "tests/random/random_tensors.h"
#include "tests/support/example_builder.h"

namespace headrace::testing {
namespace {

std::vector<std::string_view> ViewsOf(const std::vector<std::string>& records) {
  return {records.begin(), records.end()};
}

std::string TextOf(const Decoder& decoder, const Result<Batch>& batch) {
  if (!batch.ok()) return batch.status().ToString();
  std::string text = batch->columns().empty() ? ToText(TensorsOf(*batch))
                                              : ToText(ToNaive(*batch));
  for (const Status& skipped : decoder.skipped()) {
    text += "\n" + skipped.ToString();
  }
  return text;
}

// Decodes with a decoder that is made for it, and once more when there is
// memory again.
void FailDecoding(const Plan& plan, const std::vector<std::string>& records,
                  const DecodeOptions& options) {
  const std::vector<std::string_view> views = ViewsOf(records);
  Decoder untouched(plan, options);
  const std::string expected = TextOf(untouched, untouched.Decode(views));
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    Decoder decoder = allocator->During([&] { return Decoder(plan, options); });
    auto batch = allocator->During([&] { return decoder.Decode(views); });
    Outcome outcome{.status = batch.status(), .rest = TextOf(decoder, batch)};
    // A decoder that was not made stays so.
    const auto again = decoder.Decode(views);
    if (again.status().code() != ErrorCode::kOutOfMemory) {
      EXPECT_EQ(TextOf(decoder, again), expected);
    }
    return outcome;
  });
}

// Its memory is from malloc, which fails, too.
class MallocAllocator : public BatchAllocator {
 public:
  void* Allocate(size_t size, size_t alignment) override {
    return std::aligned_alloc(alignment, size);
  }
  void Free(void* data, size_t) noexcept override { std::free(data); }
};

TEST(DecoderWithoutMemory, TensorsOfAnAllocator) {
  RandomTensors random(/*seed=*/87);
  for (int i = 0; i < 6; ++i) {
    const FeatureSpec spec = random.NextSpec(
        i % 2 == 0 ? MessageType::kExample : MessageType::kSequence);
    std::vector<std::string> records;
    for (int row = 0; row < 5; ++row) {
      records.push_back(random.NextRecord(spec));
    }
    FailDecoding(*Plan::Compile(spec), records,
                 {.on_row_error = OnRowError::kSkip,
                  .on_absent = OnAbsent::kIgnore,
                  .allocator = std::make_shared<MallocAllocator>()});
  }
}

TEST(DecoderWithoutMemory, Columns) {
  for (const bool plain : {true, false}) {
    RandomExample random(/*seed=*/71, {.plain = plain});
    std::vector<std::string> examples, sequences;
    for (int i = 0; i < 30; ++i) {
      examples.push_back(random.Next());
      sequences.push_back(random.NextSequence());
    }
    std::vector<ColumnField> columns = RandomExample::Columns();
    FailDecoding(*Plan::ForColumns(columns), examples, {});
    for (const ColumnField& list : RandomExample::Columns(true)) {
      columns.push_back(list);
    }
    FailDecoding(*Plan::ForColumns(columns), sequences, {});
  }
}

TEST(DecoderWithoutMemory, Lists) {
  RandomLists lists(/*seed=*/75);
  for (const auto message :
       {MessageType::kElwc, MessageType::kExampleInExample}) {
    for (int i = 0; i < 4; ++i) {
      const FeatureSpec spec = lists.NextSpec(message);
      std::vector<std::string> records;
      for (int row = 0; row < 12; ++row) {
        records.push_back(lists.NextRecord(spec));
      }
      const auto plan = Plan::Compile(spec);
      ASSERT_TRUE(plan.ok());
      FailDecoding(*plan, records, {});
      FailDecoding(*plan, records, {.on_row_error = OnRowError::kSkip});
    }
  }
}

// More rows than columns have room for at first.
TEST(DecoderWithoutMemory, ManyRows) {
  RandomExample random(/*seed=*/72, {.plain = true});
  std::vector<std::string> records;
  for (int i = 0; i < 1100; ++i) records.push_back(random.Next());
  const std::vector<ColumnField> columns = {
      {RandomExample::Keys()[0], RandomExample::KindOfKey(0)},
      {RandomExample::Keys()[1], RandomExample::KindOfKey(1)}};
  FailDecoding(*Plan::ForColumns(columns), records, {});
  FailDecoding(Plan::ForRaw(), records, {});
}

// All layouts, and rows left out, which takes memory to explain.
TEST(DecoderWithoutMemory, Tensors) {
  RandomTensors random(/*seed=*/73);
  for (int i = 0; i < 12; ++i) {
    const FeatureSpec spec = random.NextSpec(
        i % 2 == 0 ? MessageType::kExample : MessageType::kSequence);
    std::vector<std::string> records;
    for (int j = 0; j < 12; ++j) records.push_back(random.NextRecord(spec));
    records.push_back("\x0a\x05not one");
    const Plan plan = *Plan::Compile(spec);
    FailDecoding(plan, records, {.on_row_error = OnRowError::kSkip});
    FailDecoding(plan, records, {});
  }
}

TEST(DecoderWithoutMemory, Groups) {
  FeatureConfig padded = VarLen(DType::kInt64).Present();
  padded.pad_to = 2;
  padded.truncate = true;
  padded.column = "ids";
  FeatureConfig ids = Ragged(DType::kInt64).FirstN(2).WeightKey("w");
  ids.column = "ids";
  const FeatureSpec spec =
      FeatureSpec()
          .AddMatrix("m", DType::kInt16,
                     {{"x", FixedLen(DType::kInt64).Default(1)}, {"p", padded}})
          .Add("j", Jagged(DType::kInt32, {{"a", ids}}).Weights());
  std::vector<std::string> records;
  for (int64_t i = 0; i < 12; ++i) {
    records.push_back(ExampleBuilder()
                          .Int64s("ids", {i, i + 1, 30000 * i})
                          .Floats("w", {1, 2, 3})
                          .Build());
  }
  records.push_back(ExampleBuilder().Floats("w", {1}).Build());
  const Plan plan = *Plan::Compile(spec);
  FailDecoding(plan, records, {.on_row_error = OnRowError::kSkip});
  FailDecoding(plan, records, {});
}

// Copies of what was decoded, and what is saved of it.
TEST(DecoderWithoutMemory, Copies) {
  RandomTensors random(/*seed=*/74);
  const FeatureSpec spec = random.NextSpec(MessageType::kExample);
  std::vector<std::string> records;
  for (int i = 0; i < 12; ++i) records.push_back(random.NextRecord(spec));
  Decoder decoder(*Plan::Compile(spec), {.on_row_error = OnRowError::kSkip});
  const Batch batch = *decoder.Decode(ViewsOf(records));
  std::vector<size_t> all(batch.tensors().size());
  std::iota(all.begin(), all.end(), size_t{0});
  const std::string saved = *SaveBatch(batch, all);
  const auto fail = [&](auto make) {
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      const Result<Batch> copy = allocator->During(make);
      return Outcome{.status = copy.status(), .rest = TextOf(decoder, copy)};
    });
  };
  fail([&] { return CopyBatch(batch); });
  fail([&] { return CopyBatch(batch, all); });
  fail([&] { return LoadBatch(saved); });
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    const auto again = allocator->During([&] { return SaveBatch(batch, all); });
    return Outcome{.status = again.status(), .rest = again.ok() ? *again : ""};
  });
}

// A constructor has nothing to say it with that there is none.
TEST(DecoderWithoutMemory, IsMadeAndMoved) {
  const Plan plan = *Plan::ForColumns({{"a", Kind::kInt64}});
  FailingAllocator allocator(0, Failing::kAllFromThere, Whose::kThisThread);
  Decoder made = allocator.During([&] { return Decoder(plan); });
  Decoder decoder = allocator.During([&] { return std::move(made); });
  EXPECT_FALSE(allocator.has_failed());
  EXPECT_TRUE(decoder.skipped().empty());
  EXPECT_TRUE(decoder.Decode({}).ok());
}

}  // namespace
}  // namespace headrace::testing
