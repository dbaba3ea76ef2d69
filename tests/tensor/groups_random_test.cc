// Random matrix and jagged groups over random records: what they hold is what
// their members hold as plain features, one behind another.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/limits.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "tests/naive/batch_tensors.h"
#include "tests/random/random_example.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr int kGroupSpecs = kInstrumented ? 40 : 400;
constexpr size_t kGroupRows = 40;

// ----------------------------------------------------------------- the oracle

// Bits of a value; any NaN has the same.
constexpr uint64_t kNan = ~uint64_t{0};

// The float of `precision` bits, whose least exponent is `least`, that is
// nearest to a number; empty for a finite number that becomes infinite.
std::optional<uint64_t> ToHalf(float number, int precision, int least) {
  const int fraction = precision - 1;
  const uint64_t sign = std::signbit(number) ? 0x8000 : 0;
  const uint64_t infinity = ((uint64_t{1} << (15 - fraction)) - 1) << fraction;
  if (std::isnan(number)) return kNan;
  if (std::isinf(number)) return sign | infinity;
  int exponent;
  std::frexp(number, &exponent);
  exponent = std::max(exponent - 1, least);
  const auto units = static_cast<uint64_t>(std::nearbyint(
      std::ldexp(std::fabs(double{number}), fraction - exponent)));
  const uint64_t one = uint64_t{1} << fraction;
  const uint64_t bits =
      units < one ? units
                  : (static_cast<uint64_t>(exponent - least + 1) << fraction) +
                        (units - one);
  if (bits >= infinity) return std::nullopt;
  return sign | bits;
}

std::optional<uint64_t> ToFloats(float number, DType to) {
  if (to == DType::kBfloat16) return ToHalf(number, 8, -126);
  if (to == DType::kFloat16) return ToHalf(number, 11, -14);
  if (std::isnan(number)) return kNan;
  if (to == DType::kFloat) return std::bit_cast<uint32_t>(number);
  return std::bit_cast<uint64_t>(double{number});
}

// Whether an integer needs at most `bits` bits, from the highest one that is
// set to the lowest.
bool IsShort(int64_t value, int bits) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value)
                                 : static_cast<uint64_t>(value);
  while (magnitude != 0 && magnitude % 2 == 0) magnitude /= 2;
  return magnitude < uint64_t{1} << bits;
}

std::optional<uint64_t> CastInt(int64_t value, DType to, bool exact) {
  const auto bits = static_cast<uint64_t>(value);
  const auto within = [&](int64_t least, uint64_t most,
                          size_t size) -> std::optional<uint64_t> {
    if (value < least || (value >= 0 && bits > most)) return std::nullopt;
    return size == 8 ? bits : bits & ((uint64_t{1} << (8 * size)) - 1);
  };
  switch (to) {
    case DType::kInt64:
      return bits;
    case DType::kInt32:
      return within(INT32_MIN, INT32_MAX, 4);
    case DType::kInt16:
      return within(INT16_MIN, INT16_MAX, 2);
    case DType::kInt8:
      return within(INT8_MIN, INT8_MAX, 1);
    case DType::kUint64:
      return within(0, UINT64_MAX, 8);
    case DType::kUint32:
      return within(0, UINT32_MAX, 4);
    case DType::kUint16:
      return within(0, UINT16_MAX, 2);
    case DType::kUint8:
      return within(0, UINT8_MAX, 1);
    case DType::kBool:
      return value != 0;
    case DType::kFloat64: {
      const auto number = static_cast<double>(value);
      if (exact && !IsShort(value, 53)) return std::nullopt;
      return std::bit_cast<uint64_t>(number);
    }
    default:
      break;
  }
  const int significand = to == DType::kFloat     ? 24
                          : to == DType::kFloat16 ? 11
                                                  : 8;
  if (exact && !IsShort(value, significand)) return std::nullopt;
  return ToFloats(static_cast<float>(value), to);
}

// What one member has of one record.
struct MemberRow {
  ErrorCode code = ErrorCode::kOk;
  std::vector<uint64_t> values;  // bits, of the group's type
  std::vector<float> weights;
  bool present = false;
};

class MemberOracle {
 public:
  MemberOracle(const NamedFeature& group, const NamedFeature& member,
               MessageType message)
      : group_(group.config), member_(member.config) {
    FeatureConfig values = Ragged(member_.dtype);
    if (member_.layout == Layout::kFixedLen) {
      values = FixedLen(member_.dtype, member_.shape);
      values.default_values = member_.default_values;
    }
    FeatureSpec spec(message);
    Add("v", member.key(), values, &spec);
    if (member_.weight_key) {
      Add("w", *member_.weight_key, Ragged(DType::kFloat), &spec);
    }
    plain_.emplace(OrThrow(Plan::Compile(spec)));
    const Kind kind =
        member_.dtype == DType::kInt64 ? Kind::kInt64 : Kind::kFloat;
    columns_.emplace(OrThrow(Plan::ForColumns(
        {{.name = member.key(), .kind = kind, .in_sequence = member_.sequence}},
        message, member_.sequence)));
  }

  MemberRow Read(std::string_view record) const {
    MemberRow row;
    const auto batch = Decoder(*plain_).Decode({&record, 1});
    if (!batch.ok()) {
      row.code = batch.status().code();
      return row;
    }
    const Tensor& values = *batch->FindTensor("v", member_.sequence);
    const size_t size = values.num_values;
    if (member_.weight_key) {
      const auto weights = batch->FindTensor("w", member_.sequence)->floats();
      row.weights.assign(weights.begin(), weights.end());
    } else {
      row.weights.assign(size, 1.0f);
    }
    const bool is_long = member_.pad_to && !member_.truncate &&
                         size > static_cast<size_t>(*member_.pad_to);
    if (is_long || row.weights.size() != size) {
      row.code = ErrorCode::kWrongCount;
    }
    if (row.code == ErrorCode::kOk) Keep(values, &row);
    if (row.code != ErrorCode::kOk) return row;
    if (member_.pad_to) {
      row.values.resize(static_cast<size_t>(*member_.pad_to));
    }
    const auto columns = Decoder(*columns_).Decode({&record, 1});
    row.present = !columns->columns()[0].IsNull(0);
    return row;
  }

 private:
  void Add(const std::string& name, const std::string& key,
           FeatureConfig config, FeatureSpec* spec) const {
    config.column = key;
    member_.sequence ? spec->AddSequence(name, config)
                     : spec->Add(name, config);
  }
  void Keep(const Tensor& tensor, MemberRow* row) const {
    size_t begin = 0, end = tensor.num_values;
    if (member_.pad_to)
      end = std::min(end, static_cast<size_t>(*member_.pad_to));
    if (member_.first_n) {
      end = std::min(end, static_cast<size_t>(*member_.first_n));
    }
    if (member_.last_n) {
      begin = end - std::min(end, static_cast<size_t>(*member_.last_n));
    }
    for (size_t i = begin; i < end; ++i) {
      const auto bits =
          tensor.dtype == DType::kInt64
              ? CastInt(tensor.int64s()[i], *group_.as, group_.exact)
              : ToFloats(tensor.floats()[i], *group_.as);
      if (!bits) {
        row->code = ErrorCode::kWrongKind;
        return;
      }
      row->values.push_back(*bits);
    }
    row->weights = {row->weights.begin() + static_cast<ptrdiff_t>(begin),
                    row->weights.begin() + static_cast<ptrdiff_t>(end)};
  }

  const FeatureConfig& group_;
  const FeatureConfig& member_;
  std::optional<Plan> plain_;
  std::optional<Plan> columns_;
};

struct GroupRow {
  ErrorCode code = ErrorCode::kOk;
  std::vector<std::vector<MemberRow>> groups;
};

class GroupOracle {
 public:
  explicit GroupOracle(const FeatureSpec& spec) : spec_(spec) {
    for (const NamedFeature& group : spec.features()) {
      auto& members = groups_.emplace_back();
      for (const NamedFeature& member : group.config.members) {
        members.emplace_back(group, member, spec.message());
      }
    }
  }

  // The first error by E2, or all cells.
  GroupRow Read(std::string_view record) const {
    GroupRow row;
    for (const auto& members : groups_) {
      auto& cells = row.groups.emplace_back();
      for (const MemberOracle& member : members) {
        cells.push_back(member.Read(record));
        const ErrorCode code = cells.back().code;
        if (code == ErrorCode::kOk) continue;
        row.code = row.code == ErrorCode::kOk ? code : std::min(row.code, code);
      }
    }
    return row;
  }

  const FeatureSpec& spec() const { return spec_; }

 private:
  const FeatureSpec& spec_;
  std::vector<std::vector<MemberOracle>> groups_;
};

// ----------------------------------------------------------------- comparison

uint64_t BitsOf(const Tensor& tensor, size_t i) {
  const size_t size = DTypeSize(tensor.dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const uint8_t*>(tensor.values) + i * size,
              size);
  const uint64_t magnitude = bits & ~(uint64_t{1} << (8 * size - 1));
  const bool is_nan =
      (tensor.dtype == DType::kFloat && magnitude > 0x7f800000) ||
      (tensor.dtype == DType::kFloat64 && magnitude > uint64_t{0x7ff} << 52) ||
      (tensor.dtype == DType::kFloat16 && magnitude > 0x7c00) ||
      (tensor.dtype == DType::kBfloat16 && magnitude > 0x7f80);
  return is_nan ? kNan : bits;
}

uint64_t BitsOfOne(DType dtype) { return *CastInt(1, dtype, false); }

void ExpectMatrix(const FeatureConfig& config,
                  const std::vector<const std::vector<MemberRow>*>& rows,
                  const Tensor& tensor) {
  std::vector<uint64_t> wanted, found;
  for (const auto* const cells : rows) {
    for (size_t i = 0; i < cells->size(); ++i) {
      const MemberRow& cell = (*cells)[i];
      wanted.insert(wanted.end(), cell.values.begin(), cell.values.end());
      if (!config.members[i].config.present) continue;
      wanted.push_back(cell.present ? BitsOfOne(*config.as) : 0);
    }
  }
  for (size_t i = 0; i < tensor.num_values; ++i) {
    found.push_back(BitsOf(tensor, i));
  }
  EXPECT_EQ(found, wanted);
  ASSERT_EQ(tensor.shape.size(), 2u);
  EXPECT_EQ(tensor.shape[0], static_cast<int64_t>(rows.size()));
  EXPECT_EQ(tensor.shape[0] * tensor.shape[1],
            static_cast<int64_t>(tensor.num_values));
}

std::vector<int64_t> SplitInts(const RowSplits& splits) {
  std::vector<int64_t> ints;
  for (size_t i = 0; i < splits.size; ++i) ints.push_back(splits[i]);
  return ints;
}

void ExpectJagged(const FeatureConfig& config,
                  const std::vector<const std::vector<MemberRow>*>& rows,
                  const Tensor& tensor) {
  std::vector<uint64_t> wanted, found;
  std::vector<uint32_t> wanted_weights, weights;
  std::vector<int64_t> lengths, offsets = {0}, ends;
  std::vector<std::string_view> keys;
  for (size_t k = 0; k < config.members.size(); ++k) {
    keys.push_back(config.members[k].name);
    for (const auto* const cells : rows) {
      const MemberRow& cell = (*cells)[k];
      wanted.insert(wanted.end(), cell.values.begin(), cell.values.end());
      for (const float weight : cell.weights) {
        wanted_weights.push_back(std::bit_cast<uint32_t>(weight));
      }
      lengths.push_back(static_cast<int64_t>(cell.values.size()));
      offsets.push_back(static_cast<int64_t>(wanted.size()));
    }
    ends.push_back(static_cast<int64_t>(wanted.size()));
  }
  for (size_t i = 0; i < tensor.num_values; ++i) {
    found.push_back(BitsOf(tensor, i));
  }
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(SplitInts(tensor.key_lengths), lengths);
  EXPECT_EQ(SplitInts(tensor.key_offsets), offsets);
  EXPECT_EQ(tensor.key_offsets.is_int64, config.lengths_dtype == DType::kInt64);
  EXPECT_THAT(tensor.key_ends, ElementsAreArray(ends));
  EXPECT_THAT(tensor.keys, ElementsAreArray(keys));
  ASSERT_EQ(tensor.weights != nullptr, config.weights);
  if (!config.weights) return;
  for (size_t i = 0; i < tensor.num_values; ++i) {
    weights.push_back(std::bit_cast<uint32_t>(tensor.weights[i]));
  }
  EXPECT_EQ(weights, wanted_weights);
}

void ExpectRows(const FeatureSpec& spec,
                const std::vector<const GroupRow*>& rows, const Batch& batch) {
  ASSERT_EQ(batch.num_rows(), rows.size());
  for (size_t g = 0; g < spec.features().size(); ++g) {
    const NamedFeature& group = spec.features()[g];
    SCOPED_TRACE(group.name);
    const Tensor& tensor = batch.tensors()[g];
    EXPECT_EQ(tensor.dtype, *group.config.as);
    EXPECT_EQ(tensor.name, group.name);
    std::vector<const std::vector<MemberRow>*> cells;
    for (const GroupRow* const row : rows) cells.push_back(&row->groups[g]);
    if (group.config.layout == Layout::kMatrix) {
      EXPECT_EQ(tensor.kind, TensorKind::kDense);
      ExpectMatrix(group.config, cells, tensor);
    } else {
      EXPECT_EQ(tensor.kind, TensorKind::kJagged);
      ExpectJagged(group.config, cells, tensor);
    }
  }
}

// ------------------------------------------------------------------ the cases

constexpr DType kGroupTypes[] = {
    DType::kFloat,   DType::kInt64,  DType::kInt32,   DType::kInt16,
    DType::kInt8,    DType::kUint64, DType::kUint32,  DType::kUint16,
    DType::kUint8,   DType::kBool,   DType::kFloat16, DType::kBfloat16,
    DType::kFloat64, DType::kFloat};
bool TakesFloats(DType as) {
  return as == DType::kFloat || as == DType::kFloat64 ||
         as == DType::kFloat16 || as == DType::kBfloat16;
}

// Specs and records that use the same few keys: i0.. of integers, f0.. of
// floats, w0.. of weights; in feature lists, too.
class GroupCases {
 public:
  explicit GroupCases(uint64_t seed) : random_(seed) {}

  FeatureSpec Spec() {
    FeatureSpec spec(random_.OneIn(2) ? MessageType::kSequence
                                      : MessageType::kExample);
    message_ = spec.message();
    widths_.clear();
    for (size_t i = 1 + random_.Below(3); i > 0; --i) {
      const std::string name = "g" + std::to_string(i);
      const DType as = kGroupTypes[random_.Below(std::size(kGroupTypes))];
      FeatureConfig group = random_.OneIn(2) ? Matrix(as, {}) : Jagged(as, {});
      const bool is_jagged = group.layout == Layout::kJagged;
      if (is_jagged) {
        group.weights = random_.OneIn(2);
        if (random_.OneIn(3)) group.lengths_dtype = DType::kInt64;
      } else {
        group.exact = TakesFloats(as) && random_.OneIn(3);
      }
      for (size_t m = 1 + random_.Below(5); m > 0; --m) {
        NamedFeature member = {"m" + std::to_string(m), {}};
        member.config =
            is_jagged ? JaggedMember(group, m) : MatrixMember(group);
        group.members.push_back(std::move(member));
      }
      spec.Add(name, std::move(group));
    }
    return spec;
  }

  std::string Record() {
    std::string context, lists;
    for (int i = 0; i < 3; ++i) {
      const std::string n = std::to_string(i);
      const size_t weighted = random_.Below(4);
      AddFeature("i" + n, Kind::kInt64, widths_["i" + n], &context);
      AddFeature("f" + n, Kind::kFloat, widths_["f" + n], &context);
      const bool has_weights = !random_.OneIn(8);
      if (has_weights) {
        context += EntryField("u" + n, Value(Kind::kInt64, weighted));
        context += EntryField("w" + n, Value(Kind::kFloat, weighted));
      }
      lists += Steps("i" + n, "w" + n);
    }
    std::string record = ExampleOf(context);
    if (message_ == MessageType::kSequence) record += FeatureListsField(lists);
    return record;
  }

 private:
  FeatureConfig MatrixMember(const FeatureConfig& group) {
    const bool floats = TakesFloats(*group.as) && random_.OneIn(2);
    const DType dtype = floats ? DType::kFloat : DType::kInt64;
    const std::string key =
        (floats ? "f" : "i") + std::to_string(random_.Below(3));
    FeatureConfig config;
    if (random_.OneIn(3)) {
      config = VarLen(dtype);
      config.pad_to = 1 + static_cast<int64_t>(random_.Below(4));
      config.truncate = !random_.OneIn(3);
    } else {
      const size_t width = Width(key);
      config = FixedLen(dtype, {static_cast<int64_t>(width)});
      if (width > 0 && !random_.OneIn(3)) AddDefault(width, &config);
    }
    const bool has_values = config.pad_to || widths_[key] > 0;
    config.present = has_values && random_.OneIn(4);
    config.column = key;
    return config;
  }
  FeatureConfig JaggedMember(const FeatureConfig& group, size_t m) {
    const bool floats = TakesFloats(*group.as) && random_.OneIn(2);
    const DType dtype = floats ? DType::kFloat : DType::kInt64;
    const std::string n = std::to_string(random_.Below(3));
    FeatureConfig config = Ragged(dtype);
    config.column = (floats ? "f" : "i") + n;
    // The last member is the first that must have weights.
    const bool is_weighted = group.weights && (m == 1 || random_.OneIn(2));
    if (is_weighted) {
      config.dtype = DType::kInt64;
      config.column = "u" + n;
      config.WeightKey("w" + n);
    } else if (random_.OneIn(4)) {
      const size_t width = Width(*config.column);
      const std::string key = *config.column;
      config = FixedLen(dtype, {static_cast<int64_t>(width)});
      config.column = key;
      if (width > 0 && random_.OneIn(2)) AddDefault(width, &config);
    }
    if (message_ == MessageType::kSequence && random_.OneIn(3) &&
        config.layout == Layout::kRagged) {
      config.dtype = DType::kInt64;
      config.column = "i" + n;
      config.Sequence();
    }
    const auto count = 1 + static_cast<int64_t>(random_.Below(4));
    if (random_.OneIn(3)) {
      config.first_n = count;
    } else if (random_.OneIn(3)) {
      config.last_n = count;
    }
    return config;
  }
  // All fixed_len features of one key ask for the same number of values.
  size_t Width(const std::string& key) {
    return widths_
        .try_emplace(key, random_.Below(8) == 0 ? 20 : random_.Below(4))
        .first->second;
  }
  // Fits every type.
  void AddDefault(size_t width, FeatureConfig* config) {
    if (config->dtype == DType::kFloat) {
      std::vector<float> values;
      while (values.size() < width) {
        values.push_back(static_cast<float>(random_.Below(9)) / 4);
      }
      config->Default(std::move(values));
    } else {
      std::vector<int64_t> values;
      while (values.size() < width) {
        values.push_back(static_cast<int64_t>(random_.Below(100)));
      }
      config->Default(std::move(values));
    }
  }

  int64_t Int() {
    static constexpr int64_t kEdges[] = {
        127,       128,       255,       256,      -1,        -128,
        -129,      32767,     65503,     65519,    65520,     2049,
        257,       INT32_MAX, INT64_MIN, 16777217, -16777217, 9007199254740993,
        INT64_MAX, 4294967296};
    if (random_.OneIn(150)) return kEdges[random_.Below(std::size(kEdges))];
    return static_cast<int64_t>(random_.Below(120));
  }
  float Float() {
    static constexpr float kEdges[] = {
        65519.996f, 65520.0f, 1e30f,     3.4e38f,       -0.0f,
        INFINITY,   NAN,      6e-8f,     2.9802322e-8f, 1.0009766f,
        1.0039063f, 1e-40f,   1.0117188f};
    if (random_.OneIn(100)) return kEdges[random_.Below(std::size(kEdges))];
    return static_cast<float>(random_.Below(1000)) * 0.37f;
  }
  std::string Value(Kind kind, size_t count) {
    if (kind == Kind::kFloat) {
      std::vector<float> values;
      while (values.size() < count) values.push_back(Float());
      return FloatFeature(values);
    }
    std::vector<int64_t> values;
    while (values.size() < count) values.push_back(Int());
    return Int64Feature(values);
  }
  void AddFeature(const std::string& key, Kind kind, size_t width,
                  std::string* entries) {
    if (random_.OneIn(20)) return;
    if (random_.OneIn(40)) {
      *entries += EntryField(key, FeatureOf(Kind::kNull, ""));
      return;
    }
    if (random_.OneIn(200)) {
      kind = kind == Kind::kFloat ? Kind::kInt64 : Kind::kFloat;
    }
    const bool has_width = widths_.contains(key) && width > 0;
    const size_t count =
        has_width && !random_.OneIn(80) ? width : random_.Below(5);
    *entries += EntryField(key, Value(kind, count));
  }
  // Lists of values and of their weights, step by step.
  std::string Steps(const std::string& key, const std::string& weights) {
    if (random_.OneIn(6)) return {};
    std::vector<std::string> values, beside;
    for (size_t step = random_.Below(4); step > 0; --step) {
      if (random_.OneIn(10)) {
        values.push_back(FeatureOf(Kind::kNull, ""));
        continue;
      }
      const size_t count = random_.Below(3);
      const Kind kind = random_.OneIn(150) ? Kind::kFloat : Kind::kInt64;
      values.push_back(Value(kind, count));
      beside.push_back(Value(Kind::kFloat, count));
    }
    if (random_.OneIn(40)) beside.push_back(Value(Kind::kFloat, 1));
    return EntryField(key, FeatureListOf(values)) +
           EntryField(weights, FeatureListOf(beside));
  }

  Random random_;
  MessageType message_ = MessageType::kExample;
  std::map<std::string, size_t> widths_;
};

// A spec, its records, and what they are.
struct GroupCase {
  explicit GroupCase(uint64_t seed)
      : cases(seed), spec(cases.Spec()), oracle(spec) {
    while (records.size() < kGroupRows) {
      records.push_back(cases.Record());
      rows.push_back(oracle.Read(records.back()));
    }
  }
  std::vector<const GroupRow*> GoodRows(size_t begin, size_t end) const {
    std::vector<const GroupRow*> good;
    for (size_t i = begin; i < end; ++i) {
      if (rows[i].code == ErrorCode::kOk) good.push_back(&rows[i]);
    }
    return good;
  }

  GroupCases cases;
  FeatureSpec spec;
  GroupOracle oracle;
  std::vector<std::string> records;
  std::vector<GroupRow> rows;
};

void ExpectSkipping(const GroupCase& given, const Plan& plan) {
  Decoder decoder(plan, {.on_row_error = OnRowError::kSkip});
  const std::vector<std::string_view> views(given.records.begin(),
                                            given.records.end());
  const auto batch = decoder.Decode(views);
  ASSERT_THAT(batch, IsOk());
  size_t skipped = 0;
  for (size_t i = 0; i < given.rows.size(); ++i) {
    if (given.rows[i].code == ErrorCode::kOk) continue;
    ASSERT_LT(skipped, decoder.skipped().size()) << "row " << i;
    const Status& status = decoder.skipped()[skipped++];
    EXPECT_EQ(status.info()->record, i);
    EXPECT_EQ(NameOf(status.code()), NameOf(given.rows[i].code))
        << "row " << i << ": " << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr("\"g"));
  }
  EXPECT_EQ(skipped, decoder.skipped().size());
  ExpectRows(given.spec, given.GoodRows(0, kGroupRows), *batch);
}

void ExpectFailing(const GroupCase& given, const Plan& plan) {
  const std::vector<std::string_view> views(given.records.begin(),
                                            given.records.end());
  Decoder decoder(plan);
  const auto batch = decoder.Decode(views);
  const auto bad = std::find_if(
      given.rows.begin(), given.rows.end(),
      [](const GroupRow& row) { return row.code != ErrorCode::kOk; });
  if (bad == given.rows.end()) {
    EXPECT_THAT(batch, IsOk());
    return;
  }
  EXPECT_THAT(batch, IsError(bad->code, {.record = static_cast<uint64_t>(
                                             bad - given.rows.begin())}));
}

// Each row alone, with a guard page behind it.
void ExpectGuarded(const GroupCase& given, const Plan& plan) {
  for (const bool padded : {false, true}) {
    Decoder decoder(plan, {.padded_input = padded});
    for (size_t i = 0; i < given.records.size(); ++i) {
      GuardedBytes guarded(given.records[i].size() + kPadding);
      const std::string_view view =
          guarded.PlaceAtEnd(given.records[i], padded ? kPadding : 0);
      const auto batch = decoder.Decode({&view, 1});
      EXPECT_EQ(NameOf(batch.status().code()), NameOf(given.rows[i].code));
      if (batch.ok()) ExpectRows(given.spec, {&given.rows[i]}, *batch);
    }
  }
}

void ExpectReading(const GroupCase& given, const Plan& plan, size_t threads,
                   size_t batch_size) {
  const TemporaryFile file(RecordFile(given.records));
  ReadOptions options = {.batch_size = batch_size,
                         .on_row_error = OnRowError::kSkip,
                         .threads = threads};
  auto reader = OrThrow(Reader::Open({file.path()}, plan, options));
  size_t next = 0;
  while (true) {
    const auto batch = reader.Next();
    ASSERT_THAT(batch, IsOk());
    if (!batch) break;
    std::vector<const GroupRow*> rows;
    for (; next < kGroupRows && rows.size() < batch->num_rows(); ++next) {
      if (given.rows[next].code == ErrorCode::kOk) {
        rows.push_back(&given.rows[next]);
      }
    }
    ExpectRows(given.spec, rows, *batch);
  }
  EXPECT_THAT(given.GoodRows(next, kGroupRows), IsEmpty());
}

TEST(GroupsRandom, AreTheirMembers) {
  size_t good = 0;
  for (int seed = 0; seed < kGroupSpecs; ++seed) {
    SCOPED_TRACE(seed);
    const GroupCase given(static_cast<uint64_t>(seed));
    SCOPED_TRACE(given.spec.ToJson());
    const auto plan = Plan::Compile(given.spec);
    ASSERT_THAT(plan, IsOk());
    good += given.GoodRows(0, kGroupRows).size();
    ExpectSkipping(given, *plan);
    ExpectFailing(given, *plan);
    if (seed % 8 == 0) ExpectGuarded(given, *plan);
    if (seed % 4 == 0) {
      ExpectReading(given, *plan, 1 + static_cast<size_t>(seed) % 3,
                    1 + static_cast<size_t>(seed) % 7);
    }
    if (HasFailure()) return;
  }
  // Neither all rows are bad, nor all good.
  EXPECT_GT(good, kGroupSpecs * kGroupRows / 4);
  EXPECT_LT(good, kGroupSpecs * kGroupRows * 9 / 10);
}

TEST(GroupsRandom, OnEveryTarget) {
  for (int seed = 0; seed < 10; ++seed) {
    const GroupCase given(static_cast<uint64_t>(seed) + 1000);
    const auto plan = OrThrow(Plan::Compile(given.spec));
    ForEachTarget([&] { ExpectSkipping(given, plan); });
  }
}

}  // namespace
}  // namespace headrace::testing
