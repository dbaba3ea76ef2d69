// What a batch of tensors may cost: rules of docs/performance.md. The second
// batch of a pool is looked at, which knows what the first needed.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/tensor/assemble.h"
#include "src/plan/compile/program.h"
#include "src/read/batch/batch_storage.h"
#include "tests/naive/batch_tensors.h"
#include "tests/random/random_tensors.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "wire/wire.h"

namespace headrace::testing {
namespace {

constexpr size_t kRows = 300;

size_t OutputBytes(const Tensor& tensor) {
  size_t bytes = tensor.num_values * DTypeSize(tensor.dtype) +
                 tensor.indices.size_bytes() + tensor.lengths.size_bytes();
  for (const RowSplits& splits : tensor.row_splits) {
    bytes += splits.size * (splits.is_int64 ? 8 : 4);
  }
  return bytes;
}

// Records of 40 int64, 40 floats and 40 strings a feature, and partitions.
std::vector<std::string> Records() {
  std::vector<std::string> records;
  for (size_t i = 0; i < kRows; ++i) {
    std::vector<int64_t> ints(40), lengths(20, 2);
    std::vector<float> floats(40, 0.5f);
    std::vector<std::string> bytes(40, "value");
    for (size_t k = 0; k < ints.size(); ++k) {
      ints[k] = static_cast<int64_t>((i * 40 + k) % 97);
    }
    records.push_back(ExampleBuilder()
                          .Int64s("ints", ints)
                          .Int64s("lengths", lengths)
                          .Floats("floats", floats)
                          .Bytes("bytes", bytes)
                          .Build());
  }
  return records;
}

struct Cost {
  size_t output = 0;
  size_t used = 0;
};

Cost Measure(const FeatureSpec& spec) {
  const std::vector<std::string> records = Records();
  const std::vector<std::string_view> views(records.begin(), records.end());
  const auto plan = Plan::Compile(spec);
  EXPECT_THAT(plan, IsOk());
  Decoder decoder(*plan);
  Cost cost;
  for (int pass = 0; pass < 2; ++pass) {
    const auto batch = decoder.Decode(views);
    EXPECT_THAT(batch, IsOk());
    cost = {};
    for (const Tensor& tensor : batch->tensors()) {
      cost.output += OutputBytes(tensor);
    }
    cost.used = reader::BatchStorage::Of(*batch)->columns().memory_used();
  }
  return cost;
}

void ExpectAtMost(const FeatureSpec& spec, size_t sources) {
  const Cost cost = Measure(spec);
  EXPECT_LE(cost.used, (cost.output + sources) * 9 / 8);
  EXPECT_GE(cost.used + sources, cost.output);
}

TEST(TensorMemory, OutputAndAnEighth) {
  for (const auto& [key, dtype] :
       {std::pair{"ints", DType::kInt64}, std::pair{"floats", DType::kFloat},
        std::pair{"bytes", DType::kBytes}}) {
    ExpectAtMost(FeatureSpec().Add(key, FixedLen(dtype, {8, 5})), 0);
    ExpectAtMost(FeatureSpec().Add(key, VarLen(dtype)), 0);
    ExpectAtMost(FeatureSpec().Add(key, Ragged(dtype)), 0);
  }
}

TEST(TensorMemory, OutputSourcesAndAnEighth) {
  const size_t ints = kRows * 40 * sizeof(int64_t);
  const size_t lengths = kRows * 20 * sizeof(int64_t);
  ExpectAtMost(
      FeatureSpec().Add("ints", FixedLenSequence(DType::kInt64, {3 + 5}, true)),
      ints);
  ExpectAtMost(
      FeatureSpec().Add(
          "r", Ragged(DType::kInt64, {{PartitionType::kRowLengths, "lengths"}},
                      "ints")),
      ints + lengths);
  ExpectAtMost(
      FeatureSpec().Add("s", Sparse({"ints"}, "floats", DType::kFloat, {100})),
      2 * ints);
}

// An empty record can ask for a large default, but not for more than there is.
TEST(TensorMemory, DefaultsAreWithinTheBudget) {
  constexpr int64_t kElements = 1 << 20;
  DecodeOptions options;
  options.limits.max_batch_bytes = 64 << 20;
  const auto plan = OrThrow(Plan::Compile(FeatureSpec().Add(
      "x", FixedLen(DType::kFloat, {kElements})
               .Default(DefaultValues(std::vector<float>(kElements, 1.0f))))));
  Decoder decoder(plan, options);
  const std::vector<std::string_view> few(3), many(1000);
  EXPECT_THAT(decoder.Decode(few), IsOk());
  const auto batch = decoder.Decode(many);
  EXPECT_THAT(batch, HasCode(ErrorCode::kLimit));
  EXPECT_THAT(decoder.Decode(few), IsOk());
}

// A few bytes name two billion rows.
TEST(TensorMemory, RowidsAreWithinTheBudget) {
  DecodeOptions options;
  options.limits.max_batch_bytes = 64 << 20;
  options.on_row_error = OnRowError::kSkip;
  const auto plan = OrThrow(Plan::Compile(FeatureSpec().Add(
      "x", Ragged(DType::kFloat, {{PartitionType::kValueRowids, "ids"}}, "v",
                  DType::kInt64))));
  Decoder decoder(plan, options);
  const std::string hostile = ExampleBuilder()
                                  .Floats("v", {1})
                                  .Int64s("ids", {(int64_t{1} << 31) - 3})
                                  .Build();
  const std::vector<std::string_view> records = {hostile};
  EXPECT_THAT(decoder.Decode(records), HasCode(ErrorCode::kLimit));

  // Twice as many are more than row splits can count, whatever the memory.
  options.limits.max_batch_bytes = ~uint64_t{0} >> 2;
  Decoder generous(plan, options);
  const std::vector<std::string_view> twice = {hostile, hostile};
  EXPECT_THAT(generous.Decode(twice), HasCode(ErrorCode::kLimit));
}

// The budget may end before any array of any tensor.
TEST(TensorMemory, EveryBudgetGivesTheBatchOrALimit) {
  RandomTensors random(/*seed=*/81);
  for (int i = 0; i < 40; ++i) {
    const FeatureSpec spec = random.NextSpec(
        i % 2 == 0 ? MessageType::kExample : MessageType::kSequence);
    const auto plan = OrThrow(Plan::Compile(spec));
    std::vector<std::string> records(i % 4 < 2 ? 1 : 5);
    for (std::string& record : records) record = random.NextRecord(spec);
    const std::vector<std::string_view> views(records.begin(), records.end());
    DecodeOptions options{.on_row_error = OnRowError::kSkip};
    const NaiveTensors whole = TensorsOf(Decoder(plan, options).Decode(views));
    size_t limits = 0;
    for (uint64_t budget = 1, fits = 0; fits < 5; budget += 64) {
      options.limits.max_batch_bytes = budget;
      const auto batch = Decoder(plan, options).Decode(views);
      if (!batch.ok()) {
        ++limits;
        ASSERT_THAT(batch, HasCode(ErrorCode::kLimit));
        continue;
      }
      ++fits;
      EXPECT_EQ(Difference(whole, batch), "") << budget;
    }
    EXPECT_GT(limits, 0u);
  }
}

// Takes every row, whether its tensors will fit or not.
class TakesAll : public decode::RowCheck {
 public:
  ErrorCode Check(column::ColumnSet*, bool) override { return ErrorCode::kOk; }
};

// Decodes one record into a new set, though no RowChecker has asked whether its
// tensors will fit. False where the budget ends before they are made, nothing
// where it ends before that. Values of kind bytes are gone afterwards.
std::optional<bool> AssembleWithin(const Plan& plan, const std::string& record,
                                   column::ColumnSet* columns,
                                   std::vector<Tensor>* tensors) {
  const std::string padded = record + std::string(wire::kSlackBytes, '\0');
  const record::RecordSpan span{
      .payload = reinterpret_cast<const uint8_t*>(padded.data()),
      .size = static_cast<uint32_t>(record.size())};
  columns->Start(plan::Program::Of(plan).slots(), /*keep_nulls=*/false);
  decode::EntryOrder order;
  infer::LateFeatures late;
  TakesAll check;
  const auto end =
      decode::DecodeBlock(plan::Program::Of(plan), {&span, 1},
                          {.check = &check, .order = &order}, columns, &late);
  if (end.code != ErrorCode::kOk || !columns->Seal()) return std::nullopt;
  return tensor::Assemble(plan::Program::Of(plan), columns, /*slabs=*/nullptr,
                          tensors);
}

TEST(TensorMemory, TensorsAreWholeOrNotMade) {
  RandomTensors random(/*seed=*/82);
  size_t failed = 0;
  for (int i = 0; i < 200; ++i) {
    const FeatureSpec spec = random.NextSpec(
        i % 2 == 0 ? MessageType::kExample : MessageType::kSequence);
    const auto plan = Plan::Compile(spec);
    ASSERT_THAT(plan, IsOk());
    const std::string record = random.NextRecord(spec);
    const std::string_view view = record;
    if (!Decoder(*plan).Decode({&view, 1}).ok()) continue;
    for (uint64_t budget = 1, fits = 0; fits < 3; budget += 64) {
      column::ColumnSet columns(budget);
      std::vector<Tensor> tensors;
      const auto is_whole = AssembleWithin(*plan, record, &columns, &tensors);
      fits += is_whole == true;
      failed += is_whole == false;
    }
  }
  EXPECT_GT(failed, 0u);
}

// Arrays that are larger than what is taken of memory at once, so that it may
// end before each.
TEST(TensorMemory, LargeTensorsAreWholeOrNotMade) {
  constexpr size_t kLarge = 20'000;
  std::vector<int64_t> ints(kLarge);
  for (size_t i = 0; i < kLarge; ++i) {
    ints[i] = static_cast<int64_t>(kLarge - i);
  }
  const std::string record = ExampleBuilder().Int64s("x", ints).Build();
  FeatureConfig sparse = Sparse({"x"}, "x", DType::kInt64, {kLarge + 1});
  FeatureConfig list = VarLen(DType::kInt64);
  FeatureConfig padded = list;
  padded.pad_to = kLarge + 1;
  for (FeatureConfig config : {sparse, list, padded, Ragged(DType::kInt64)}) {
    for (const auto as : {DType::kInt64, DType::kInt32}) {
      config.as = as;
      const auto plan = OrThrow(Plan::Compile(FeatureSpec().Add("x", config)));
      size_t fits = 0, failed = 0;
      for (uint64_t budget = 1; fits < 20; budget += 4096) {
        column::ColumnSet columns(budget);
        std::vector<Tensor> tensors;
        const auto is_whole = AssembleWithin(plan, record, &columns, &tensors);
        failed += is_whole == false;
        if (is_whole != true) continue;
        ++fits;
        ASSERT_NE(tensors[0].values, nullptr);
        const bool is_sorted = config.layout == Layout::kSparse;
        const int64_t first = is_sorted ? 1 : ints[0];
        EXPECT_EQ(as == DType::kInt64
                      ? static_cast<const int64_t*>(tensors[0].values)[0]
                      : static_cast<const int32_t*>(tensors[0].values)[0],
                  first);
      }
      EXPECT_TRUE(failed > 0 ||
                  (config.layout == Layout::kRagged && as == DType::kInt64));
    }
  }
}

// The arrays of several rows need some more than their bytes; those of one may
// take all there is.
TEST(TensorMemory, ARowAloneMayTakeTheBudget) {
  FeatureConfig padded = VarLen(DType::kFloat);
  padded.pad_to = 1 << 20;
  const auto plan = OrThrow(Plan::Compile(FeatureSpec().Add("x", padded)));
  DecodeOptions options;
  options.limits.max_batch_bytes = 6 << 20;
  const std::vector<std::string_view> one(1), two(2);
  EXPECT_THAT(Decoder(plan, options).Decode(one), IsOk());
  EXPECT_THAT(Decoder(plan, options).Decode(two), HasCode(ErrorCode::kLimit));
}

}  // namespace
}  // namespace headrace::testing
