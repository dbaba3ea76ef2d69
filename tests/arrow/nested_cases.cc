#include "tests/arrow/nested_cases.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "tests/arrow/column_maker.h"
#include "tests/arrow/tensor_maker.h"

namespace headrace::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;
using Texts = std::vector<std::string_view>;
using Feature = TensorMaker::Feature;

constexpr auto kNone = std::nullopt;

// What the tests pin, and values in it.
constexpr std::string_view kInput =
    "....a value of the input....another value of the input....";
constexpr std::string_view kOne = kInput.substr(4, 20),
                           kTwo = kInput.substr(28, 26);
static_assert(kOne == "a value of the input");
static_assert(kTwo == "another value of the input");
// What they do not.
constexpr std::string_view kDefault = "a default, which no input has";

template <class Maker>
NestedCase Finish(std::string name, std::shared_ptr<Maker> maker,
                  std::string type, std::vector<std::string> rows) {
  return {.name = std::move(name),
          .type = std::move(type),
          .rows = std::move(rows),
          .fields = maker->fields(),
          .batch = maker->batch(),
          .memory = maker};
}

FeatureConfig As(FeatureConfig config, DType dtype) {
  config.as = dtype;
  return config;
}

FeatureConfig Padded(FeatureConfig config, int64_t pad_to) {
  config.pad_to = pad_to;
  return config;
}

Partition Uniform(int64_t length) {
  return {.type = PartitionType::kUniformRowLength,
          .uniform_row_length = length};
}

const Partition kLengths = {.key = "lengths"};

NestedCase SequenceColumns() {
  auto maker = std::make_shared<ColumnMaker>(4);
  maker->Int64s("a", {{{1}}, kNone, Ints(), {{2, 3}}});
  maker->Int64Steps(
      "a",
      {{{{{1, 2}}, kNone, Ints()}}, kNone, CellList<int64_t>(), {{{{3}}}}});
  maker->BytesSteps("b", {{{{{"x", "a value of some length"}}}},
                          {{{{"another value of some length"}}, {{""}}}},
                          CellList<std::string>(),
                          CellList<std::string>()});
  maker->NullSteps("n", {2, kNone, 0, 1});
  return Finish("sequence_columns", maker,
                "{a: list<int64>, ##SEQUENCE##: {a: list<list<int64>>, "
                "b: list<list<BYTES>>, n: list<null>}}",
                {"{a: [1], ##SEQUENCE##: {a: [[1, 2], null, []], "
                 "b: [[\"x\", \"a value of some length\"]], n: [null, null]}}",
                 "{a: null, ##SEQUENCE##: {a: null, "
                 "b: [[\"another value of some length\"], [\"\"]], n: null}}",
                 "{a: [], ##SEQUENCE##: {a: [], b: [], n: []}}",
                 "{a: [2, 3], ##SEQUENCE##: {a: [[3]], b: [], n: [null]}}"});
}

NestedCase EmptyStruct() {
  auto maker = std::make_shared<ColumnMaker>(2);
  maker->Int64s("a", {{{1}}, {{2}}}).SequenceStruct();
  return Finish("empty_struct", maker, "{a: list<int64>, ##SEQUENCE##: {}}",
                {"{a: [1], ##SEQUENCE##: {}}", "{a: [2], ##SEQUENCE##: {}}"});
}

NestedCase OnlyEmptyStruct() {
  auto maker = std::make_shared<ColumnMaker>(1);
  maker->SequenceStruct();
  return Finish("only_empty_struct", maker, "{##SEQUENCE##: {}}",
                {"{##SEQUENCE##: {}}"});
}

NestedCase SequenceWithoutRows() {
  auto maker = std::make_shared<ColumnMaker>(0);
  maker->Int64s("a", {}).Int64Steps("b", {}).BytesSteps("c", {});
  maker->NullSteps("n", {});
  return Finish("sequence_without_rows", maker,
                "{a: list<int64>, ##SEQUENCE##: {b: list<list<int64>>, "
                "c: list<list<BYTES>>, n: list<null>}}",
                {});
}

NestedCase Scalars() {
  auto maker = std::make_shared<TensorMaker>(2);
  const FeatureConfig ints = FixedLen(DType::kInt64);
  const FeatureConfig floats = FixedLen(DType::kFloat);
  const FeatureConfig raw = FixedLen(DType::kBytes);
  maker->Dense<int64_t>({"int64", ints}, {1, -2});
  maker->Dense<int32_t>({"int32", As(ints, DType::kInt32)}, {1, -2});
  maker->Dense<int16_t>({"int16", As(ints, DType::kInt16)}, {1, -2});
  maker->Dense<int8_t>({"int8", As(ints, DType::kInt8)}, {1, -2});
  maker->Dense<uint64_t>({"uint64", As(ints, DType::kUint64)},
                         {1, ~uint64_t{0}});
  maker->Dense<uint32_t>({"uint32", As(ints, DType::kUint32)},
                         {1, ~uint32_t{0}});
  maker->Dense<uint16_t>({"uint16", As(ints, DType::kUint16)}, {1, 65535});
  maker->Dense<uint8_t>({"uint8", As(ints, DType::kUint8)}, {1, 255});
  maker->Dense<float>({"float", floats}, {1, -2.5f});
  maker->Dense<uint16_t>({"float16", As(floats, DType::kFloat16)},
                         {0x3c00, 0xc100});
  maker->Dense<uint16_t>({"bfloat16", As(floats, DType::kBfloat16)},
                         {0x3f80, 0xc020});
  maker->Dense<double>({"float64", As(raw, DType::kFloat64)}, {1, -2.5});
  maker->Dense<uint8_t>({"bool", As(ints, DType::kBool)}, {1, 0});
  maker->Dense<std::string_view>({"bytes", raw}, {kOne, "x"});
  maker->Pin(kInput);
  return Finish(
      "scalars", maker,
      "{int64: int64, int32: int32, int16: int16, int8: int8, uint64: uint64, "
      "uint32: uint32, uint16: uint16, uint8: uint8, float: float, "
      "float16: halffloat, bfloat16: uint16, float64: double, bool: bool, "
      "bytes: BYTES}",
      {"{int64: 1, int32: 1, int16: 1, int8: 1, uint64: 1, uint32: 1, "
       "uint16: 1, uint8: 1, float: 0x3f800000, float16: 0x3c00, "
       "bfloat16: 16256, float64: 0x3ff0000000000000, bool: true, "
       "bytes: \"a value of the input\"}",
       "{int64: -2, int32: -2, int16: -2, int8: -2, "
       "uint64: 18446744073709551615, uint32: 4294967295, uint16: 65535, "
       "uint8: 255, float: 0xc0200000, float16: 0xc100, bfloat16: 49184, "
       "float64: 0xc004000000000000, bool: false, bytes: \"x\"}"});
}

NestedCase Shapes() {
  auto maker = std::make_shared<TensorMaker>(2);
  maker->Dense<int64_t>({"i", FixedLen(DType::kInt64, {2, 2})},
                        {1, 2, 3, 4, 5, 6, 7, 8});
  maker->Dense<int8_t>({"i8", As(FixedLen(DType::kInt64, {2}), DType::kInt8)},
                       {1, 2, 3, 4});
  maker->Dense<float>({"f", FixedLen(DType::kFloat, {1})}, {1, 2});
  maker->Dense<std::string_view>({"b", FixedLen(DType::kBytes, {1, 2})},
                                 {"w", kOne, kTwo, "z"});
  maker->Dense<int64_t>({"none", FixedLen(DType::kInt64, {3, 0})}, {});
  maker->Dense<std::string_view>({"no bytes", FixedLen(DType::kBytes, {0})},
                                 {});
  maker->Dense<int64_t>({"padded", Padded(VarLen(DType::kInt64), 3)},
                        {1, 0, 0, 2, 3, 4});
  maker->Dense<std::string_view>(
      {"padded bytes", Padded(VarLen(DType::kBytes), 2)}, {kOne, {}, {}, {}});
  maker->Pin(kInput);
  return Finish(
      "shapes", maker,
      "{i: tensor[2,2]:fixed[4]<int64>, i8: tensor[2]:fixed[2]<int8>, "
      "f: tensor[1]:fixed[1]<float>, b: fixed[2]<BYTES>, "
      "none: tensor[3,0]:fixed[0]<int64>, no bytes: fixed[0]<BYTES>, "
      "padded: fixed[3]<int64>, padded bytes: fixed[2]<BYTES>}",
      {"{i: [1, 2, 3, 4], i8: [1, 2], f: [0x3f800000], "
       "b: [\"w\", \"a value of the input\"], none: [], no bytes: [], "
       "padded: [1, 0, 0], padded bytes: [\"a value of the input\", \"\"]}",
       "{i: [5, 6, 7, 8], i8: [3, 4], f: [0x40000000], "
       "b: [\"another value of the input\", \"z\"], none: [], no bytes: [], "
       "padded: [2, 3, 4], padded bytes: [\"\", \"\"]}"});
}

// Defaults between values of the input, in one column and in another.
NestedCase Defaults() {
  auto maker = std::make_shared<TensorMaker>(4);
  maker->Dense<std::string_view>({"a", FixedLen(DType::kBytes)},
                                 {kDefault, kOne, kDefault, kTwo});
  maker->Dense<std::string_view>({"b", FixedLen(DType::kBytes)},
                                 {kTwo, kDefault, "short", kDefault});
  maker->Dense<std::string_view>({"c", FixedLen(DType::kBytes)},
                                 Texts(4, kDefault));
  maker->Pin(kInput);
  const std::string one = "\"a value of the input\"";
  const std::string two = "\"another value of the input\"";
  const std::string out = "\"a default, which no input has\"";
  return Finish("defaults", maker, "{a: BYTES, b: BYTES, c: BYTES}",
                {"{a: " + out + ", b: " + two + ", c: " + out + "}",
                 "{a: " + one + ", b: " + out + ", c: " + out + "}",
                 "{a: " + out + ", b: \"short\", c: " + out + "}",
                 "{a: " + two + ", b: " + out + ", c: " + out + "}"});
}

NestedCase ListTensors() {
  auto maker = std::make_shared<TensorMaker>(3);
  maker->Lists<int64_t>({"seq", FixedLenSequence(DType::kInt64)}, {0, 2, 2, 3},
                        {1, 2, 3});
  maker->Lists<float>({"seq1", FixedLenSequence(DType::kFloat, {1})},
                      {0, 1, 1, 2}, {1, 2});
  maker->Lists<int64_t>({"seq22", FixedLenSequence(DType::kInt64, {2, 1})},
                        {0, 4, 4, 6}, {1, 2, 3, 4, 5, 6});
  maker->Lists<std::string_view>({"seqb", FixedLenSequence(DType::kBytes, {2})},
                                 {0, 0, 2, 2}, {kOne, "y"});
  maker->Lists<int32_t>({"var", As(VarLen(DType::kInt64), DType::kInt32)},
                        {0, 0, 1, 2}, {1, -1});
  maker->Lists<std::string_view>({"varb", VarLen(DType::kBytes)}, {0, 2, 2, 2},
                                 {"x", kTwo});
  maker->Lists<int64_t>({"ragged", Ragged(DType::kInt64)}, {0, 1, 1, 3},
                        {1, 2, 3});
  maker->Pin(kInput);
  return Finish(
      "lists", maker,
      "{seq: list<int64>, seq1: list<tensor[1]:fixed[1]<float>>, "
      "seq22: list<tensor[2,1]:fixed[2]<int64>>, seqb: list<fixed[2]<BYTES>>, "
      "var: list<int32>, varb: list<BYTES>, ragged: list<int64>}",
      {"{seq: [1, 2], seq1: [[0x3f800000]], seq22: [[1, 2], [3, 4]], "
       "seqb: [], var: [], varb: [\"x\", \"another value of the input\"], "
       "ragged: [1]}",
       "{seq: [], seq1: [], seq22: [], seqb: [[\"a value of the input\", "
       "\"y\"]], var: [1], varb: [], ragged: []}",
       "{seq: [3], seq1: [[0x40000000]], seq22: [[5, 6]], seqb: [], "
       "var: [-1], varb: [], ragged: [2, 3]}"});
}

NestedCase Partitions() {
  auto maker = std::make_shared<TensorMaker>(2);
  const DType ints = DType::kInt64;
  maker->Ragged<int64_t>({"one", Ragged(ints, {kLengths})},
                         {{0, 2, 3}, {0, 1, 3, 3}}, {}, {1, 2, 3});
  maker->Ragged<std::string_view>(
      {"two64", Ragged(DType::kBytes, {kLengths, kLengths}, "", ints)},
      {{0, 1, 2}, {0, 2, 2}, {0, 1, 3}}, {}, {kOne, "y", "z"});
  maker->Ragged<int64_t>({"tail", Ragged(ints, {kLengths, Uniform(2)})},
                         {{0, 2, 2}, {0, 1, 2}}, {2}, {1, 2, 3, 4});
  maker->Ragged<int64_t>({"tails", Ragged(ints, {Uniform(2), Uniform(1)})},
                         {{0, 1, 2}}, {2, 1}, {1, 2, 3, 4});
  maker->Ragged<int64_t>({"lead", Ragged(ints, {Uniform(2), kLengths})},
                         {{0, 0, 1}, {0, 2}, {0, 1, 3}}, {}, {1, 2, 3});
  maker->Ragged<float>(
      {"mix",
       Ragged(DType::kFloat, {Uniform(1), kLengths, Uniform(2)}, "", ints)},
      {{0, 1, 1}, {0, 1}, {0, 1}}, {2}, {1, 2});
  maker->Pin(kInput);
  return Finish(
      "partitions", maker,
      "{one: list<list<int64>>, two64: list<list<list<BYTES>>>, "
      "tail: list<list<fixed[2]<int64>>>, tails: list<fixed[2]<fixed[1]<int64>>"
      ">, lead: list<list<list<int64>>>, "
      "mix: list<list<list<fixed[2]<float>>>>}",
      {"{one: [[1], [2, 3]], two64: [[[\"a value of the input\"], "
       "[\"y\", \"z\"]]], tail: [[[1, 2]], [[3, 4]]], tails: [[[1], [2]]], "
       "lead: [], mix: [[[[0x3f800000, 0x40000000]]]]}",
       "{one: [[]], two64: [[]], tail: [], tails: [[[3], [4]]], "
       "lead: [[[1], [2, 3]]], mix: []}"});
}

NestedCase SparseTensors() {
  auto maker = std::make_shared<TensorMaker>(3);
  maker->Sparse<float>(
      {"sp", Sparse({"i", "values"}, "v", DType::kFloat, {10, 20})},
      {0, 2, 2, 3}, {0, 1, 2, 0, 3, 4, 2, 5, 6}, {1, 2, 3});
  maker->Sparse<std::string_view>(
      {"spb", Sparse({"i"}, "v", DType::kBytes, {10})}, {0, 0, 1, 2},
      {1, 7, 2, 8}, {kOne, "y"});
  maker->Pin(kInput);
  return Finish(
      "sparse", maker,
      "{sp: {i: list<int64>, values: list<int64>, values: list<float>}, "
      "spb: {i: list<int64>, values: list<BYTES>}}",
      {"{sp: {i: [1, 3], values: [2, 4], values: [0x3f800000, 0x40000000]}, "
       "spb: {i: [], values: []}}",
       "{sp: {i: [], values: [], values: []}, "
       "spb: {i: [7], values: [\"a value of the input\"]}}",
       "{sp: {i: [5], values: [6], values: [0x40400000]}, "
       "spb: {i: [8], values: [\"y\"]}}"});
}

NestedCase Groups() {
  auto maker = std::make_shared<TensorMaker>(2);
  FeatureConfig padded = Padded(VarLen(DType::kFloat), 1);
  padded.present = true;
  maker->Dense<float>(
      {"m", Matrix(DType::kFloat,
                   {{"x", FixedLen(DType::kInt64, {1, 1})}, {"y", padded}})},
      {1, 2, 0, 3, 4, 1});
  const std::vector<NamedFeature> keys = {{"a", Ragged(DType::kInt64)},
                                          {"b", Ragged(DType::kInt64)}};
  maker->Jagged<int8_t>({"j", Jagged(DType::kInt8, keys)}, {2, 0, 1, 1},
                        {1, 2, 3, 4});
  FeatureConfig wide = Jagged(DType::kBool, keys).Weights();
  wide.lengths_dtype = DType::kInt64;
  maker->Jagged<uint8_t>({"w", wide}, {0, 1, 2, 0}, {1, 0, 1}, {1, 2, 1});
  return Finish(
      "groups", maker,
      "{m: tensor[3]:fixed[3]<float>, j: {a: list<int8>, b: list<int8>}, "
      "w: {a: list<{value: bool, weight: float}>, "
      "b: list<{value: bool, weight: float}>}}",
      {"{m: [0x3f800000, 0x40000000, 0x00000000], j: {a: [1, 2], b: [3]}, "
       "w: {a: [], b: [{value: false, weight: 0x40000000}, "
       "{value: true, weight: 0x3f800000}]}}",
       "{m: [0x40400000, 0x40800000, 0x3f800000], j: {a: [], b: [4]}, "
       "w: {a: [{value: true, weight: 0x3f800000}], b: []}}"});
}

NestedCase SequenceTensors() {
  auto maker = std::make_shared<TensorMaker>(2);
  const DType ints = DType::kInt64;
  maker->Dense<int64_t>({"a", FixedLen(ints)}, {1, 2});
  maker->Lists<int64_t>({"a", FixedLenSequence(ints), true}, {0, 2, 3},
                        {1, 2, 3});
  maker->Lists<float>({"shaped", FixedLenSequence(DType::kFloat, {2}), true},
                      {0, 0, 2}, {1, 2, 1, 2});
  maker->Lists<std::string_view>(
      {"bytes", FixedLenSequence(DType::kBytes, {1}), true}, {0, 1, 2},
      {kOne, kTwo});
  maker->Steps<std::string_view>({"var", VarLen(DType::kBytes), true},
                                 {0, 2, 3}, {0, 1, 1, 3}, {"x", "y", "z"});
  maker->Steps<int64_t>({"ragged", Ragged(ints), true}, {0, 0, 2}, {0, 2, 2},
                        {1, 2});
  maker->Ragged<int64_t>(
      {"cut", Ragged(ints, {kLengths, Uniform(1)}, "", ints), true},
      {{0, 2, 2}, {0, 1, 2}, {0, 2, 2}}, {1}, {1, 2});
  maker->Pin(kInput);
  return Finish(
      "sequence_tensors", maker,
      "{a: int64, ##SEQUENCE##: {a: list<int64>, "
      "shaped: list<tensor[2]:fixed[2]<float>>, bytes: list<fixed[1]<BYTES>>, "
      "var: list<list<BYTES>>, ragged: list<list<int64>>, "
      "cut: list<list<list<fixed[1]<int64>>>>}}",
      {"{a: 1, ##SEQUENCE##: {a: [1, 2], shaped: [], "
       "bytes: [[\"a value of the input\"]], var: [[\"x\"], []], ragged: [], "
       "cut: [[[[1], [2]]], [[]]]}}",
       "{a: 2, ##SEQUENCE##: {a: [3], shaped: [[0x3f800000, 0x40000000], "
       "[0x3f800000, 0x40000000]], bytes: [[\"another value of the input\"]], "
       "var: [[\"y\", \"z\"]], ragged: [[1, 2], []], cut: []}}"});
}

NestedCase TensorsWithoutRows() {
  auto maker = std::make_shared<TensorMaker>(0);
  const DType ints = DType::kInt64;
  maker->Dense<int64_t>({"i", FixedLen(ints)}, {});
  maker->Dense<float>({"f", FixedLen(DType::kFloat, {2})}, {});
  maker->Dense<std::string_view>({"b", FixedLen(DType::kBytes)}, {});
  maker->Dense<int64_t>({"p", Padded(VarLen(ints), 2)}, {});
  maker->Lists<int64_t>({"s", FixedLenSequence(ints, {2})}, {0}, {});
  maker->Lists<std::string_view>({"v", VarLen(DType::kBytes)}, {}, {});
  maker->Ragged<int64_t>({"r", Ragged(ints, {kLengths, Uniform(3)}, "", ints)},
                         {{0}, {0}}, {3}, {});
  maker->Sparse<float>({"sp", Sparse({"i"}, "v", DType::kFloat, {5})}, {0}, {},
                       {});
  maker->Dense<float>({"m", Matrix(DType::kFloat, {{"x", FixedLen(ints)}})},
                      {});
  maker->Jagged<float>({"j", Jagged(DType::kFloat, {{"x", Ragged(ints)}})}, {},
                       {});
  maker->Steps<int64_t>({"q", VarLen(ints), true}, {0}, {0}, {});
  return Finish("tensors_without_rows", maker,
                "{i: int64, f: tensor[2]:fixed[2]<float>, b: BYTES, "
                "p: fixed[2]<int64>, s: list<tensor[2]:fixed[2]<int64>>, "
                "v: list<BYTES>, r: list<list<fixed[3]<int64>>>, "
                "sp: {i: list<int64>, values: list<float>}, "
                "m: tensor[1]:fixed[1]<float>, j: {x: list<float>}, "
                "##SEQUENCE##: {q: list<list<int64>>}}",
                {});
}

}  // namespace

const std::vector<NestedCase>& NestedCases() {
  static const auto* const cases =
      new std::vector<NestedCase>{SequenceColumns(), EmptyStruct(),
                                  OnlyEmptyStruct(), SequenceWithoutRows(),
                                  Scalars(),         Shapes(),
                                  Defaults(),        ListTensors(),
                                  Partitions(),      SparseTensors(),
                                  SequenceTensors(), TensorsWithoutRows(),
                                  Groups()};
  return *cases;
}

std::string TypeIn(const NestedCase& c, BytesAs bytes_as) {
  static constexpr std::string_view kNames[] = {"binary", "large_binary",
                                                "binary_view", "string"};
  static constexpr std::string_view kPlaceholder = "BYTES";
  std::string type = c.type;
  for (size_t at = 0;
       (at = type.find(kPlaceholder, at)) != std::string::npos;) {
    type.replace(at, kPlaceholder.size(),
                 kNames[static_cast<size_t>(bytes_as)]);
  }
  return type;
}

}  // namespace headrace::testing
