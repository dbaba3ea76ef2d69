#include "python/src/row_maker.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "python/src/ndarray.h"

namespace headrace::python {
namespace {

// Indices of functions in numpy's table.
constexpr size_t kArrayType = 2;
constexpr size_t kArrayScalar = 60;
constexpr size_t kArrayNewFromDescr = 94;

using ArrayScalar = PyObject* (*)(void* data, PyObject* type, PyObject* base);
// Steals the reference to `type`.
using ArrayNewFromDescr = PyObject* (*)(PyTypeObject* subtype, PyObject* type,
                                        int num_dims, const Py_ssize_t* dims,
                                        const Py_ssize_t* strides, void* data,
                                        int flags, PyObject* object);

template <class Function>
Function FunctionAt(void* pointer) {
  return reinterpret_cast<Function>(pointer);
}

nb::object Stolen(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

// Returns the address of an array's values, the first field of its struct.
void* DataOf(const nb::object& array) {
  void* data = nullptr;
  std::memcpy(&data,
              reinterpret_cast<const char*>(array.ptr()) + sizeof(PyObject),
              sizeof(data));
  return data;
}

void* const* NumpyFunctions() {
  const auto table = [](const char* module) {
    const nb::object capsule = nb::module_::import_(module).attr("_ARRAY_API");
    return PyCapsule_GetPointer(capsule.ptr(), nullptr);
  };
  void* functions = nullptr;
  try {
    functions = table("numpy._core._multiarray_umath");
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ImportError)) throw;
    functions = table("numpy.core._multiarray_umath");  // numpy 1
  }
  if (functions == nullptr) throw nb::python_error();
  return static_cast<void* const*>(functions);
}

size_t Product(std::span<const int64_t> sizes) {
  size_t product = 1;
  for (const int64_t size : sizes) product *= static_cast<size_t>(size);
  return product;
}

const void* Advance(const void* values, DType dtype, size_t count) {
  // An empty array may have a null address.
  if (values == nullptr || count == 0) return values;
  return static_cast<const uint8_t*>(values) + count * DTypeSize(dtype);
}

DType DTypeOfKind(Kind kind) {
  if (kind == Kind::kBytes) return DType::kBytes;
  return kind == Kind::kFloat ? DType::kFloat : DType::kInt64;
}

// Returns the list of make(i) for i in [begin, end).
template <class Make>
nb::object MakeList(int64_t begin, int64_t end, Make make) {
  nb::object list = Stolen(PyList_New(static_cast<Py_ssize_t>(end - begin)));
  for (int64_t i = begin; i < end; ++i) {
    PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(i - begin),
                   nb::object(make(i)).release().ptr());
  }
  return list;
}

}  // namespace

NumpyMaker::NumpyMaker() : functions_(NumpyFunctions()) {}

nb::object NumpyMaker::Scalar(const nb::object& type, const void* value) const {
  return Stolen(FunctionAt<ArrayScalar>(functions_[kArrayScalar])(
      const_cast<void*>(value), type.ptr(), nullptr));
}

nb::object NumpyMaker::Empty(const nb::object& type,
                             std::span<const Py_ssize_t> shape) const {
  return Stolen(FunctionAt<ArrayNewFromDescr>(functions_[kArrayNewFromDescr])(
      static_cast<PyTypeObject*>(functions_[kArrayType]),
      nb::object(type).release().ptr(), static_cast<int>(shape.size()),
      shape.data(), nullptr, nullptr, 0, nullptr));
}

nb::object NumpyMaker::Array(const nb::object& type, size_t item_size,
                             std::span<const Py_ssize_t> shape,
                             const void* values) const {
  nb::object array = Empty(type, shape);
  size_t bytes = item_size;
  for (const Py_ssize_t size : shape) bytes *= static_cast<size_t>(size);
  if (bytes > 0) std::memcpy(DataOf(array), values, bytes);
  return array;
}

nb::object NumpyMaker::BytesArray(const nb::object& type,
                                  std::span<const Py_ssize_t> shape,
                                  const std::string_view* values) const {
  nb::object array = Empty(type, shape);
  size_t count = 1;
  for (const Py_ssize_t size : shape) count *= static_cast<size_t>(size);
  // The slots of a new array hold None or a null pointer.
  auto* const slots = static_cast<PyObject**>(DataOf(array));
  for (size_t i = 0; i < count; ++i) {
    PyObject* const bytes = ToBytes(values[i]).release().ptr();
    Py_XDECREF(std::exchange(slots[i], bytes));
  }
  return array;
}

RowMaker::RowMaker(SharedLayout layout)
    : layout_(std::move(layout)), int64_type_(NumpyType(DType::kInt64)) {
  const Plan& plan = layout_->plan;
  for (const auto& [name, number] : layout_->fields) {
    Field field{.name = nb::borrow(name), .index = nb::cast<size_t>(number)};
    if (plan.tensors().empty()) {
      field.type = NumpyType(DTypeOfKind(plan.columns()[field.index].kind));
    } else {
      const TensorField& tensor = plan.tensors()[field.index];
      const FeatureConfig& config = tensor.feature.config;
      field.type = NumpyType(config.as.value_or(config.dtype));
      // A row of a list of Examples keeps the padding of its list.
      const bool has_places =
          tensor.in_examples ||
          (IsListOfExamples(plan.message()) && config.as == DType::kBool);
      field.is_padded =
          config.layout == Layout::kFixedLenSequence && !has_places;
      for (const std::string& key : config.index_keys) {
        field.index_keys.push_back(ToText(key));
      }
    }
    empty_[field.name] = nb::none();
    fields_.push_back(std::move(field));
  }
}

nb::object RowMaker::Make(const Batch& batch, size_t row) const {
  nb::object dict = Stolen(PyDict_Copy(empty_.ptr()));
  const std::span<const Column> columns = batch.columns();
  const std::span<const Tensor> tensors = batch.tensors();
  const bool is_raw = layout_->plan.message() == MessageType::kRaw;
  for (const Field& field : fields_) {
    const nb::object value = is_raw ? ToBytes(columns[field.index].bytes()[row])
                             : tensors.empty()
                                 ? ColumnRow(field, columns[field.index], row)
                                 : TensorRow(field, tensors[field.index], row);
    if (PyDict_SetItem(dict.ptr(), field.name.ptr(), value.ptr()) != 0) {
      throw nb::python_error();
    }
  }
  return dict;
}

nb::object RowMaker::ValuesOf(const Field& field, DType dtype,
                              const void* values, int64_t begin,
                              int64_t end) const {
  if (dtype == DType::kBytes) {
    const auto* const bytes = static_cast<const std::string_view*>(values);
    return MakeList(begin, end,
                    [bytes](int64_t i) { return ToBytes(bytes[i]); });
  }
  const Py_ssize_t size = static_cast<Py_ssize_t>(end - begin);
  return numpy_.Array(field.type, DTypeSize(dtype), {&size, 1},
                      Advance(values, dtype, static_cast<size_t>(begin)));
}

nb::object RowMaker::ColumnRow(const Field& field, const Column& column,
                               size_t row) const {
  if (column.IsNull(row)) return nb::none();
  const int32_t begin = column.offsets[row];
  const int32_t end = column.offsets[row + 1];
  const DType dtype = DTypeOfKind(column.kind);
  if (!column.in_sequence) {
    return ValuesOf(field, dtype, column.values, begin, end);
  }
  return MakeList(begin, end, [&](int64_t step) -> nb::object {
    const auto number = static_cast<size_t>(step);
    if (column.IsNullStep(number)) return nb::none();
    return ValuesOf(field, dtype, column.values, column.step_offsets[number],
                    column.step_offsets[number + 1]);
  });
}

nb::object RowMaker::TensorRow(const Field& field, const Tensor& tensor,
                               size_t row) const {
  if (tensor.dtype == DType::kBfloat16) RequireBfloat16();
  switch (tensor.kind) {
    case TensorKind::kSparse:
      return SparseRow(field, tensor, row);
    case TensorKind::kRagged:
      return RaggedRow(field, tensor, static_cast<int64_t>(row), 0);
    case TensorKind::kDense:
      break;
  }
  return DenseRow(field, tensor, row);
}

// Returns a row without the padding that longer rows of its batch need.
nb::object RowMaker::DenseRow(const Field& field, const Tensor& tensor,
                              size_t row) const {
  const std::span<const int64_t> inner = tensor.shape.subspan(1);
  const void* const values =
      Advance(tensor.values, tensor.dtype, row * Product(inner));
  const bool is_bytes = tensor.dtype == DType::kBytes;
  if (inner.empty()) {
    if (!is_bytes) return numpy_.Scalar(field.type, values);
    return ToBytes(*static_cast<const std::string_view*>(values));
  }
  std::vector<Py_ssize_t> shape(inner.begin(), inner.end());
  if (field.is_padded) {
    shape[0] = static_cast<Py_ssize_t>(tensor.lengths[row]);
  }
  if (!is_bytes)
    return numpy_.Array(field.type, DTypeSize(tensor.dtype), shape, values);
  return numpy_.BytesArray(field.type, shape,
                           static_cast<const std::string_view*>(values));
}

nb::object RowMaker::SparseRow(const Field& field, const Tensor& tensor,
                               size_t row) const {
  const auto cut = [&](auto&& values_between) -> nb::object {
    const int32_t begin = tensor.row_offsets[row];
    const int32_t end = tensor.row_offsets[row + 1];
    if (tensor.step_offsets == nullptr) return values_between(begin, end);
    return MakeList(begin, end, [&](int64_t step) {
      return values_between(tensor.step_offsets[step],
                            tensor.step_offsets[step + 1]);
    });
  };
  nb::object values = cut([&](int64_t begin, int64_t end) {
    return ValuesOf(field, tensor.dtype, tensor.values, begin, end);
  });
  if (field.index_keys.empty()) return values;
  nb::dict parts;
  for (size_t i = 0; i < field.index_keys.size(); ++i) {
    parts[field.index_keys[i]] = cut([&](int64_t begin, int64_t end) {
      std::vector<int64_t> numbers;
      for (int64_t value = begin; value < end; ++value) {
        const size_t at = static_cast<size_t>(value) * tensor.shape.size();
        // The first coordinates are the row and, in a list of Examples, the
        // number of the Example.
        const size_t first = tensor.shape.size() - field.index_keys.size();
        numbers.push_back(tensor.indices[at + first + i]);
      }
      const auto size = static_cast<Py_ssize_t>(numbers.size());
      return numpy_.Array(int64_type_, sizeof(int64_t), {&size, 1},
                          numbers.data());
    });
  }
  parts["values"] = values;
  return parts;
}

nb::object RowMaker::RaggedRow(const Field& field, const Tensor& tensor,
                               int64_t row, size_t level) const {
  const RowSplits& splits = tensor.row_splits[level];
  const int64_t begin = splits[static_cast<size_t>(row)];
  const int64_t end = splits[static_cast<size_t>(row) + 1];
  if (level + 1 < tensor.row_splits.size()) {
    return MakeList(begin, end, [&](int64_t inner) {
      return RaggedRow(field, tensor, inner, level + 1);
    });
  }
  if (tensor.shape.empty()) {
    return ValuesOf(field, tensor.dtype, tensor.values, begin, end);
  }
  std::vector<Py_ssize_t> shape(tensor.shape.begin(), tensor.shape.end());
  shape.insert(shape.begin(), static_cast<Py_ssize_t>(end - begin));
  const void* const values =
      Advance(tensor.values, tensor.dtype,
              static_cast<size_t>(begin) * Product(tensor.shape));
  if (tensor.dtype != DType::kBytes) {
    return numpy_.Array(field.type, DTypeSize(tensor.dtype), shape, values);
  }
  return numpy_.BytesArray(field.type, shape,
                           static_cast<const std::string_view*>(values));
}

}  // namespace headrace::python
