#include "tests/naive/naive_ragged.h"

#include <algorithm>
#include <optional>

#include "tests/naive/naive_convert.h"
#include "tests/naive/naive_partition.h"
#include "tests/naive/naive_tensor_proto.h"

namespace headrace::testing {

namespace {

using Ints = std::vector<int64_t>;
// A batch has no more rows of a level.
constexpr int64_t kMaxRows = (int64_t{1} << 31) - 1;
constexpr int64_t kNone = 0;
constexpr int64_t kTooMany = kMaxRows + 1;

using ListOf = std::function<Ints(const std::string&)>;

int64_t KnownProduct(const Ints& shape) {
  int64_t product = 1;
  for (const int64_t dimension : shape) {
    if (dimension >= 0) product *= dimension;
  }
  return product;
}

// Puts `total` in place of the one unknown dimension; false where it cannot.
bool Derive(int64_t total, Ints* shape) {
  const auto unknown = std::find(shape->begin(), shape->end(), -1);
  const int64_t known = KnownProduct(*shape);
  if (unknown == shape->end()) return total == known;
  if (total % known != 0) return false;
  *unknown = total / known;
  return true;
}

bool HasUnknown(const Ints& shape) {
  return std::find(shape.begin(), shape.end(), -1) != shape.end();
}

Ints Part(const Ints& shape, size_t begin, size_t end) {
  Ints part;
  for (size_t i = begin; i < end; ++i) part.push_back(shape[i]);
  return part;
}

template <class T>
void AppendAll(const std::vector<T>& values, std::vector<T>* all) {
  all->insert(all->end(), values.begin(), values.end());
}

// Rows of one length, for each row of the dimension before.
Ints Same(int64_t rows, int64_t length) {
  return Ints(static_cast<size_t>(rows), length);
}

class Cutter {
 public:
  Cutter(const FeatureConfig& config, const ListOf& list_of)
      : config_(config), list_of_(list_of), shape_(NaiveShapeOf(config)) {}

  NaiveRagged Cut(const NaiveFeature& values);

 private:
  bool ReadTensor(const std::string& value, NaiveFeature* elements,
                  Ints* array) const;
  bool ReadBytes(const std::string& value, NaiveFeature* elements,
                 Ints* array) const;
  ErrorCode CutArrays(const NaiveFeature& values, NaiveRagged* out);
  ErrorCode CutOwn(int64_t count, NaiveRagged* out);
  int64_t UnitsOfNothing() const;
  bool CutByPartitions(int64_t units, std::vector<Ints>* lengths);

  const FeatureConfig& config_;
  const ListOf& list_of_;
  const NaiveShape shape_;
};

// Returns false if it is no such tensor.
bool Cutter::ReadTensor(const std::string& value, NaiveFeature* elements,
                        Ints* array) const {
  NaiveTensorProto tensor = NaiveReadTensor(value, *config_.as, *array);
  if (tensor.end != NaiveTensorProto::End::kTensor) return false;
  *array = std::move(tensor.shape);
  *elements = std::move(tensor.elements);
  return true;
}

// Returns false if the value's bytes do not make an array.
bool Cutter::ReadBytes(const std::string& value, NaiveFeature* elements,
                       Ints* array) const {
  const auto bytes = NaiveUnpack(value, config_.encoding);
  if (!bytes) return false;
  auto read = NaiveElements(*bytes, *config_.as);
  if (!read || !Derive(read->count(), array)) return false;
  *elements = std::move(*read);
  return true;
}

ErrorCode Cutter::CutArrays(const NaiveFeature& values, NaiveRagged* out) {
  const size_t rank = shape_.array.size();
  Ints all;
  if (config_.item_shape_key) {
    all = list_of_(*config_.item_shape_key);
    if (all.size() != rank * values.size()) return ErrorCode::kWrongCount;
  }
  std::vector<Ints> lengths(rank);
  out->values = {.kind = *config_.as == DType::kFloat   ? Kind::kFloat
                         : *config_.as == DType::kBytes ? Kind::kBytes
                                                        : Kind::kInt64};
  for (size_t i = 0; i < values.size(); ++i) {
    Ints array = shape_.array;
    for (size_t k = 0; k < rank && config_.item_shape_key; ++k) {
      const int64_t number = all[i * rank + k];
      if (number < 0 || (array[k] >= 0 && array[k] != number)) {
        return ErrorCode::kWrongCount;
      }
      array[k] = number;
    }
    NaiveFeature elements;
    const bool is_array = NaiveReadsTensors(config_)
                              ? ReadTensor(values.bytes[i], &elements, &array)
                              : ReadBytes(values.bytes[i], &elements, &array);
    if (!is_array) return ErrorCode::kWrongCount;
    AppendAll(elements.int64s, &out->values.int64s);
    AppendAll(elements.floats, &out->values.floats);
    AppendAll(elements.bytes, &out->values.bytes);
    int64_t rows = 1;
    for (size_t k = 0; k < rank; ++k) {
      const Ints same = Same(rows, array[k]);
      lengths[k].insert(lengths[k].end(), same.begin(), same.end());
      rows *= array[k];
    }
  }
  out->lengths = lengths;
  return ErrorCode::kOk;
}

// Where no number of values tells how many units there are, the innermost
// partition does.
int64_t Cutter::UnitsOfNothing() const {
  const std::vector<Partition>& partitions = config_.partitions;
  int64_t units = 1;
  for (size_t i = partitions.size(); i-- > 0;) {
    if (partitions[i].type == PartitionType::kUniformRowLength) {
      units *= partitions[i].uniform_row_length;
      continue;
    }
    const Ints list = list_of_(partitions[i].key);
    if (partitions[i].type == PartitionType::kValueRowids) {
      return units * static_cast<int64_t>(list.size());
    }
    if (partitions[i].type != PartitionType::kRowLengths) {
      return list.empty() ? 0
                          : units * std::clamp(list.back(), kNone, kTooMany);
    }
    int64_t sum = 0;
    for (const int64_t length : list) {
      sum = std::min(sum + std::clamp(length, kNone, kTooMany), kTooMany);
    }
    return units * sum;
  }
  return units * shape_.own[0];
}

bool Cutter::CutByPartitions(int64_t units, std::vector<Ints>* lengths) {
  const size_t cuts = config_.partitions.size();
  lengths->resize(cuts + 1);
  for (size_t i = cuts; i-- > 0;) {
    const Partition& partition = config_.partitions[i];
    Ints list;
    if (partition.type != PartitionType::kUniformRowLength) {
      list = list_of_(partition.key);
    }
    Ints& rows = (*lengths)[i + 1];
    if (!NaivePartition(partition, list, units, &rows)) return false;
    for (const int64_t length : rows) {
      if (shape_.own[i + 1] >= 0 && shape_.own[i + 1] != length) return false;
    }
    units = static_cast<int64_t>(rows.size());
  }
  (*lengths)[0].push_back(units);
  return shape_.own[0] < 0 || shape_.own[0] == units;
}

ErrorCode Cutter::CutOwn(int64_t count, NaiveRagged* out) {
  const size_t cuts = config_.partitions.size();
  const ErrorCode bad =
      cuts > 0 ? ErrorCode::kBadPartition : ErrorCode::kWrongCount;
  // With a dimension that follows from the count all before it are known; else
  // only those behind the partitions tell how many values a unit has.
  Ints shape = shape_.own;
  const size_t first = cuts > 0 ? cuts + 1 : 0;
  const bool is_derived = HasUnknown(Part(shape, first, shape.size()));
  int64_t units = 1;
  if (is_derived || cuts == 0) {
    if (!Derive(count, &shape)) return bad;
    units = KnownProduct(Part(shape, 0, first));
  } else {
    const int64_t unit = KnownProduct(Part(shape, first, shape.size()));
    if (unit == 0 ? count != 0 : count % unit != 0) return bad;
    units = unit == 0 ? UnitsOfNothing() : count / unit;
    if (units < 0 || units > kMaxRows) return bad;
  }
  std::vector<Ints> lengths;
  if (cuts > 0 && !CutByPartitions(units, &lengths)) return bad;
  for (size_t i = first; i < shape.size(); ++i) {
    lengths.push_back(Same(units, shape[i]));
    units *= shape[i];
  }
  lengths.insert(lengths.end(), out->lengths.begin(), out->lengths.end());
  out->lengths = lengths;
  return ErrorCode::kOk;
}

NaiveRagged Cutter::Cut(const NaiveFeature& values) {
  NaiveRagged out;
  if (config_.item_shape) {
    out.error = CutArrays(values, &out);
  } else {
    out.values = *NaiveConvert(values, config_);
  }
  if (out.error == ErrorCode::kOk) out.error = CutOwn(values.count(), &out);
  return out;
}

}  // namespace

Ints NaiveShape::all() const {
  Ints all = own;
  all.insert(all.end(), array.begin(), array.end());
  return all;
}

NaiveShape NaiveShapeOf(const FeatureConfig& config) {
  NaiveShape shape{.own = config.shape};
  if (config.item_shape) shape.array = *config.item_shape;
  const size_t cuts = config.partitions.size();
  if (shape.own.empty() && (cuts > 0 || !config.item_shape)) {
    shape.own.assign(cuts + 1, -1);
  }
  for (size_t i = 0; i < cuts; ++i) {
    if (config.partitions[i].type == PartitionType::kUniformRowLength) {
      shape.own[i + 1] = config.partitions[i].uniform_row_length;
    }
  }
  const Ints all = shape.all();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] < 0) shape.levels = i + 1;
  }
  return shape;
}

NaiveRagged NaiveCut(const FeatureConfig& config, const NaiveFeature& values,
                     const ListOf& list_of) {
  return Cutter(config, list_of).Cut(values);
}

}  // namespace headrace::testing
