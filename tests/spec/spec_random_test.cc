// Any spec survives ToJson and FromJson.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/feature_spec.h"
#include "tests/support/matchers.h"
#include "tests/support/words.h"

namespace headrace::testing {
namespace {

using namespace std::string_view_literals;

class SpecMaker {
 public:
  explicit SpecMaker(uint32_t seed) : random_(seed) {}

  FeatureSpec Spec() {
    FeatureSpec spec(Coin() ? MessageType::kSequence : MessageType::kExample);
    for (size_t i = Below(6); i > 0; --i) spec.Add(Text(), Config());
    if (spec.message() == MessageType::kSequence) {
      for (size_t i = Below(4); i > 0; --i) spec.AddSequence(Text(), Config());
    }
    return spec;
  }

 private:
  uint64_t Bits() { return random_(); }
  size_t Below(size_t n) { return static_cast<size_t>(Bits() % n); }
  bool Coin() { return Below(2) == 0; }

  // Of characters that JSON or terminals care about, among others.
  std::string Text() {
    static const std::vector<std::string> kPieces = Split(
        "a|Z|_|\"|\\|/|\n|\x1b|\x7f|\0|\u0080|\u009f|\u00a0|"
        "\u00e9|\u20ac|\uffff|\U0001f642|\U0010ffff|"
        "{\"b64\": \"\"}|0x7fc00001"sv,
        '|');
    std::string text;
    for (size_t i = Below(6); i > 0; --i) {
      text += kPieces[Below(kPieces.size())];
    }
    return text;
  }
  std::string Bytes() {
    if (Coin()) return Text();
    std::string bytes;
    for (size_t i = Below(8); i > 0; --i) {
      bytes.push_back(static_cast<char>(Bits()));
    }
    return bytes;
  }
  // All magnitudes.
  int64_t Int() {
    const int64_t value = static_cast<int64_t>(Bits() >> Below(64));
    return Coin() ? value : -value;
  }
  float Float() {
    while (true) {
      const auto value = std::bit_cast<float>(static_cast<uint32_t>(Bits()));
      // NaNs are tested elsewhere: they are not equal to themselves.
      if (!std::isnan(value)) return value;
    }
  }
  template <class Make>
  auto List(Make make) {
    std::vector<decltype(make())> list;
    for (size_t i = Below(4); i > 0; --i) list.push_back(make());
    return list;
  }
  std::vector<int64_t> Ints() {
    return List([this] { return Int(); });
  }
  DefaultValues Default(DType dtype) {
    if (dtype == DType::kInt64) return Ints();
    if (dtype == DType::kFloat) return List([this] { return Float(); });
    return List([this] { return Bytes(); });
  }
  Partition MakePartition() {
    const auto type = static_cast<PartitionType>(Below(6));
    if (type == PartitionType::kUniformRowLength) return {type, "", Int()};
    return {type, Text()};
  }

  DType WireType() {
    static constexpr DType kWire[] = {DType::kInt64, DType::kFloat,
                                      DType::kBytes};
    return kWire[Below(3)];
  }

  // Any functions, in any order.
  ValueFunction Function(DType dtype) {
    switch (Below(6)) {
      case 0:
        return HashBucket{Int()};
      case 1:
        return Words(dtype);
      case 2:
        return Bucketize{List([this] { return Float(); })};
      case 3:
        if (dtype == DType::kInt64) return Clip{Int(), Int()};
        return Clip{Float(), Float()};
      case 4:
        return Log1p{};
      default:
        return Scale{Float(), Float()};
    }
  }
  Vocabulary Words(DType dtype) {
    Vocabulary words;
    if (Coin()) {
      words.file = Text();
      if (Coin()) words.size = Int();
    } else {
      words.keys = Default(dtype);
    }
    if (Coin()) words.oov_buckets = Int();
    if (Coin()) words.default_id = Int();
    words.oov_first = Coin();
    return words;
  }

  // A fixed_len member or another one.
  NamedFeature Member(const FeatureConfig& other) {
    const DType dtype = WireType();
    NamedFeature member{Text(), Coin() ? FixedLen(dtype, Ints()) : other};
    FeatureConfig& config = member.config;
    config.dtype = dtype;
    if (config.layout == Layout::kFixedLen && Coin()) {
      config.Default(Default(dtype));
    }
    if (Coin()) config.column = Text();
    config.map = List([&] { return Function(dtype); });
    return member;
  }
  NamedFeature MatrixMember() {
    NamedFeature member = Member(VarLen(DType::kInt64));
    FeatureConfig& config = member.config;
    if (config.layout == Layout::kVarLen && Coin()) config.pad_to = Int();
    config.present = Coin();
    return member;
  }
  NamedFeature JaggedMember() {
    NamedFeature member = Member(Ragged(DType::kInt64));
    FeatureConfig& config = member.config;
    if (Coin()) config.first_n = Int();
    if (Coin()) config.last_n = Int();
    if (Coin()) config.weight_key = Text();
    if (config.layout == Layout::kRagged) config.sequence = Coin();
    return member;
  }

  FeatureConfig Base(DType dtype) {
    switch (static_cast<Layout>(Below(7))) {
      case Layout::kFixedLen:
        return FixedLen(dtype, Ints());
      case Layout::kFixedLenSequence:
        return FixedLenSequence(dtype, Ints(), Coin());
      case Layout::kVarLen:
        return VarLen(dtype);
      case Layout::kSparse:
        return Sparse(List([this] { return Text(); }), Text(), dtype, Ints(),
                      Coin());
      case Layout::kRagged:
        return Ragged(dtype, List([this] { return MakePartition(); }), Text(),
                      Coin() ? DType::kInt32 : DType::kInt64);
      case Layout::kMatrix: {
        FeatureConfig matrix = Matrix(static_cast<DType>(1 + Below(14)),
                                      List([this] { return MatrixMember(); }));
        matrix.exact = Coin();
        return matrix;
      }
      case Layout::kJagged: {
        FeatureConfig jagged = Jagged(static_cast<DType>(1 + Below(14)),
                                      List([this] { return JaggedMember(); }));
        jagged.weights = Coin();
        if (Coin()) jagged.lengths_dtype = DType::kInt64;
        return jagged;
      }
    }
    return {};
  }
  FeatureConfig Config() {
    const DType dtype = WireType();
    FeatureConfig config = Base(dtype);
    if (IsGroup(config.layout)) return config;
    const bool is_fixed = config.layout == Layout::kFixedLen ||
                          config.layout == Layout::kFixedLenSequence;
    if (is_fixed && Coin()) config.Default(Default(dtype));
    if (config.layout == Layout::kVarLen) {
      if (Coin()) config.pad_to = Int();
      config.truncate = Coin();
    }
    if (config.layout == Layout::kSparse) config.check_indices = Coin();
    if (Coin()) config.column = Text();
    if (Coin()) config.as = static_cast<DType>(1 + Below(14));
    config.as_bits = Coin();
    if (config.layout == Layout::kRagged) {
      if (Coin()) config.shape = Ints();
      if (Coin()) config.item_shape = Ints();
      if (Coin()) config.item_shape_key = Text();
      if (Coin()) config.group = Text();
    }
    const bool is_encoded =
        config.layout == Layout::kFixedLen || config.layout == Layout::kRagged;
    if (is_encoded) config.encoding = static_cast<Encoding>(Below(3));
    config.map = List([&] { return Function(dtype); });
    return config;
  }

  std::mt19937_64 random_;
};

TEST(SpecRandomTest, JsonAndBack) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const FeatureSpec spec = SpecMaker(seed).Spec();
    const std::string json = spec.ToJson();
    const auto read = OrThrow(FeatureSpec::FromJson(json));
    ASSERT_EQ(read, spec) << seed << "\n" << json;
    ASSERT_EQ(read.ToJson(), json) << seed;
  }
}

}  // namespace
}  // namespace headrace::testing
