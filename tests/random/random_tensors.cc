#include "tests/random/random_tensors.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

constexpr size_t kExtraInt64Keys = 6;

DType DTypeOf(Kind kind) {
  if (kind == Kind::kBytes) return DType::kBytes;
  return kind == Kind::kFloat ? DType::kFloat : DType::kInt64;
}

Kind KindOfDType(DType dtype) {
  if (dtype == DType::kBytes) return Kind::kBytes;
  return dtype == DType::kFloat ? Kind::kFloat : Kind::kInt64;
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
            : spec->features().back().config.encoding != Encoding::kRaw;
    if (!random_.OneIn(4) || is_inflated) continue;
    FeatureConfig shared = RandomVarLen(DTypeOf(kind), in_sequence);
    shared.column = key;
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
    case Layout::kRagged:
      if (dtype == DType::kBytes && !in_sequence && random_.OneIn(2)) {
        return RandomArrays(dtype, pool);
      }
      config = RandomRagged(dtype, pool);
      if (random_.OneIn(2)) RandomShape(&config);
      if (!in_sequence && random_.OneIn(3)) config.group = "group";
      break;
  }
  if (random_.OneIn(4)) RandomCast(dtype, &config);
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
    shape.push_back(random_.OneIn(3) ? 1 + static_cast<int64_t>(
                                               random_.Below(3))
                                     : -1);
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
  if (is_known && random_.OneIn(2)) shape.push_back(-1);
  if (cuts == 0 && random_.OneIn(3)) {
    std::swap(shape[0], shape[random_.Below(shape.size())]);
  }
  config->shape = std::move(shape);
}

void RandomTensors::RandomCast(DType dtype, FeatureConfig* config) {
  if (dtype == DType::kInt64) {
    config->as = random_.Pick<DType>(
        {DType::kBool, DType::kBool, DType::kUint64, DType::kUint64,
         DType::kInt32, DType::kInt8});
    config->as_bits = config->as == DType::kUint64 && !random_.OneIn(4);
  } else if (dtype == DType::kFloat) {
    config->as = random_.Pick<DType>(
        {DType::kFloat64, DType::kFloat16, DType::kBfloat16});
  } else if (config->layout == Layout::kFixedLen) {
    config->as = random_.Pick<DType>({DType::kUint8, DType::kBool,
                                      DType::kFloat, DType::kInt16,
                                      DType::kFloat64});
    if (random_.OneIn(2)) config->encoding = Encoding::kZlib;
    config->default_values.reset();
  }
  // A default has to fit the type.
  if (config->as && !config->as_bits && *config->as != DType::kBool) {
    config->default_values.reset();
  }
}

FeatureConfig RandomTensors::RandomArrays(DType dtype, Pool* pool) {
  FeatureConfig config = RandomRagged(dtype, pool);
  if (random_.OneIn(3)) RandomShape(&config);
  config.as = random_.Pick<DType>(
      {DType::kUint8, DType::kBool, DType::kFloat, DType::kInt16});
  if (random_.OneIn(2)) config.encoding = Encoding::kZlib;
  std::vector<int64_t> shape = random_.Pick<std::vector<int64_t>>(
      {{}, {2}, {-1}, {-1, 2}, {2, -1}, {1, 2}, {-1, -1}, {-1, 2, -1},
       {-1, -1, 2}});
  if (config.partitions.empty() && config.shape.empty() && shape.empty()) {
    shape = {3};
  }
  if (std::count(shape.begin(), shape.end(), -1) > 1) {
    config.item_shape_key = Take(Kind::kInt64, pool);
  }
  config.item_shape = std::move(shape);
  return config;
}

std::string RandomTensors::NextRecord(const FeatureSpec& spec) {
  Step context;
  for (const NamedFeature& feature : spec.features()) {
    FillStep(feature, /*in_sequence=*/false, &context);
  }
  context["unselected"] = Values(Kind::kBytes, random_.Below(3));
  if (random_.OneIn(6)) Spoil(&context);
  const std::string record = ExampleOf(Entries(context));
  if (spec.message() == MessageType::kExample) return record;
  return record + FeatureLists(spec);
}

// All lists that a feature reads have the same number of steps.
std::string RandomTensors::FeatureLists(const FeatureSpec& spec) {
  Step lists;
  for (const NamedFeature& feature : spec.sequence_features()) {
    if (lists.contains(feature.key())) continue;
    Step contents;
    const size_t steps = random_.Below(4);
    for (size_t i = 0; i < steps; ++i) {
      Step step;
      FillStep(feature, /*in_sequence=*/true, &step);
      if (random_.OneIn(24)) Spoil(&step);
      for (const auto& [key, content] : step) {
        contents[key] += LenField(kFeatureListStep, content);
      }
    }
    if (steps == 0 && random_.OneIn(2)) contents[feature.key()] = {};
    lists.merge(contents);
  }
  if (random_.OneIn(24)) Spoil(&lists);
  if (lists.empty() && random_.OneIn(2)) return {};
  return FeatureListsField(Entries(lists));
}

void RandomTensors::FillStep(const NamedFeature& feature, bool in_sequence,
                             Step* step) {
  const FeatureConfig& config = feature.config;
  const std::string& key = feature.key();
  if (step->contains(key)) return;  // another feature has filled it
  const Kind kind = KindOfDType(config.dtype);
  const size_t elements = NumElements(config.shape);
  switch (config.layout) {
    case Layout::kFixedLen:
      if (random_.OneIn(config.default_values ? 4 : 32)) return;
      if (kind == Kind::kBytes && config.as) {
        (*step)[key] = BytesFeature({Array(config, elements)});
        return;
      }
      (*step)[key] = Values(kind, elements);
      return;
    case Layout::kFixedLenSequence:
      (*step)[key] =
          Values(kind, in_sequence ? elements : elements * random_.Below(4));
      return;
    case Layout::kVarLen:
      if (!in_sequence && random_.OneIn(8)) return;
      (*step)[key] = Values(kind, random_.Below(5));
      return;
    case Layout::kSparse:
      break;
    case Layout::kRagged:
      FillRagged(feature, step);
      return;
  }
  const size_t count = random_.Below(6);
  (*step)[key] = Values(kind, count);
  for (size_t k = 0; k < config.index_keys.size(); ++k) {
    std::vector<int64_t> indices;
    for (size_t i = 0; i < count; ++i) {
      // Of no size all are outside.
      const auto size =
          std::max<size_t>(1, static_cast<size_t>(config.size[k]));
      // At times one outside the dimension, on either side.
      indices.push_back(static_cast<int64_t>(random_.Below(size)) +
                        (random_.OneIn(32) ? random_.Int64() / 2 : 0));
    }
    (*step)[config.index_keys[k]] = Int64s(std::move(indices));
  }
}

// Outermost first: the rows of a partition are what the next one cuts out.
void RandomTensors::FillRagged(const NamedFeature& feature, Step* step) {
  const FeatureConfig& config = feature.config;
  const size_t cuts = config.partitions.size();
  // Lengths that are known are mostly right.
  const auto length_of = [&](size_t dimension, size_t below) {
    const bool is_known =
        dimension < config.shape.size() && config.shape[dimension] >= 0;
    if (is_known && !random_.OneIn(32)) {
      return static_cast<size_t>(config.shape[dimension]);
    }
    return static_cast<size_t>(random_.Below(below));
  };
  const bool is_one = config.item_shape && config.shape.empty() && cuts == 0;
  size_t rows = is_one ? 1 : length_of(0, cuts == 0 ? 6 : 4);
  if (!config.group.empty() && !random_.OneIn(16)) {
    rows = config.shape.empty() || config.shape[0] < 0
               ? 2
               : static_cast<size_t>(config.shape[0]);
  }
  for (size_t i = 0; i < cuts; ++i) {
    const Partition& partition = config.partitions[i];
    const bool uniform = partition.type == PartitionType::kUniformRowLength;
    std::vector<int64_t> lengths;
    int64_t sum = 0;
    for (size_t row = 0; row < rows; ++row) {
      lengths.push_back(uniform ? partition.uniform_row_length
                                : static_cast<int64_t>(length_of(i + 1, 4)));
      // Row ids cannot say that the last rows are empty.
      if (partition.type == PartitionType::kValueRowids && row + 1 == rows) {
        lengths.back() = std::max<int64_t>(lengths.back(), 1);
      }
      sum += lengths.back();
    }
    if (!uniform) {
      (*step)[partition.key] = Int64s(PartitionList(partition.type, lengths));
    }
    rows = static_cast<size_t>(sum);
  }
  for (size_t i = cuts + 1; i < config.shape.size(); ++i) {
    rows *= length_of(i, 3);
  }
  if (config.item_shape) return FillArrays(config, feature.key(), rows, step);
  (*step)[feature.key()] = Values(KindOfDType(config.dtype), rows);
}

void RandomTensors::FillArrays(const FeatureConfig& config,
                               const std::string& key, size_t count,
                               Step* step) {
  std::vector<std::string> values;
  std::vector<int64_t> shapes;
  for (size_t i = 0; i < count; ++i) {
    size_t elements = 1;
    for (int64_t dimension : *config.item_shape) {
      if (dimension < 0) dimension = static_cast<int64_t>(random_.Below(4));
      if (random_.OneIn(64)) ++dimension;
      shapes.push_back(random_.OneIn(64) ? -dimension : dimension);
      elements *= static_cast<size_t>(dimension);
    }
    values.push_back(Array(config, elements));
  }
  (*step)[key] = BytesFeature(values);
  if (config.item_shape_key) (*step)[*config.item_shape_key] = Int64s(shapes);
}

std::string RandomTensors::Array(const FeatureConfig& config,
                                 size_t elements) {
  std::string bytes = random_.Bytes(elements * DTypeSize(*config.as));
  if (random_.OneIn(32)) bytes += "x";
  if (config.encoding == Encoding::kRaw) return bytes;
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string stream(size, '\0');
  compress(reinterpret_cast<Bytef*>(stream.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()),
           static_cast<uLong>(bytes.size()));
  stream.resize(size);
  if (random_.OneIn(32)) {
    stream[random_.Below(stream.size())] ^=
        static_cast<char>(1 << random_.Below(8));
  }
  if (random_.OneIn(32)) stream.resize(random_.Below(stream.size()));
  if (random_.OneIn(32)) stream += "y";
  return stream;
}

std::vector<int64_t> RandomTensors::PartitionList(
    PartitionType type, const std::vector<int64_t>& lengths) {
  std::vector<int64_t> list;
  int64_t end = 0;
  if (type == PartitionType::kRowSplits &&
      !(lengths.empty() && random_.OneIn(2))) {
    list.push_back(0);
  }
  for (size_t row = 0; row < lengths.size(); ++row) {
    if (type == PartitionType::kRowStarts) list.push_back(end);
    end += lengths[row];
    if (type == PartitionType::kRowLengths) list.push_back(lengths[row]);
    if (type == PartitionType::kRowSplits ||
        type == PartitionType::kRowLimits) {
      list.push_back(end);
    }
    if (type == PartitionType::kValueRowids) {
      list.insert(list.end(), static_cast<size_t>(lengths[row]),
                  static_cast<int64_t>(row));
    }
  }
  if (!list.empty() && random_.OneIn(24)) {
    constexpr int64_t kOff[] = {-1, 1, -3, 2, int64_t{1} << 40};
    list[random_.Below(list.size())] += kOff[random_.Below(5)];
  }
  return list;
}

// An empty list has two more spellings.
std::string RandomTensors::Values(Kind kind, size_t count) {
  if (count == 0 && random_.OneIn(3)) return {};
  return FeatureOf(kind, values_.List(kind, count));
}

std::string RandomTensors::Int64s(std::vector<int64_t> values) {
  if (values.empty() && random_.OneIn(3)) return {};
  if (random_.OneIn(4)) {
    return FeatureOf(Kind::kInt64, UnpackedInt64s(values));
  }
  return Int64Feature(values);
}

void RandomTensors::Spoil(Step* step) {
  if (step->empty()) return;
  auto at = step->begin();
  std::advance(at, random_.Below(step->size()));
  switch (random_.Below(4)) {
    case 0:
      step->erase(at);
      return;
    case 1:
      at->second.clear();
      return;
    case 2:
      at->second =
          Values(static_cast<Kind>(1 + random_.Below(3)), random_.Below(4));
      return;
    default:
      at->second += at->second;  // lists of one kind add up
  }
}

std::string RandomTensors::Entries(const Step& step) {
  std::vector<std::string> entries;
  for (const auto& [key, content] : step) {
    entries.push_back(EntryField(key, content));
  }
  if (entries.size() > 1 && random_.OneIn(3)) {
    std::swap(entries[0], entries[random_.Below(entries.size())]);
  }
  std::string all;
  for (const std::string& entry : entries) all += entry;
  return all;
}

}  // namespace headrace::testing
