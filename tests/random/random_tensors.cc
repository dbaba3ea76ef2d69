#include "tests/random/random_tensors.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <variant>

#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

constexpr size_t kExtraInt64Keys = 6;

DType DTypeOf(Kind kind) {
  if (kind == Kind::kBytes) return DType::kBytes;
  return kind == Kind::kFloat ? DType::kFloat : DType::kInt64;
}

size_t NumElements(const std::vector<int64_t>& shape) {
  int64_t product = 1;
  for (int64_t dimension : shape) product *= dimension;
  return static_cast<size_t>(product);
}

}  // namespace

RandomTensors::Pool RandomTensors::AllKeys() const {
  Pool pool;
  const std::vector<std::string>& keys = RandomExample::Keys();
  for (size_t i = 0; i < keys.size(); ++i) {
    pool[static_cast<size_t>(RandomExample::KindOfKey(i))].push_back(keys[i]);
  }
  for (size_t i = 0; i < kExtraInt64Keys; ++i) {
    pool[static_cast<size_t>(Kind::kInt64)].push_back("p" + std::to_string(i));
  }
  return pool;
}

std::string RandomTensors::Take(Kind kind, Pool* pool) {
  std::vector<std::string>& keys = (*pool)[static_cast<size_t>(kind)];
  if (keys.empty()) return "spare" + std::to_string(spares_++);
  const size_t i = random_.Below(keys.size());
  std::string key = keys[i];
  keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(i));
  return key;
}

FeatureSpec RandomTensors::NextSpec(MessageType message) {
  FeatureSpec spec(message);
  AddFeatures(/*in_sequence=*/false, &spec);
  if (message == MessageType::kSequence) {
    AddFeatures(/*in_sequence=*/true, &spec);
  }
  return spec;
}

void RandomTensors::AddFeatures(bool in_sequence, FeatureSpec* spec) {
  Pool pool = AllKeys();
  for (size_t i = 1 + random_.Below(4); i > 0; --i) {
    const auto kind = static_cast<Kind>(1 + random_.Below(3));
    if (pool[static_cast<size_t>(kind)].empty()) continue;
    const std::string key = Take(kind, &pool);
    Layout layout = RandomLayout(in_sequence, spec->message());
    // TensorFlow has no way to name this key there.
    if (key.empty() &&
        (layout == Layout::kRagged || layout == Layout::kSparse)) {
      layout = Layout::kVarLen;
    }
    FeatureConfig config =
        RandomConfig(layout, kind, in_sequence, spec->message(), &pool);
    const std::string other = "t" + std::to_string(i);
    const bool composite =
        layout == Layout::kSparse || layout == Layout::kRagged;
    if (composite) config.value_key = key;
    if (composite && random_.OneIn(2)) {
      Add(other, std::move(config), in_sequence, spec);
    } else {
      Add(key, std::move(config), in_sequence, spec);
    }
    // The same key once more, under a name of its own.
    const bool is_inflated =
        spec->features().empty()
            ? false
            : spec->features().back().config.encoding == Encoding::kZlib;
    if (!random_.OneIn(4) || is_inflated) continue;
    FeatureConfig shared = RandomVarLen(DTypeOf(kind), in_sequence);
    shared.column = key;
    if (random_.OneIn(3)) RandomMap(DTypeOf(kind), &shared);
    Add("again " + other, std::move(shared), in_sequence, spec);
  }
}

void RandomTensors::Add(std::string name, FeatureConfig config,
                        bool in_sequence, FeatureSpec* spec) {
  if (in_sequence) {
    spec->AddSequence(std::move(name), std::move(config));
  } else {
    spec->Add(std::move(name), std::move(config));
  }
}

Layout RandomTensors::RandomLayout(bool in_sequence, MessageType message) {
  if (in_sequence) {
    return random_.Pick<Layout>(
        {Layout::kFixedLenSequence, Layout::kVarLen, Layout::kRagged});
  }
  if (message == MessageType::kSequence) {
    return random_.Pick<Layout>(
        {Layout::kFixedLen, Layout::kVarLen, Layout::kRagged});
  }
  return static_cast<Layout>(random_.Below(5));
}

FeatureConfig RandomTensors::RandomConfig(Layout layout, Kind kind,
                                          bool in_sequence, MessageType message,
                                          Pool* pool) {
  const DType dtype = DTypeOf(kind);
  FeatureConfig config;
  switch (layout) {
    case Layout::kFixedLen:
      config = RandomFixedLen(dtype, message);
      break;
    case Layout::kFixedLenSequence:
      config = RandomSequence(dtype, in_sequence);
      break;
    case Layout::kVarLen:
      config = RandomVarLen(dtype, in_sequence);
      break;
    case Layout::kSparse:
      config = RandomSparse(dtype, pool);
      break;
    case Layout::kMatrix:
    case Layout::kJagged:  // never random
      break;
    case Layout::kRagged:
      if (dtype == DType::kBytes && !in_sequence && random_.OneIn(2)) {
        return RandomArrays(dtype, pool);
      }
      config = RandomRagged(dtype, pool);
      if (random_.OneIn(2)) RandomShape(&config);
      if (!in_sequence && random_.OneIn(3)) config.group = "group";
      break;
  }
  if (random_.OneIn(4)) {
    RandomCast(dtype, &config);
  } else if (random_.OneIn(4)) {
    RandomMap(dtype, &config);
  }
  return config;
}

DefaultValues RandomTensors::RandomDefault(DType dtype, size_t count) {
  std::vector<int64_t> int64s;
  std::vector<float> floats;
  std::vector<std::string> bytes;
  for (size_t i = 0; i < count; ++i) {
    int64s.push_back(random_.Int64());
    floats.push_back(
        std::bit_cast<float>(static_cast<uint32_t>(random_.Bits())));
    bytes.push_back(random_.Bytes(random_.Below(20)));
  }
  if (dtype == DType::kInt64) return int64s;
  if (dtype == DType::kFloat) return floats;
  return bytes;
}

FeatureConfig RandomTensors::RandomFixedLen(DType dtype, MessageType message) {
  std::vector<std::vector<int64_t>> shapes = {{}, {}, {1}, {2}, {3}, {2, 2}};
  // What an unset one would be there is for TensorFlow to say.
  if (message == MessageType::kExample) shapes.push_back({2, 0});
  FeatureConfig config = FixedLen(dtype, random_.Pick(shapes));
  const size_t count = NumElements(config.shape);
  if (count != 0 && random_.OneIn(2)) {
    config.Default(RandomDefault(dtype, count));
  }
  return config;
}

FeatureConfig RandomTensors::RandomSequence(DType dtype, bool in_sequence) {
  FeatureConfig config = FixedLenSequence(
      dtype,
      random_.Pick<std::vector<int64_t>>({{}, {}, {1}, {2}, {3}, {1, 2}}),
      /*allow_missing=*/true);
  if (in_sequence) {
    config.allow_missing = !random_.OneIn(3);
  } else if (random_.OneIn(3)) {
    config.Default(RandomDefault(dtype, 1));
  }
  return config;
}

FeatureConfig RandomTensors::RandomVarLen(DType dtype, bool in_sequence) {
  FeatureConfig config = VarLen(dtype);
  if (!in_sequence && random_.OneIn(4)) {
    config.pad_to = 1 + static_cast<int64_t>(random_.Below(6));
    config.truncate = random_.OneIn(2);
  }
  return config;
}

FeatureConfig RandomTensors::RandomSparse(DType dtype, Pool* pool) {
  std::vector<std::string> index_keys;
  std::vector<int64_t> size;
  for (size_t i = 1 + random_.Below(3); i > 0; --i) {
    if ((*pool)[static_cast<size_t>(Kind::kInt64)].empty() &&
        !index_keys.empty()) {
      break;
    }
    index_keys.push_back(Take(Kind::kInt64, pool));
    size.push_back(1 + static_cast<int64_t>(random_.Below(20)));
  }
  FeatureConfig config = Sparse(std::move(index_keys), "", dtype,
                                std::move(size), random_.OneIn(3));
  config.check_indices = random_.OneIn(4);
  return config;
}

FeatureConfig RandomTensors::RandomRagged(DType dtype, Pool* pool) {
  std::vector<Partition> partitions;
  for (size_t i = random_.Below(4); i > 0; --i) {
    const auto type = static_cast<PartitionType>(random_.Below(6));
    if (type == PartitionType::kUniformRowLength ||
        (*pool)[static_cast<size_t>(Kind::kInt64)].empty()) {
      partitions.push_back(
          {.type = PartitionType::kUniformRowLength,
           .uniform_row_length = 1 + static_cast<int64_t>(random_.Below(3))});
    } else {
      partitions.push_back({.type = type, .key = Take(Kind::kInt64, pool)});
    }
  }
  return Ragged(dtype, std::move(partitions), "",
                random_.OneIn(2) ? DType::kInt32 : DType::kInt64);
}

// At most one dimension stays unknown behind the partitions.
void RandomTensors::RandomShape(FeatureConfig* config) {
  size_t cuts = config->partitions.size();
  std::vector<int64_t> shape;
  for (size_t i = 0; i < cuts + 1; ++i) {
    shape.push_back(
        random_.OneIn(3) ? 1 + static_cast<int64_t>(random_.Below(3)) : -1);
  }
  for (size_t i = 0; i < cuts; ++i) {
    const Partition& partition = config->partitions[i];
    if (partition.type != PartitionType::kUniformRowLength) continue;
    shape[i + 1] = partition.uniform_row_length;
  }
  const bool is_known =
      std::find(shape.begin(), shape.end(), -1) == shape.end();
  for (size_t i = random_.Below(3); i > 0; --i) {
    shape.push_back(1 + static_cast<int64_t>(random_.Below(3)));
  }
  if (is_known && random_.OneIn(2)) {
    shape.push_back(-1);
  } else if (cuts > 0 && random_.OneIn(8) &&
             config->partitions[cuts - 1].type == PartitionType::kRowLengths) {
    shape.push_back(0);
  }
  if (cuts == 0 && random_.OneIn(3)) {
    std::swap(shape[0], shape[random_.Below(shape.size())]);
  }
  config->shape = std::move(shape);
}

void RandomTensors::RandomCast(DType dtype, FeatureConfig* config) {
  if (dtype == DType::kInt64) {
    config->as =
        random_.Pick<DType>({DType::kBool, DType::kBool, DType::kUint64,
                             DType::kUint64, DType::kInt32, DType::kInt8});
    config->as_bits = config->as == DType::kUint64 && !random_.OneIn(4);
  } else if (dtype == DType::kFloat) {
    config->as = random_.Pick<DType>(
        {DType::kFloat64, DType::kFloat16, DType::kBfloat16});
  } else if (config->layout == Layout::kFixedLen) {
    config->encoding = RandomEncoding();
    config->as =
        random_.Pick<DType>({DType::kUint8, DType::kBool, DType::kFloat,
                             DType::kInt16, DType::kFloat64});
    if (config->encoding == Encoding::kTensorProto && random_.OneIn(4)) {
      config->as = DType::kBytes;
    }
    config->default_values.reset();
  }
  // A default has to fit the type.
  if (config->as && !config->as_bits && *config->as != DType::kBool) {
    config->default_values.reset();
  }
}

void RandomTensors::RandomMap(DType dtype, FeatureConfig* config) {
  using Map = std::vector<ValueFunction>;
  const std::vector<std::string> words = {"a", "b", "ab", std::string(70, 'x')};
  const std::vector<int64_t> numbers = {0, -1, 1, 3, INT64_MAX};
  const Bucketize bucketize{{-1.5f, 0, 0, 1, 1e9f}};
  if (dtype == DType::kBytes) {
    config->map = random_.Pick<Map>(
        {{HashBucket{1}},
         {HashBucket{100}},
         {Vocabulary{.keys = words, .default_id = -1}},
         {Vocabulary{.keys = words, .oov_buckets = 3, .oov_first = true}}});
  } else if (dtype == DType::kInt64) {
    config->map =
        random_.Pick<Map>({{HashBucket{100}},
                           {Vocabulary{.keys = numbers, .oov_buckets = 9}},
                           {bucketize},
                           {Clip{int64_t{-3}, int64_t{100}}},
                           {Clip{int64_t{0}, int64_t{50}}, Log1p{}},
                           {Clip{int64_t{0}, int64_t{50}}, bucketize},
                           {Scale{3.5f, 0.25f}}});
  } else {
    config->map = random_.Pick<Map>({{bucketize},
                                     {Clip{-2.5f, 7.0f}},
                                     {Log1p{}, Clip{0.0f, 3.0f}, bucketize},
                                     {Scale{-1, 3}, Log1p{}}});
  }
  if (random_.OneIn(2)) return;
  // Integers are at least -3 and at most 100.
  const ValueFunction& last = config->map.back();
  const bool is_float =
      std::holds_alternative<Log1p>(last) ||
      std::holds_alternative<Scale>(last) ||
      (dtype == DType::kFloat && std::holds_alternative<Clip>(last));
  config->as = random_.Pick<DType>(
      {DType::kFloat, DType::kFloat64, DType::kFloat16, DType::kBfloat16});
  if (is_float) {
    // One that becomes infinite would be refused.
    config->default_values.reset();
  } else if (!random_.OneIn(4)) {
    config->as =
        random_.Pick<DType>({DType::kInt64, DType::kInt32, DType::kInt16,
                             DType::kInt8, DType::kBool});
  }
}

Encoding RandomTensors::RandomEncoding() {
  return random_.Pick<Encoding>(
      {Encoding::kRaw, Encoding::kZlib, Encoding::kTensorProto});
}

FeatureConfig RandomTensors::RandomArrays(DType dtype, Pool* pool) {
  FeatureConfig config = RandomRagged(dtype, pool);
  if (random_.OneIn(3)) RandomShape(&config);
  config.as = random_.Pick<DType>(
      {DType::kUint8, DType::kBool, DType::kFloat, DType::kInt16});
  config.encoding = RandomEncoding();
  const bool has_shapes = config.encoding == Encoding::kTensorProto;
  if (has_shapes && random_.OneIn(4)) config.as = DType::kBytes;
  std::vector<int64_t> shape =
      random_.Pick<std::vector<int64_t>>({{},
                                          {2},
                                          {-1},
                                          {-1, 2},
                                          {2, -1},
                                          {1, 2},
                                          {-1, -1},
                                          {-1, 2, -1},
                                          {-1, -1, 2}});
  if (config.partitions.empty() && config.shape.empty() && shape.empty()) {
    shape = {3};
  }
  if (has_shapes && random_.OneIn(8)) shape = {-1, 0};
  if (!has_shapes && std::count(shape.begin(), shape.end(), -1) > 1) {
    config.item_shape_key = Take(Kind::kInt64, pool);
  }
  config.item_shape = std::move(shape);
  const bool has_length = !config.partitions.empty() || !config.shape.empty();
  if (has_length && random_.OneIn(3)) config.group = "group";
  return config;
}

}  // namespace headrace::testing
