// The other half of random_tensors.h: records that mostly fit a spec.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/random/random_tensor_proto.h"
#include "tests/random/random_tensors.h"
#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"
#include "tests/support/zlib_stream.h"

namespace headrace::testing {

namespace {

Kind KindOfDType(DType dtype) {
  if (dtype == DType::kBytes) return Kind::kBytes;
  return dtype == DType::kFloat ? Kind::kFloat : Kind::kInt64;
}

// For shapes of dense features.
size_t ElementsOf(const FeatureConfig& config) {
  if (config.layout == Layout::kRagged) return 0;
  int64_t product = 1;
  for (const int64_t dimension : config.shape) product *= dimension;
  return static_cast<size_t>(product);
}

}  // namespace

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
  const size_t elements = ElementsOf(config);
  switch (config.layout) {
    case Layout::kFixedLen:
      if (random_.OneIn(config.default_values ? 4 : 32)) return;
      if (kind == Kind::kBytes && config.as && config.map.empty()) {
        (*step)[key] = BytesFeature({Array(config, config.shape)});
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
    case Layout::kMatrix:
    case Layout::kJagged:  // never random
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
    std::vector<int64_t> shape;
    for (int64_t dimension : *config.item_shape) {
      if (dimension < 0) dimension = static_cast<int64_t>(random_.Below(4));
      if (random_.OneIn(64)) ++dimension;
      shapes.push_back(random_.OneIn(64) ? -dimension : dimension);
      shape.push_back(dimension);
    }
    values.push_back(Array(config, shape));
  }
  (*step)[key] = BytesFeature(values);
  if (config.item_shape_key) (*step)[*config.item_shape_key] = Int64s(shapes);
}

std::string RandomTensors::Array(const FeatureConfig& config,
                                 const std::vector<int64_t>& shape) {
  if (config.encoding == Encoding::kTensorProto) {
    return RandomTensorProto(*config.as, shape, &random_);
  }
  size_t elements = 1;
  for (const int64_t dimension : shape) {
    elements *= static_cast<size_t>(dimension);
  }
  std::string bytes = random_.Bytes(elements * DTypeSize(*config.as));
  if (random_.OneIn(32)) bytes += "x";
  if (config.encoding == Encoding::kRaw) return bytes;
  std::string stream = ZlibStream(bytes);
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
