#include "tests/random/random_groups.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "tests/random/random_lists.h"
#include "tests/support/example_builder.h"

namespace headrace::testing {

namespace {

constexpr DType kTypes[] = {DType::kFloat,    DType::kFloat,  DType::kFloat,
                            DType::kInt32,    DType::kInt32,  DType::kInt64,
                            DType::kInt64,    DType::kInt16,  DType::kInt8,
                            DType::kUint64,   DType::kUint32, DType::kUint16,
                            DType::kUint8,    DType::kBool,   DType::kFloat16,
                            DType::kBfloat16, DType::kFloat64};

bool TakesFloats(DType as) {
  return as == DType::kFloat || as == DType::kFloat64 ||
         as == DType::kFloat16 || as == DType::kBfloat16;
}

}  // namespace

std::string_view VocabularyFiles::WordLines() {
  return "home\nhelp\r\nshop\n \nx\ry\nzwei "
         "Worte\nword-of-seventeen\n\xff\xfe\n"
         "home \nA\nB\nC";
}

std::string_view VocabularyFiles::NumberLines() {
  return "0\n1\r\n-5\n 7 \n+9\n0012\n9223372036854775807\n"
         "-9223372036854775808\n100\n";
}

FeatureSpec RandomGroupSpecs::Next() {
  const size_t kind = random_.Below(20);
  message_ = kind < 9    ? MessageType::kExample
             : kind < 18 ? MessageType::kSequence
             : kind < 19 ? MessageType::kElwc
                         : MessageType::kExampleInExample;
  widths_.clear();
  ways_.clear();
  num_arrays_ = 0;
  FeatureSpec spec(message_);
  const size_t first_plain = random_.Below(8);
  const size_t num_groups = 1 + random_.Below(3);
  for (size_t i = 0; i < num_groups; ++i) {
    if (i == first_plain) AddPlain(&spec);
    spec.Add("g" + std::to_string(i), Group());
  }
  if (random_.OneIn(2)) AddPlain(&spec);
  if (IsListOfExamples(message_)) {
    spec.AddToExamples("of examples", VarLen(DType::kInt64));
  }
  return spec;
}

FeatureConfig RandomGroupSpecs::Group() {
  const DType as = kTypes[random_.Below(std::size(kTypes))];
  FeatureConfig group = random_.OneIn(2) ? Matrix(as, {}) : Jagged(as, {});
  if (group.layout == Layout::kJagged) {
    group.weights = random_.OneIn(2);
    if (random_.OneIn(3)) group.lengths_dtype = DType::kInt64;
  } else {
    group.exact = TakesFloats(as) && random_.OneIn(3);
  }
  names_.clear();
  const size_t num_members = random_.OneIn(4) ? 1 : 1 + random_.Below(6);
  const size_t weighted = random_.Below(num_members);
  for (size_t i = 0; i < num_members; ++i) {
    group.members.push_back(Member(group, i, group.weights && i == weighted));
  }
  return group;
}

NamedFeature RandomGroupSpecs::Member(const FeatureConfig& group, size_t number,
                                      bool must_weigh) {
  NamedFeature member = {.name = "m" + std::to_string(number)};
  std::string key;
  member.config = group.layout == Layout::kMatrix
                      ? MatrixMember(group, &key)
                      : JaggedMember(group, must_weigh, &key);
  SetKey(key, &member);
  names_.insert(member.name);
  return member;
}

// Features of one key without `column` read it in one way.
void RandomGroupSpecs::SetKey(const std::string& key, NamedFeature* member) {
  FeatureConfig& config = member->config;
  const bool is_free = random_.OneIn(3) && !names_.contains(key);
  const auto at = std::pair(config.sequence, key);
  if (is_free &&
      ways_.try_emplace(at, config.layout).first->second == config.layout) {
    if (config.layout == Layout::kRagged && random_.OneIn(2)) {
      config.value_key = key;
    } else {
      member->name = key;
    }
    return;
  }
  config.column = key;
}

DType RandomGroupSpecs::RandomType(const FeatureConfig& group) {
  switch (random_.Below(5)) {
    case 0:
    case 1:
      return DType::kInt64;
    case 2:
      return DType::kBytes;
    default:
      // Most functions of floats end in floats.
      return TakesFloats(*group.as) || random_.OneIn(3) ? DType::kFloat
                                                        : DType::kInt64;
  }
}

std::string RandomGroupSpecs::KeyOf(DType dtype) {
  const char* const kind = dtype == DType::kInt64   ? "i"
                           : dtype == DType::kFloat ? "f"
                                                    : "b";
  return kind + std::to_string(random_.Below(3));
}

// All fixed_len features of one key ask for the same number of values.
int64_t RandomGroupSpecs::WidthOf(const std::string& key) {
  static constexpr int64_t kWidths[] = {0, 1, 1, 1, 1, 2, 3, 4, 17, 40};
  return widths_.try_emplace(key, kWidths[random_.Below(std::size(kWidths))])
      .first->second;
}

FeatureConfig RandomGroupSpecs::Fixed(DType dtype, const std::string& key) {
  const int64_t width = WidthOf(key);
  std::vector<int64_t> shape = {width};
  if (width == 1 && random_.OneIn(2)) shape.clear();
  if (width == 4 && random_.OneIn(2)) shape = {2, 2};
  FeatureConfig config = FixedLen(dtype, std::move(shape));
  if (width > 0 && !random_.OneIn(3)) {
    config.default_values = Default(dtype, width);
  }
  return config;
}

DefaultValues RandomGroupSpecs::Default(DType dtype, int64_t count) {
  std::vector<int64_t> whole;
  std::vector<float> floats;
  std::vector<std::string> bytes;
  for (int64_t i = 0; i < count; ++i) {
    const auto small = static_cast<int64_t>(random_.Below(100));
    whole.push_back(random_.OneIn(300) ? 4097 : small);
    floats.push_back(static_cast<float>(small) / 4);
    bytes.push_back(random_.OneIn(2) ? "home" : "absent");
  }
  if (dtype == DType::kInt64) return whole;
  if (dtype == DType::kFloat) return floats;
  return bytes;
}

FeatureConfig RandomGroupSpecs::MatrixMember(const FeatureConfig& group,
                                             std::string* key) {
  FeatureConfig config;
  if (random_.OneIn(8)) {
    // No other feature reads the key of arrays.
    *key = "z" + std::to_string(num_arrays_++);
    config =
        FixedLen(DType::kBytes, {static_cast<int64_t>(random_.Below(4)),
                                 1 + static_cast<int64_t>(random_.Below(3))});
    config.as = group.as;
    config.encoding = static_cast<Encoding>(random_.Below(3));
  } else {
    const DType dtype = RandomType(group);
    *key = KeyOf(dtype);
    config = Fixed(dtype, *key);
    if (random_.OneIn(3)) {
      config = VarLen(dtype);
      config.pad_to = 1 + static_cast<int64_t>(random_.Below(6));
      config.truncate = !random_.OneIn(3);
    }
    if (dtype == DType::kBytes || random_.OneIn(2)) config.map = Chain(dtype);
  }
  const bool has_values =
      config.pad_to || std::find(config.shape.begin(), config.shape.end(), 0) ==
                           config.shape.end();
  config.present = has_values && random_.OneIn(4);
  return config;
}

FeatureConfig RandomGroupSpecs::JaggedMember(const FeatureConfig& group,
                                             bool must_weigh,
                                             std::string* key) {
  const DType dtype = RandomType(group);
  *key = KeyOf(dtype);
  FeatureConfig config = Ragged(dtype);
  if (random_.OneIn(4)) {
    config = Fixed(dtype, *key);
  } else if (message_ == MessageType::kSequence && random_.OneIn(2)) {
    config.sequence = true;
  }
  if (must_weigh || (group.weights && random_.OneIn(2))) {
    config.weight_key = "w_" + *key;
  }
  if (random_.OneIn(3)) {
    config.first_n = 1 + static_cast<int64_t>(random_.Below(5));
  } else if (random_.OneIn(3)) {
    config.last_n = 1 + static_cast<int64_t>(random_.Below(5));
  }
  if (dtype == DType::kBytes || random_.OneIn(2)) config.map = Chain(dtype);
  return config;
}

std::vector<ValueFunction> RandomGroupSpecs::Chain(DType dtype) {
  std::vector<ValueFunction> chain;
  // Now and then a function follows that does not take what there is.
  for (size_t i = 1 + random_.Below(3); i > 0; --i) {
    const DType type =
        random_.OneIn(200) ? static_cast<DType>(random_.Below(3)) : dtype;
    chain.push_back(Function(type));
    // Keys of another type would be another mistake.
    if (type != dtype && std::holds_alternative<Vocabulary>(chain.back())) {
      chain.back() = HashBucket{5};
    }
    const ValueFunction& last = chain.back();
    if (std::holds_alternative<HashBucket>(last) ||
        std::holds_alternative<Vocabulary>(last) ||
        std::holds_alternative<Bucketize>(last)) {
      break;
    }
    if (!std::holds_alternative<Clip>(last)) dtype = DType::kFloat;
  }
  return chain;
}

ValueFunction RandomGroupSpecs::Function(DType type) {
  const bool is_whole = type == DType::kInt64;
  if (type == DType::kBytes || (is_whole && random_.OneIn(3))) {
    if (random_.OneIn(2)) return RandomVocabulary(type);
    static constexpr int64_t kBuckets[] = {1,   2,    7,   100,
                                           100, 1000, 128, 1 << 20};
    if (random_.OneIn(40)) {
      return HashBucket{std::numeric_limits<int64_t>::max() -
                        static_cast<int64_t>(random_.Below(3))};
    }
    return HashBucket{kBuckets[random_.Below(std::size(kBuckets))]};
  }
  switch (random_.Below(4)) {
    case 0: {
      Bucketize buckets;
      static constexpr float kEdges[] = {
          -std::numeric_limits<float>::infinity(),
          -1e30f,
          -3.0f,
          -0.0f,
          0.0f,
          1e-40f,
          0.7f,
          1.0f,
          9.25f,
          16.0f,
          77.0f,
          16777220.0f,
          9.2233720e18f,
          std::numeric_limits<float>::infinity()};
      for (size_t i = random_.Below(9); i > 0; --i) {
        buckets.boundaries.push_back(kEdges[random_.Below(std::size(kEdges))]);
      }
      std::sort(buckets.boundaries.begin(), buckets.boundaries.end());
      return buckets;
    }
    case 1:
      if (is_whole) {
        int64_t lo = static_cast<int64_t>(random_.Below(60)) - 10;
        int64_t hi = lo + static_cast<int64_t>(random_.Below(100));
        if (random_.OneIn(20)) lo = std::numeric_limits<int64_t>::min();
        if (random_.OneIn(20)) hi = std::numeric_limits<int64_t>::max();
        return Clip{lo, hi};
      } else {
        float lo = static_cast<float>(random_.Below(60)) / 4 - 5;
        float hi = lo + static_cast<float>(random_.Below(100));
        if (random_.OneIn(20)) lo = -std::numeric_limits<float>::infinity();
        if (random_.OneIn(20)) hi = 3e38f;
        return Clip{lo, hi};
      }
    case 2:
      return Log1p{};
    default:
      return Scale{static_cast<float>(random_.Below(300)) * 0.37f - 20,
                   random_.OneIn(10)
                       ? -1e-20f
                       : 0.1f + static_cast<float>(random_.Below(60)) * 0.21f};
  }
}

Vocabulary RandomGroupSpecs::RandomVocabulary(DType dtype) {
  Vocabulary vocabulary;
  const bool is_text = dtype == DType::kBytes;
  if (!files_.words.empty() && random_.OneIn(2)) {
    vocabulary.file = is_text ? files_.words : files_.numbers;
    if (random_.OneIn(3)) {
      vocabulary.size = 1 + static_cast<int64_t>(random_.Below(9));
    }
  } else if (is_text) {
    std::vector<std::string> words = {"home",   "help",     "shop", "absent",
                                      "home\r", "\xff\xfe", "x\ny"};
    words.resize(1 + random_.Below(words.size()));
    vocabulary.keys = std::move(words);
  } else {
    std::vector<int64_t> numbers = {3,
                                    0,
                                    -1,
                                    77,
                                    16,
                                    std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min()};
    numbers.resize(1 + random_.Below(numbers.size()));
    vocabulary.keys = std::move(numbers);
  }
  if (random_.OneIn(3)) {
    vocabulary.default_id =
        random_.OneIn(2) ? -1 : static_cast<int64_t>(random_.Below(140));
  } else {
    vocabulary.oov_buckets = 1 + static_cast<int64_t>(random_.Below(12));
    vocabulary.oov_first = random_.OneIn(2);
  }
  return vocabulary;
}

// Features beside the groups, some of which read keys of members.
void RandomGroupSpecs::AddPlain(FeatureSpec* spec) {
  static constexpr DType kDTypes[] = {DType::kInt64, DType::kFloat,
                                      DType::kBytes};
  const std::string name =
      "plain " + std::to_string(spec->features().size() +
                                spec->sequence_features().size());
  const DType dtype = kDTypes[random_.Below(3)];
  const std::string key = KeyOf(dtype);
  FeatureConfig config = random_.OneIn(2) ? VarLen(dtype) : Ragged(dtype);
  const bool in_sequence =
      message_ == MessageType::kSequence && random_.OneIn(3);
  if (!in_sequence && random_.OneIn(3)) config = Fixed(dtype, key);
  if (!in_sequence && dtype == DType::kInt64 && random_.OneIn(4)) {
    config.as = DType::kInt32;
  }
  config.column = key;
  in_sequence ? spec->AddSequence(name, std::move(config))
              : spec->Add(name, std::move(config));
}

}  // namespace headrace::testing
