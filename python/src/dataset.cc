// headrace._core.Dataset: records by number, for any number of threads, as
// batches or as dicts.

#include "headrace/dataset.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/plan.h"
#include "python/src/reader/allocator.h"
#include "python/src/reader/input.h"
#include "python/src/reader/options.h"
#include "python/src/reader/warnings.h"

namespace headrace::python {
namespace {

// Makes numpy objects. It calls numpy's C functions by their indices in its
// table, which never change, so that numpy's headers are not needed.
class NumpyMaker {
 public:
  NumpyMaker();

  // Returns a numpy scalar; `type` is a numpy.dtype of numbers.
  nb::object Scalar(const nb::object& type, const void* value) const;
  // Returns a new array of copies of `values`: numbers, or bytes objects.
  nb::object Array(const nb::object& type, DType dtype,
                   std::span<const Py_ssize_t> shape, const void* values) const;

 private:
  void* const* functions_;
};

// Makes dicts from the rows of batches of one layout, without a Python call for
// each value. headrace.Dataset documents their values. The GIL must be held.
class RowMaker {
 public:
  explicit RowMaker(SharedLayout layout);

  nb::object Make(const Batch& batch, size_t row) const;

 private:
  struct Field {
    nb::object name;
    size_t index = 0;      // of the column or tensor in the plan
    nb::object type = {};  // of the values, a numpy.dtype
    // Whether rows are padded to the longest of their batch.
    bool is_padded = false;
    std::vector<nb::object> index_keys = {};  // of a SparseFeature
  };

  nb::object ColumnRow(const Field& field, const Column& column,
                       size_t row) const;
  nb::object TensorRow(const Field& field, const Tensor& tensor,
                       size_t row) const;
  nb::object DenseRow(const Field& field, const Tensor& tensor,
                      size_t row) const;
  nb::object SparseRow(const Field& field, const Tensor& tensor,
                       size_t row) const;
  nb::object JaggedRow(const Field& field, const Tensor& tensor,
                       size_t row) const;
  nb::object RaggedRow(const Field& field, const Tensor& tensor, int64_t row,
                       size_t level) const;
  nb::object ValuesOf(const Field& field, DType dtype, const void* values,
                      int64_t begin, int64_t end) const;

  SharedLayout layout_;
  NumpyMaker numpy_;
  std::vector<Field> fields_;
  nb::object int64_type_;
  nb::dict empty_;  // all names, in order
};

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

NumpyMaker::NumpyMaker() : functions_(NumpyFunctions()) {}

nb::object NumpyMaker::Scalar(const nb::object& type, const void* value) const {
  return Stolen(FunctionAt<ArrayScalar>(functions_[kArrayScalar])(
      const_cast<void*>(value), type.ptr(), nullptr));
}

nb::object NumpyMaker::Array(const nb::object& type, DType dtype,
                             std::span<const Py_ssize_t> shape,
                             const void* values) const {
  nb::object array =
      Stolen(FunctionAt<ArrayNewFromDescr>(functions_[kArrayNewFromDescr])(
          static_cast<PyTypeObject*>(functions_[kArrayType]),
          nb::object(type).release().ptr(), static_cast<int>(shape.size()),
          shape.data(), nullptr, nullptr, 0, nullptr));
  size_t count = 1;
  for (const Py_ssize_t size : shape) count *= static_cast<size_t>(size);
  if (dtype != DType::kBytes) {
    const size_t bytes = count * DTypeSize(dtype);
    if (bytes > 0) std::memcpy(DataOf(array), values, bytes);
    return array;
  }
  const auto* const texts = static_cast<const std::string_view*>(values);
  // The slots of a new array hold None or a null pointer.
  auto* const slots = static_cast<PyObject**>(DataOf(array));
  for (size_t i = 0; i < count; ++i) {
    PyObject* const bytes = ToBytes(texts[i]).release().ptr();
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
      field.type = NumpyType(tensor.feature.tensor_dtype());
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
  return numpy_.Array(field.type, dtype, {&size, 1},
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
    case TensorKind::kJagged:
      return JaggedRow(field, tensor, row);
    case TensorKind::kDense:
      break;
  }
  return DenseRow(field, tensor, row);
}

// Returns a row without the padding to the longest row of its batch.
nb::object RowMaker::DenseRow(const Field& field, const Tensor& tensor,
                              size_t row) const {
  const std::span<const int64_t> inner = tensor.shape.subspan(1);
  const void* const values =
      Advance(tensor.values, tensor.dtype, row * Product(inner));
  if (inner.empty()) {
    if (tensor.dtype != DType::kBytes) return numpy_.Scalar(field.type, values);
    return ToBytes(*static_cast<const std::string_view*>(values));
  }
  std::vector<Py_ssize_t> shape(inner.begin(), inner.end());
  if (field.is_padded) {
    shape[0] = static_cast<Py_ssize_t>(tensor.lengths[row]);
  }
  return numpy_.Array(field.type, tensor.dtype, shape, values);
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
      return numpy_.Array(int64_type_, DType::kInt64, {&size, 1},
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
  return numpy_.Array(field.type, tensor.dtype, shape, values);
}

// Returns a dict of the values of each key; with weights, of pairs of values
// and weights.
nb::object RowMaker::JaggedRow(const Field& field, const Tensor& tensor,
                               size_t row) const {
  const size_t rows = tensor.key_lengths.size / tensor.keys.size();
  const nb::object float_type = NumpyType(DType::kFloat);
  nb::dict parts;
  for (size_t key = 0; key < tensor.keys.size(); ++key) {
    const size_t i = key * rows + row;
    const int64_t begin = tensor.key_offsets[i];
    const int64_t end = tensor.key_offsets[i + 1];
    nb::object value = ValuesOf(field, tensor.dtype, tensor.values, begin, end);
    if (tensor.weights != nullptr) {
      const Py_ssize_t size = static_cast<Py_ssize_t>(end - begin);
      value = nb::make_tuple(value,
                             numpy_.Array(float_type, DType::kFloat, {&size, 1},
                                          tensor.weights + begin));
    }
    parts[ToText(tensor.keys[key])] = value;
  }
  return parts;
}

using Numbers =
    nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Idle copies of a dataset. Each call uses its own copy, with its own open
// files. The GIL guards the list; without a GIL, the lock of the Python object
// does.
struct Copies {
  const pid_t process = getpid();
  std::vector<std::unique_ptr<Dataset>> free = {};
};

// Leaks the copies if this is a forked child: files that Python opened may be
// unusable there, and cannot even be closed.
void LeakAfterFork(std::shared_ptr<Copies>* copies) {
  if (*copies && (*copies)->process != getpid()) {
    static_cast<void>(new std::shared_ptr<Copies>(std::move(*copies)));
  }
}

class PyDataset {
 public:
  PyDataset(Dataset dataset, ArrowOptions arrow,
            std::shared_ptr<PendingException> pending)
      : dataset_(std::move(dataset)),
        layout_(
            std::make_shared<BatchLayout>(dataset_.plan(), std::move(arrow))),
        rows_(layout_),
        pending_(std::move(pending)) {}
  PyDataset(PyDataset&&) = default;
  ~PyDataset() { LeakAfterFork(&copies_); }

  const Dataset& dataset() const { return dataset_; }
  const SharedLayout& layout() const { return layout_; }
  const RowMaker& rows() const { return rows_; }

  // Reads rows; releases the GIL during the call. Throws errors.
  Batch Take(std::span<const uint64_t> rows, const TakeOptions& options) {
    const std::shared_ptr<Copies> copies = CopiesHere();
    std::unique_ptr<Dataset> copy;
    if (copies->free.empty()) {
      copy = std::make_unique<Dataset>(dataset_);
    } else {
      copy = std::move(copies->free.back());
      copies->free.pop_back();
    }
    auto batch = WithoutGil([&] { return copy->Take(rows, options); });
    copies->free.push_back(std::move(copy));
    pending_->Check(batch.status());
    Tell();
    return *std::move(batch);
  }

  std::vector<LateFeature> late() const { return Check(dataset_.Late()); }
  ReadReport report() const { return Check(dataset_.Report()); }
  // Returns the absent features for which there was no warning yet.
  std::vector<AbsentFeature> untold() const { return teller_.Untold(report()); }
  PyDataset With(const Plan& plan) const {
    ArrowOptions arrow = layout_->arrow;
    // Columns, such as those of raw records, are in the library's memory.
    const Dataset from = plan.tensors().empty()
                             ? Check(dataset_.WithAllocator(nullptr))
                             : dataset_;
    return PyDataset(Check(from.With(plan)), std::move(arrow), pending_);
  }

 private:
  // Warns of new late or absent features. A report is a copy, so it is made
  // only for new late features, or after 1, 2, 4, 8 and so on calls.
  void Tell() {
    const bool has_late = !knows_late_ && dataset_.num_late() > 0;
    const bool has_lists = !knows_lists_ && dataset_.num_lists_left_out() > 0;
    knows_late_ |= has_late;
    knows_lists_ |= has_lists;
    ++num_takes_;
    if (!has_late && !has_lists && !std::has_single_bit(num_takes_)) return;
    const ReadReport report = Check(dataset_.Report());
    if (!teller_.HasTold(report)) WarnOf(teller_.Take(report));
  }

  // Returns the copies of this process. A forked child cannot use the files of
  // its parent, but it can use the parent's table of records.
  const std::shared_ptr<Copies>& CopiesHere() {
    LeakAfterFork(&copies_);
    if (!copies_) copies_ = std::make_shared<Copies>();
    return copies_;
  }

  Dataset dataset_;  // never read from, so it has no open file
  SharedLayout layout_;
  RowMaker rows_;
  std::shared_ptr<PendingException> pending_;
  std::shared_ptr<Copies> copies_ = std::make_shared<Copies>();
  uint64_t num_takes_ = 0;
  bool knows_late_ = false;
  bool knows_lists_ = false;
  Teller teller_;
};

PyDataset OpenDataset(const std::vector<nb::bytes>& paths, const PyPlan* plan,
                      const nb::dict& options, const nb::object& opener,
                      const nb::object& progress) {
  const auto pending = std::make_shared<PendingException>();
  DatasetOptions dataset_options = OptionsFrom<DatasetOptions>(options);
  const std::vector<std::string> names = StringsOf(paths);
  dataset_options.open_input = OpenByPython(opener, pending);
  dataset_options.allocator = AllocatorByPython(options, pending);
  // `progress` is called only while this function runs: Take walks no headers.
  dataset_options.progress = ReportTo(progress, pending);
  auto dataset = WithoutGil([&] {
    return plan ? Dataset::Open(names, plan->plan(), dataset_options)
                : Dataset::Open(names, dataset_options);
  });
  pending->Check(dataset.status());
  Dataset opened = *std::move(dataset);
  ArrowOptions arrow = OptionsFrom<ArrowOptions>(options);
  arrow.files = opened.files();
  return PyDataset(std::move(opened), std::move(arrow), pending);
}

std::span<const uint64_t> SpanOf(const Numbers& numbers) {
  return {numbers.data(), numbers.size()};
}

PyBatch TakeRows(PyDataset& self, const Numbers& rows, uint64_t block,
                 uint64_t kept, const std::optional<Numbers>& lanes) {
  const TakeOptions options = {
      .block = block,
      .kept = kept,
      .lanes = lanes ? SpanOf(*lanes) : std::span<const uint64_t>()};
  return {self.Take(SpanOf(rows), options), self.layout()};
}

nb::list DictsOf(PyDataset& self, const Numbers& rows) {
  const Batch batch = self.Take(SpanOf(rows), {});
  nb::list dicts;
  for (size_t row = 0; row < batch.num_rows(); ++row) {
    dicts.append(self.rows().Make(batch, row));
  }
  return dicts;
}

// Returns a row number; a negative `key` counts from the end.
uint64_t RowFrom(const PyDataset& self, nb::handle key) {
  const uint64_t size = self.dataset().size();
  int overflow = 0;
  const nb::object number = Stolen(PyNumber_Index(key.ptr()));
  long long row = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (row == -1 && PyErr_Occurred()) throw nb::python_error();
  // A dataset has fewer than 2^63 rows, since each takes 16 bytes.
  if (overflow == 0 && row < 0) row += static_cast<long long>(size);
  if (overflow != 0 || row < 0 || static_cast<uint64_t>(row) >= size) {
    Raise(nb::module_::import_("headrace.arguments")
              .attr("no_such_row")(number, size));
  }
  return static_cast<uint64_t>(row);
}

nb::object RowDict(PyDataset& self, nb::handle key) {
  const uint64_t row = RowFrom(self, key);
  return self.rows().Make(self.Take({&row, 1}, {}), 0);
}

// Returns (number of the file, number of the record in it, offset).
nb::tuple OriginOf(const PyDataset& self, nb::handle key) {
  const RowOrigin origin = Check(self.dataset().Origin(RowFrom(self, key)));
  return nb::make_tuple(origin.file, origin.record, origin.offset);
}

}  // namespace

void BindDataset(nb::module_& m) {
  nb::class_<PyDataset>(m, "Dataset")
      .def(
          "__init__",
          [](PyDataset* self, const std::vector<nb::bytes>& paths,
             const PyPlan* plan, const nb::dict& options,
             const nb::object& opener, const nb::object& progress) {
            new (self)
                PyDataset(OpenDataset(paths, plan, options, opener, progress));
          },
          nb::arg("paths"), nb::arg("plan").none(), nb::arg("options"),
          nb::arg("opener").none(), nb::arg("progress"))
      .def(
          "with_plan",
          [](const PyDataset& self, const PyPlan& plan) {
            return self.With(plan.plan());
          },
          nb::arg("plan"))
      .def("take", &TakeRows, nb::arg("rows"), nb::arg("block") = 0,
           nb::arg("kept") = 1, nb::arg("lanes") = nb::none(), nb::lock_self())
      .def("dicts", &DictsOf, nb::arg("rows"), nb::lock_self())
      .def("row", &RowDict, nb::arg("row"), nb::lock_self())
      .def("origin", &OriginOf, nb::arg("row"))
      .def_prop_ro("files",
                   [](const PyDataset& self) {
                     return ToList(self.dataset().files(), &ToPath);
                   })
      .def_prop_ro("plan",
                   [](const PyDataset& self) { return PyPlan(self.layout()); })
      .def_prop_ro(
          "late",
          [](const PyDataset& self) { return LateFeatures(self.late()); })
      .def_prop_ro("absent",
                   [](const PyDataset& self) {
                     return AbsentFeatures(self.report().absent);
                   })
      .def_prop_ro(
          "untold",
          [](const PyDataset& self) { return AbsentFeatures(self.untold()); })
      .def_prop_ro("num_lists_left_out",
                   [](const PyDataset& self) {
                     return self.report().num_lists_left_out;
                   })
      .def_prop_ro(
          "num_late",
          [](const PyDataset& self) { return self.dataset().num_late(); })
      .def_prop_ro(
          "fingerprint",
          [](const PyDataset& self) { return self.dataset().fingerprint(); })
      .def("__len__", [](const PyDataset& self) {
        return static_cast<size_t>(self.dataset().size());
      });
}

}  // namespace headrace::python
