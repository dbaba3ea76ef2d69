#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

#include "tests/naive/naive_group_values.h"
#include "tests/random/random_groups.h"
#include "tests/random/random_lists.h"
#include "tests/random/random_tensor_proto.h"
#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"
#include "tests/support/zlib_stream.h"

namespace headrace::testing {

RandomGroupRecords::RandomGroupRecords(const FeatureSpec& spec, uint64_t seed)
    : random_(seed),
      mutator_(seed + 1),
      spellings_(seed + 2, {.max_values = 6}),
      message_(spec.message()) {
  for (const NamedFeature& feature : spec.features()) {
    if (!IsGroup(feature.config.layout)) AddUse(feature, false);
    for (const NamedFeature& member : feature.config.members) {
      AddUse(member, member.config.sequence);
    }
  }
  for (const NamedFeature& feature : spec.sequence_features()) {
    AddUse(feature, true);
  }
}

void RandomGroupRecords::AddUse(const NamedFeature& feature, bool in_sequence) {
  const FeatureConfig& config = feature.config;
  Uses& uses = in_sequence ? lists_ : context_;
  Use& use = uses[feature.key()];
  use.dtype = config.dtype;
  if (config.as && config.dtype == DType::kBytes) use.array = config;
  if (config.layout == Layout::kFixedLen) {
    int64_t width = 1;
    for (const int64_t size : config.shape) {
      width = std::min<int64_t>(width * std::min<int64_t>(size, 1000), 1000);
    }
    use.width = width;
  }
  for (const ValueFunction& function : config.map) AddFunction(function, &use);
  if (!config.weight_key) return;
  use.weights = *config.weight_key;
  Use& weights = uses[*config.weight_key];
  weights.dtype = DType::kFloat;
  weights.is_weight = true;
}

// Values at the bounds of functions are those that show mistakes.
void RandomGroupRecords::AddFunction(const ValueFunction& function, Use* use) {
  if (const auto* vocabulary = std::get_if<Vocabulary>(&function)) {
    for (const auto& [word, line] : NaiveKeys(*vocabulary, use->dtype)) {
      use->words.push_back(word);
      if (use->dtype == DType::kInt64) {
        use->numbers.push_back(std::stoll(word));
      }
    }
  } else if (const auto* clip = std::get_if<Clip>(&function)) {
    for (const Clip::Bound& bound : {clip->lo, clip->hi}) {
      if (const auto* whole = std::get_if<int64_t>(&bound)) {
        use->numbers.push_back(*whole);
      } else {
        use->floats.push_back(std::get<float>(bound));
      }
    }
  } else if (const auto* buckets = std::get_if<Bucketize>(&function)) {
    use->floats.insert(use->floats.end(), buckets->boundaries.begin(),
                       buckets->boundaries.end());
  }
}

int64_t RandomGroupRecords::Int(const Use& use, bool calm) {
  static constexpr int64_t kEdges[] = {
      127,      128,        255,       256,        -1,        -128,
      -129,     32767,      65503,     65519,      65520,     2049,
      257,      INT32_MAX,  INT64_MIN, 16777217,   -16777217, 9007199254740993,
      16777219, 2155872257, INT64_MAX, 4294967296, 33554433,  8421376,
      8421377};
  if (!use.numbers.empty() && random_.OneIn(2)) {
    return use.numbers[random_.Below(use.numbers.size())];
  }
  if (random_.OneIn(calm ? 100000 : 150)) {
    return kEdges[random_.Below(std::size(kEdges))];
  }
  return static_cast<int64_t>(random_.Below(120));
}

float RandomGroupRecords::Float(const Use& use, bool calm) {
  static constexpr float kEdges[] = {65519.996f,
                                     65520.0f,
                                     1e30f,
                                     3.4e38f,
                                     3.3953139e38f,
                                     -0.0f,
                                     -1.0f,
                                     -1.5f,
                                     -std::numeric_limits<float>::infinity(),
                                     std::numeric_limits<float>::infinity(),
                                     6e-8f,
                                     2.9802322e-8f,
                                     1.0009766f,
                                     1.0039063f,
                                     1e-40f,
                                     1.0117188f};
  if (!use.floats.empty() && random_.OneIn(3)) {
    return use.floats[random_.Below(use.floats.size())];
  }
  if (random_.OneIn(calm ? 1000 : 60)) {
    return kEdges[random_.Below(std::size(kEdges))];
  }
  if (random_.OneIn(200)) {  // a NaN
    return std::bit_cast<float>(0x7fc00000u |
                                static_cast<uint32_t>(random_.Bits()));
  }
  if (random_.OneIn(10)) {  // of halves, half way between two
    return static_cast<float>(2049 + random_.Below(500)) / 2048;
  }
  return static_cast<float>(random_.Below(1000)) * 0.37f;
}

std::string RandomGroupRecords::Bytes(const Use& use) {
  if (!use.words.empty() && random_.OneIn(2)) return random_.Pick(use.words);
  static constexpr size_t kSizes[] = {0,  1,  3,  4,  7,  8,   16,  17,  32,
                                      33, 63, 64, 65, 66, 128, 129, 200, 5};
  return random_.Bytes(random_.OneIn(2)
                           ? random_.Below(12)
                           : kSizes[random_.Below(std::size(kSizes))]);
}

std::string RandomGroupRecords::Array(const FeatureConfig& config) {
  if (config.encoding == Encoding::kTensorProto) {
    return RandomTensorProto(*config.as, config.shape, &random_);
  }
  size_t size = DTypeSize(*config.as);
  for (const int64_t length : config.shape) {
    size *= static_cast<size_t>(std::min<int64_t>(length, 100));
  }
  const std::string bytes = random_.Bytes(size);
  return config.encoding == Encoding::kZlib ? ZlibStream(bytes) : bytes;
}

size_t RandomGroupRecords::CountFor(const Use& use, bool calm) {
  if (use.array.as) return 1;
  if (use.width && (calm || !random_.OneIn(60))) {
    return static_cast<size_t>(*use.width);
  }
  return random_.OneIn(30) ? random_.Below(300) : random_.Below(6);
}

std::string RandomGroupRecords::Value(const Use& use, size_t count, bool calm) {
  const bool packed = calm || !random_.OneIn(3);
  if (!calm && random_.OneIn(150)) {  // of any kind
    const auto kind = static_cast<Kind>(random_.Below(4));
    return FeatureOf(kind,
                     kind == Kind::kNull ? "" : spellings_.List(kind, count));
  }
  if (use.dtype == DType::kBytes) {
    std::vector<std::string> values;
    while (values.size() < count) {
      values.push_back(use.array.as ? Array(use.array) : Bytes(use));
    }
    return BytesFeature(values);
  }
  if (use.dtype == DType::kFloat) {
    std::vector<float> values;
    while (values.size() < count) values.push_back(Float(use, calm));
    return FeatureOf(Kind::kFloat,
                     packed ? PackedFloats(values) : UnpackedFloats(values));
  }
  std::vector<int64_t> values;
  while (values.size() < count) values.push_back(Int(use, calm));
  return FeatureOf(Kind::kInt64,
                   packed ? PackedInt64s(values) : UnpackedInt64s(values));
}

// Entries in any order, and more besides.
std::string RandomGroupRecords::Joined(std::vector<std::string> entries,
                                       bool calm) {
  if (!calm && random_.OneIn(4)) {
    for (size_t i = entries.size(); i > 1; --i) {
      std::swap(entries[i - 1], entries[random_.Below(i)]);
    }
  }
  if (!calm && random_.OneIn(8)) {
    entries.insert(entries.begin(), EntryField("other", ""));
  }
  if (!calm && random_.OneIn(20)) entries.push_back(VarintField(9, 7));
  std::string joined;
  for (const std::string& entry : entries) joined += entry;
  return joined;
}

std::string RandomGroupRecords::Context(bool calm) {
  std::vector<std::string> entries;
  std::map<std::string, size_t> counts;  // of weights
  for (const auto& [key, use] : context_) {
    if (use.is_weight) continue;
    const size_t count = CountFor(use, calm);
    const bool is_absent = !calm && random_.OneIn(15);
    if (!use.weights.empty()) counts[use.weights] = is_absent ? 0 : count;
    if (is_absent) continue;
    if (!calm && random_.OneIn(40)) {
      entries.push_back(EntryField(key, FeatureOf(Kind::kNull, "")));
      continue;
    }
    // Of two entries the last one counts.
    if (!calm && random_.OneIn(40)) {
      entries.push_back(EntryField(key, Value(use, random_.Below(4), false)));
    }
    entries.push_back(EntryField(key, Value(use, count, calm)));
  }
  for (const auto& [key, use] : context_) {
    if (!use.is_weight) continue;
    size_t count = counts[key];
    if (!calm && random_.OneIn(50)) count = random_.Below(4);
    if (count == 0 && random_.OneIn(2)) continue;
    entries.push_back(EntryField(key, Value(use, count, calm)));
  }
  return Joined(std::move(entries), calm);
}

std::string RandomGroupRecords::Lists(bool calm) {
  std::vector<std::string> entries;
  for (const auto& [key, use] : lists_) {
    if (use.is_weight) continue;
    if (!calm && random_.OneIn(6)) continue;
    std::vector<std::string> values, weights;
    size_t total = 0;
    for (size_t step = random_.Below(5); step > 0; --step) {
      if (!calm && random_.OneIn(15)) {
        values.push_back(FeatureOf(Kind::kNull, ""));
        continue;
      }
      const size_t count =
          random_.OneIn(20) ? random_.Below(40) : random_.Below(4);
      total += count;
      values.push_back(Value(use, count, calm));
      if (!use.weights.empty()) {
        weights.push_back(Value(lists_.at(use.weights), count, calm));
      }
    }
    if (!use.weights.empty()) {
      // Only the totals of values and weights are compared.
      if (!calm && random_.OneIn(8)) {
        weights = {Value(lists_.at(use.weights), total, calm)};
      }
      if (!calm && random_.OneIn(40)) {
        weights.push_back(Value(lists_.at(use.weights), 1, calm));
      }
      entries.push_back(EntryField(use.weights, FeatureListOf(weights)));
    }
    entries.push_back(EntryField(key, FeatureListOf(values)));
  }
  return Joined(std::move(entries), calm);
}

std::string RandomGroupRecords::Next(bool calm) {
  std::string record = ExampleOf(Context(calm));
  if (message_ == MessageType::kSequence) {
    record += FeatureListsField(Lists(calm));
  } else if (message_ != MessageType::kExample) {
    record = RandomLists::ListOf(
        record, std::vector<std::string>(random_.Below(3)), message_);
  }
  if (calm) return record;
  if (random_.OneIn(30)) record = mutator_.Mutate(record);
  if (random_.OneIn(60)) record.resize(random_.Below(record.size() + 1));
  return record;
}

}  // namespace headrace::testing
