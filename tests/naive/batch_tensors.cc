#include "tests/naive/batch_tensors.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tests/naive/batch_columns.h"
#include "tests/support/written_bytes.h"

namespace headrace::testing {

namespace {

int64_t Product(std::span<const int64_t> shape) {
  int64_t product = 1;
  for (int64_t dimension : shape) product *= dimension;
  return product;
}

template <class T>
std::span<const T> As(const void* values, size_t size) {
  return {static_cast<const T*>(values), size};
}

// The bits of values of a type that no record has; naive_convert.h.
template <class T>
void AppendBits(const void* values, size_t size, NaiveFeature* naive) {
  naive->kind = Kind::kInt64;
  for (const T value : As<T>(values, size)) {
    naive->int64s.push_back(static_cast<int64_t>(value));
  }
}

void AppendNumbers(DType dtype, const void* values, size_t size,
                   NaiveFeature* naive) {
  switch (dtype) {
    case DType::kInt32:
      return AppendBits<int32_t>(values, size, naive);
    case DType::kInt16:
      return AppendBits<int16_t>(values, size, naive);
    case DType::kInt8:
      return AppendBits<int8_t>(values, size, naive);
    case DType::kUint32:
      return AppendBits<uint32_t>(values, size, naive);
    case DType::kUint16:
    case DType::kFloat16:
    case DType::kBfloat16:
      return AppendBits<uint16_t>(values, size, naive);
    case DType::kUint8:
    case DType::kBool:
      return AppendBits<uint8_t>(values, size, naive);
    default:
      return AppendBits<uint64_t>(values, size, naive);
  }
}

NaiveFeature ValuesOf(DType dtype, const void* values, size_t size) {
  NaiveFeature naive;
  if (dtype == DType::kBytes) {
    naive.kind = Kind::kBytes;
    for (std::string_view value : As<std::string_view>(values, size)) {
      naive.bytes.emplace_back(value);
    }
  } else if (dtype == DType::kFloat) {
    naive.kind = Kind::kFloat;
    for (float value : As<float>(values, size)) {
      naive.floats.push_back(std::bit_cast<uint32_t>(value));
    }
  } else if (dtype == DType::kInt64) {
    naive.kind = Kind::kInt64;
    for (int64_t value : As<int64_t>(values, size)) {
      naive.int64s.push_back(value);
    }
  } else {
    AppendNumbers(dtype, values, size, &naive);
  }
  return naive;
}

NaiveTensor TensorOf(const Tensor& tensor) {
  NaiveTensor naive{
      .name = std::string(tensor.name),
      .in_sequence = tensor.in_sequence,
      .kind = tensor.kind,
      .shape = {tensor.shape.begin(), tensor.shape.end()},
      .values = ValuesOf(tensor.dtype, tensor.values, tensor.num_values),
      .indices = {tensor.indices.begin(), tensor.indices.end()},
      .lengths = {tensor.lengths.begin(), tensor.lengths.end()}};
  for (const RowSplits& level : tensor.row_splits) {
    std::vector<int64_t>& splits = naive.row_splits.emplace_back();
    for (size_t i = 0; i < level.size; ++i) splits.push_back(level[i]);
    naive.int64_splits = level.is_int64;
  }
  return naive;
}

// The last number must be `total`.
template <class Offsets>
std::string BrokenOffsets(const Offsets& offsets, size_t size, int64_t total) {
  if (size == 0 || offsets[0] != 0) return "do not start at 0";
  for (size_t i = 1; i < size; ++i) {
    if (offsets[i - 1] > offsets[i]) return "decrease";
  }
  if (int64_t{offsets[size - 1]} != total) {
    return "end at " + std::to_string(offsets[size - 1]) + ", not " +
           std::to_string(total);
  }
  return {};
}

std::string BrokenSplits(const Tensor& tensor, size_t num_rows) {
  if (tensor.row_splits.empty()) return "no row splits";
  if (tensor.row_splits[0].size != num_rows + 1) {
    return "the outermost row splits are not one a row";
  }
  const int64_t inside = Product(tensor.shape);
  if (inside == 0) return tensor.num_values == 0 ? "" : "values of no items";
  for (size_t i = 0; i < tensor.row_splits.size(); ++i) {
    const RowSplits& level = tensor.row_splits[i];
    const bool last = i + 1 == tensor.row_splits.size();
    const auto next = static_cast<int64_t>(
        last ? tensor.num_values : tensor.row_splits[i + 1].size);
    if (level.is_int64 != tensor.row_splits[0].is_int64) return "mixed splits";
    if (last && next % inside != 0) return "values that fill no inner row";
    std::string broken =
        BrokenOffsets(level, level.size, last ? next / inside : next - 1);
    if (!broken.empty()) return "row splits " + broken;
  }
  return {};
}

std::string BrokenDense(const Tensor& tensor, size_t num_rows) {
  if (tensor.shape.empty() ||
      tensor.shape[0] != static_cast<int64_t>(num_rows)) {
    return "shape[0] is not the number of rows";
  }
  if (Product(tensor.shape) != static_cast<int64_t>(tensor.num_values)) {
    return "values do not fill the shape";
  }
  if (!tensor.in_sequence && tensor.lengths.empty()) return {};
  if (tensor.lengths.size() != num_rows) return "lengths are not one a row";
  for (int64_t length : tensor.lengths) {
    if (length < 0 || length > tensor.shape[1]) return "a length is too long";
  }
  return {};
}

std::string BrokenSparse(const Tensor& tensor, size_t num_rows) {
  const size_t rank = tensor.shape.size();
  if (rank < 1 || tensor.shape[0] != static_cast<int64_t>(num_rows)) {
    return "shape[0] is not the number of rows";
  }
  if (tensor.indices.size() != tensor.num_values * rank) {
    return "indices are not one a value and dimension";
  }
  int64_t previous = 0;
  for (size_t i = 0; i < tensor.indices.size(); i += rank) {
    const int64_t row = tensor.indices[i];
    if (row < previous || row >= tensor.shape[0]) return "rows out of order";
    previous = row;
  }
  return {};
}

std::string BrokenJagged(const Tensor& tensor, size_t num_rows) {
  const size_t keys = tensor.keys.size();
  const RowSplits& lengths = tensor.key_lengths;
  const RowSplits& offsets = tensor.key_offsets;
  if (lengths.size != keys * num_rows || offsets.size != lengths.size + 1) {
    return "lengths are not one a key and row";
  }
  if (tensor.key_ends.size() != keys) return "ends are not one a key";
  if (offsets[0] != 0) return "the first offset is not 0";
  for (size_t i = 0; i < lengths.size; ++i) {
    if (lengths[i] < 0) return "a length below 0";
    if (offsets[i + 1] - offsets[i] != lengths[i]) {
      return "an offset is not the sum of the lengths before it";
    }
  }
  for (size_t key = 0; key < keys; ++key) {
    if (tensor.key_ends[key] != offsets[(key + 1) * num_rows]) {
      return "a key does not end where its last row does";
    }
  }
  if (offsets[lengths.size] != static_cast<int64_t>(tensor.num_values)) {
    return "the last offset is not the number of values";
  }
  return {};
}

// The offsets of lists count groups of so many values: those of a step, or of a
// row of the shape, if each has the same number; 1 otherwise.
int64_t ListGroup(const Tensor& tensor, size_t num_rows) {
  if (tensor.kind != TensorKind::kDense || tensor.step_offsets) return 1;
  const int64_t last = tensor.row_offsets[num_rows];
  if (last == static_cast<int64_t>(tensor.num_list_values)) return 1;
  return Product(tensor.shape.subspan(2));
}

std::string BrokenListOffsets(const Tensor& tensor, size_t num_rows) {
  if (tensor.kind == TensorKind::kDense && tensor.shape.size() < 2) {
    return "row_offsets where every row has one value";
  }
  const auto values = static_cast<int64_t>(tensor.num_list_values);
  const int64_t group = ListGroup(tensor, num_rows);
  if (values % group != 0) return "list_values fill no group";
  int64_t total = values / group;
  if (tensor.step_offsets) {
    if (!tensor.in_sequence) return "steps outside feature lists";
    total = tensor.row_offsets[num_rows];
    std::string broken = BrokenOffsets(tensor.step_offsets,
                                       static_cast<size_t>(total) + 1, values);
    if (!broken.empty()) return "step_offsets " + broken;
  }
  std::string broken = BrokenOffsets(tensor.row_offsets, num_rows + 1, total);
  return broken.empty() ? "" : "row_offsets " + broken;
}

// A padded row begins with its list; one that was cut has less.
std::string BrokenPaddedLists(const Tensor& tensor, size_t num_rows) {
  const NaiveFeature lists =
      ValuesOf(tensor.dtype, tensor.list_values, tensor.num_list_values);
  const NaiveFeature values =
      ValuesOf(tensor.dtype, tensor.values, tensor.num_values);
  const auto width = static_cast<size_t>(Product(tensor.shape.subspan(1)));
  const auto group = static_cast<size_t>(ListGroup(tensor, num_rows));
  for (size_t row = 0; row < num_rows; ++row) {
    const auto begin = static_cast<size_t>(tensor.row_offsets[row]) * group;
    const auto end = static_cast<size_t>(tensor.row_offsets[row + 1]) * group;
    const size_t size = std::min(width, end - begin);
    if (Slice(lists, begin, begin + size) !=
        Slice(values, row * width, row * width + size)) {
      return "the list of row " + std::to_string(row) + " is another";
    }
  }
  return {};
}

std::string BrokenLists(const Tensor& tensor, size_t num_rows) {
  if (!tensor.row_offsets) {
    const bool alone = tensor.step_offsets && !tensor.in_sequence;
    return alone ? "steps outside feature lists" : "";
  }
  if (tensor.num_list_values != 0 && !tensor.list_values) {
    return "list_values are missing";
  }
  std::string broken = BrokenListOffsets(tensor, num_rows);
  if (!broken.empty()) return broken;
  if (tensor.kind == TensorKind::kDense && !tensor.step_offsets) {
    return BrokenPaddedLists(tensor, num_rows);
  }
  if (tensor.kind != TensorKind::kRagged) return {};
  if (!tensor.shape.empty()) return "lists of a tensor with partitions";
  return ValuesOf(tensor.dtype, tensor.list_values, tensor.num_list_values) ==
                 ValuesOf(tensor.dtype, tensor.values, tensor.num_values)
             ? ""
             : "list_values are others than the values";
}

// A row of a sparse tensor has as many values as coordinates.
std::string BrokenRows(const Tensor& tensor, size_t num_rows) {
  if (tensor.kind != TensorKind::kSparse || !tensor.row_offsets ||
      tensor.step_offsets) {
    return {};
  }
  std::vector<int64_t> counts(num_rows);
  for (size_t i = 0; i < tensor.indices.size(); i += tensor.shape.size()) {
    ++counts[static_cast<size_t>(tensor.indices[i])];
  }
  for (size_t row = 0; row < num_rows; ++row) {
    if (tensor.row_offsets[row + 1] - tensor.row_offsets[row] != counts[row]) {
      return "row_offsets do not count the row's values";
    }
  }
  return {};
}

// Shape, splits and offsets were looked at before, one by one.
std::string UnwrittenValues(const Tensor& tensor) {
  const size_t value_size = DTypeSize(tensor.dtype);
  if (!IsWritten(tensor.values, tensor.num_values * value_size) ||
      !IsWritten(tensor.list_values, tensor.num_list_values * value_size)) {
    return "values that nobody wrote";
  }
  return IsWritten(tensor.indices.data(), tensor.indices.size_bytes())
             ? ""
             : "indices that nobody wrote";
}

std::string BrokenTensor(const Tensor& tensor, size_t num_rows) {
  if (tensor.num_values != 0 && !tensor.values) return "values are missing";
  std::string broken;
  switch (tensor.kind) {
    case TensorKind::kDense:
      broken = BrokenDense(tensor, num_rows);
      break;
    case TensorKind::kSparse:
      broken = BrokenSparse(tensor, num_rows);
      break;
    case TensorKind::kRagged:
      broken = BrokenSplits(tensor, num_rows);
      break;
    case TensorKind::kJagged:
      broken = BrokenJagged(tensor, num_rows);
      break;
  }
  if (broken.empty()) broken = BrokenLists(tensor, num_rows);
  if (broken.empty()) broken = BrokenRows(tensor, num_rows);
  if (broken.empty()) broken = UnwrittenValues(tensor);
  return broken;
}

bool Agree(const NaiveTensors& a, const NaiveTensors& b) {
  if (a.record != kUnknown && b.record != kUnknown && a.record != b.record) {
    return false;
  }
  for (const auto& [code, features] : a.errors) {
    const auto other = b.errors.find(code);
    if (other == b.errors.end()) continue;
    if (features.empty() || other->second.empty()) return true;
    for (const std::string& feature : features) {
      if (other->second.contains(feature)) return true;
    }
  }
  return false;
}

std::string ToText(const std::vector<int64_t>& values) {
  std::string text;
  for (int64_t value : values) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(value);
  }
  return "[" + text + "]";
}

}  // namespace

NaiveTensors TensorsOf(const Batch& batch) {
  NaiveTensors result;
  result.num_rows = batch.num_rows();
  for (const Tensor& tensor : batch.tensors()) {
    result.tensors.push_back(TensorOf(tensor));
  }
  return result;
}

NaiveTensors TensorsOf(const Status& error) {
  NaiveTensors result;
  std::set<std::string>& features = result.errors[error.code()];
  if (const ErrorInfo* info = error.info()) {
    result.record = info->record;
    // A key may be empty, so only what must name one always does.
    const bool names =
        IsRowError(info->code) && info->code != ErrorCode::kMalformed;
    if (names || !info->feature.empty()) features = {info->feature};
  }
  return result;
}

NaiveTensors TensorsOf(const Result<Batch>& result) {
  return result.ok() ? TensorsOf(*result) : TensorsOf(result.status());
}

std::string Difference(const NaiveTensors& expected,
                       const NaiveTensors& actual) {
  if (!expected.ok() || !actual.ok()) {
    if (Agree(expected, actual)) return {};
    return "expected " + ToText(expected) + ", got " + ToText(actual);
  }
  if (expected.num_rows != actual.num_rows) {
    return std::to_string(actual.num_rows) + " rows instead of " +
           std::to_string(expected.num_rows);
  }
  if (expected.tensors.size() != actual.tensors.size()) {
    return std::to_string(actual.tensors.size()) + " tensors instead of " +
           std::to_string(expected.tensors.size());
  }
  for (size_t i = 0; i < expected.tensors.size(); ++i) {
    const NaiveTensor& wanted = expected.tensors[i];
    NaiveTensor tensor = actual.tensors[i];
    // TensorFlow has lengths of feature lists alone.
    if (!wanted.in_sequence && wanted.lengths.empty()) tensor.lengths.clear();
    if (wanted == tensor) continue;
    return "expected " + ToText(wanted) + ", got " + ToText(tensor);
  }
  return {};
}

std::string BrokenTensors(const Batch& batch) {
  if (!batch.columns().empty()) return "tensors and columns in one batch";
  for (const Tensor& tensor : batch.tensors()) {
    std::string broken = BrokenTensor(tensor, batch.num_rows());
    if (broken.empty() &&
        batch.FindTensor(tensor.name, tensor.in_sequence) != &tensor) {
      broken = "FindTensor does not find it";
    }
    if (!broken.empty()) {
      return "tensor \"" + std::string(tensor.name) + "\": " + broken;
    }
  }
  if (batch.origins().size() != batch.num_rows()) {
    return "origins are not one a row";
  }
  return {};
}

std::string Difference(const NaiveTensors& expected,
                       const Result<Batch>& actual) {
  if (actual.ok()) {
    std::string broken = BrokenTensors(*actual);
    if (!broken.empty()) return broken;
  } else if (actual.status().info()->record == kUnknown) {
    return "no record in " + actual.status().ToString();
  }
  return Difference(expected, TensorsOf(actual));
}

std::string ToText(const NaiveTensor& tensor) {
  constexpr const char* kKinds[] = {"dense", "sparse", "ragged", "jagged"};
  std::string text = tensor.in_sequence ? "list " : "";
  text += '"' + tensor.name + "\" ";
  text += kKinds[static_cast<size_t>(tensor.kind)];
  text += " shape " + ToText(tensor.shape);
  text += " values " + ToText(tensor.values);
  if (!tensor.indices.empty()) text += " indices " + ToText(tensor.indices);
  for (const std::vector<int64_t>& level : tensor.row_splits) {
    text += tensor.int64_splits ? " int64 splits " : " int32 splits ";
    text += ToText(level);
  }
  if (!tensor.lengths.empty()) text += " lengths " + ToText(tensor.lengths);
  return text;
}

std::string ToText(const NaiveTensors& tensors) {
  std::string text;
  for (const auto& [code, features] : tensors.errors) {
    text += text.empty() ? "" : " or ";
    text += NameOf(code);
    for (const std::string& feature : features) text += " \"" + feature + '"';
  }
  if (!tensors.ok())
    return text + " in record " + std::to_string(tensors.record);
  text = std::to_string(tensors.num_rows) + " rows";
  for (const NaiveTensor& tensor : tensors.tensors) {
    text += "; " + ToText(tensor);
  }
  return text;
}

}  // namespace headrace::testing
