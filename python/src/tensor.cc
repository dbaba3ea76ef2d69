// The Python classes Tensor, SparseTensor, RaggedTensor and JaggedTensor, and
// the Arrow export of all fields.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "headrace/plan.h"
#include "python/src/array_methods.h"
#include "python/src/arrow_capsule.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "src/read/batch/batch_copy.h"

namespace headrace::python {
namespace {

nb::object NumpyOf(nb::handle_t<PyTensor> self) {
  return ToNumpy(nb::cast<const PyTensor&>(self).view, self);
}

nb::object ArrayOf(nb::handle_t<PyTensor> self, nb::object dtype,
                   nb::object copy) {
  const DType own = nb::cast<const PyTensor&>(self).view.dtype;
  return AsArray(NumpyOf(self), own, dtype, copy);
}

nb::object ItemOf(nb::handle_t<PyTensor> self, nb::object key) {
  return NumpyOf(self)[key];
}

// Returns the size of the first dimension. A tensor has at least one.
size_t LengthOf(const PyTensor& self) { return self.view.shape[0]; }

// Returns the first rows. `most` is unused: it limits the lists that the other
// classes return, whereas numpy abbreviates an array itself.
nb::object DenseHead(nb::handle_t<PyTensor> self, size_t rows,
                     size_t /*most*/) {
  ArrayView shown = nb::cast<const PyTensor&>(self).view;
  shown.shape[0] = std::min(shown.shape[0], rows);
  return ToNumbers(shown, self);
}

std::string DenseText(nb::handle_t<PyTensor> self) {
  const auto& tensor = nb::cast<const PyTensor&>(self);
  std::string text = "Tensor(";
  const nb::object name = NameOf(tensor);
  if (!name.is_none()) text += Quoted(name) + ", ";
  text += Shortened(DenseHead(self, kRowsShown, kRowsShown)) +
          ", shape=" + nb::repr(ShapeTuple(tensor.view.shape)).c_str();
  return text + ", dtype=" + TypeText(tensor.view.dtype) + ")";
}

const Tensor* TensorOf(const PyTensor& self) {
  if (self.index == PyTensor::kNoField) return nullptr;
  return &self.batch.tensors()[self.index];
}

nb::object LengthsOf(const PyTensor& self) {
  const Tensor* tensor = TensorOf(self);
  if (tensor == nullptr) return nb::none();
  const TensorField& field = PlanOf(self.batch)->tensors()[self.index];
  if (field.feature.config.layout != Layout::kFixedLenSequence) {
    return nb::none();
  }
  return WrapStructure(
      self, {tensor->lengths.data(), DType::kInt64, {tensor->lengths.size()}});
}

// Implements memoryview(tensor): a numpy array fills the view, and the view
// keeps the array alive.
int GetBuffer(PyObject* self, Py_buffer* buffer, int flags) {
  try {
    const auto& view = nb::cast<const PyTensor&>(nb::handle(self)).view;
    if (view.dtype == DType::kBytes || view.dtype == DType::kBfloat16) {
      PyErr_SetString(PyExc_BufferError,
                      view.dtype == DType::kBytes
                          ? "values of bytes have no buffer"
                          : "a buffer has no format for bfloat16");
      return -1;
    }
    const nb::object array = ToNumpy(view, self);
    return PyObject_GetBuffer(array.ptr(), buffer, flags);
  } catch (nb::python_error& error) {
    error.restore();
    return -1;
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return -1;
  }
}

PyType_Slot kTensorSlots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(&GetBuffer)},
    {0, nullptr},
};

constexpr const char* kTensorDoc =
    "A dense tensor, or a part of another tensor.\n\n"
    "    >>> batch[\"age\"].numpy()\n"
    "    array([37, 41])\n"
    "    >>> torch.from_dlpack(batch[\"age\"])\n\n"
    "A tensor is a read-only array: comparisons, arithmetic, indexing and\n"
    "iteration work as on the array that numpy() returns, and return numpy\n"
    "arrays and scalars. It is a view of the batch's memory, which it keeps\n"
    "alive. numpy.asarray accepts any tensor, DLPack any but bytes, and\n"
    "memoryview any but bytes and bfloat16. Arrow accepts only the tensor of\n"
    "a whole feature, not a part of one.";

nb::object DlpackOf(nb::handle_t<PyTensor> self, const nb::kwargs& arguments) {
  const auto& tensor = nb::cast<const PyTensor&>(self);
  return ToDlpack(tensor.view, self, tensor.is_structure, arguments);
}

void BindDense(nb::module_& m) {
  nb::class_<PyTensor> type(m, "Tensor", nb::type_slots(kTensorSlots),
                            nb::is_final(), kTensorDoc);
  type.def_prop_ro(
          "dtype",
          [](const PyTensor& self) { return NumpyType(self.view.dtype); },
          "The numpy.dtype of numpy(); object for bytes.")
      .def_prop_ro(
          "shape",
          [](const PyTensor& self) { return ShapeTuple(self.view.shape); },
          "A tuple of sizes, the rows first.")
      .def_prop_ro(
          "ndim", [](const PyTensor& self) { return self.view.shape.size(); },
          "Number of dimensions.")
      .def_prop_ro(
          "size", [](const PyTensor& self) { return self.view.size(); },
          "Number of values.")
      .def_prop_ro("lengths", &LengthsOf,
                   "For a fixed_len_sequence: the number of steps in each row "
                   "before padding, [rows] int64. None for other tensors.")
      .def("numpy", &NumpyOf,
           "Returns the values as a read-only numpy array, without a copy; for "
           "bytes, as a new array of bytes objects.")
      .def(
          "tolist",
          [](nb::handle_t<PyTensor> self) {
            return ToNumbers(nb::cast<const PyTensor&>(self).view, self)
                .attr("tolist")();
          },
          "Returns the values as nested lists.")
      .def("__array__", &ArrayOf, nb::arg("dtype") = nb::none(),
           nb::arg("copy") = nb::none())
      .def("__dlpack__", &DlpackOf,
           "Returns a CPU capsule for from_dlpack of torch, jax, numpy and "
           "others. Values are shared, not copied; only consumers that ask for "
           "DLPack 1.0 see that they are read-only. Offsets, splits, lengths "
           "and sizes are copied. Raises BufferError for bytes.")
      .def("__dlpack_device__",
           [](const PyTensor&) { return nb::make_tuple(1, 0); })
      .def("__getitem__", &ItemOf, nb::arg("key").none())
      .def_prop_ro("_address",
                   [](const PyTensor& self) {
                     return reinterpret_cast<uintptr_t>(self.view.data);
                   })
      .def("__len__", &LengthOf)
      .def("_head", &DenseHead, nb::arg("rows"), nb::arg("most"))
      .def("__repr__", &DenseText);
  AddArrayMethods(&type);
  AddField(&type, "Name of the feature; None for a part of another tensor.");
}

// SparseTensor and RaggedTensor.

// Returns a view of items [begin, end) of the array.
ArrayView Part(const ArrayView& view, int64_t begin, int64_t end) {
  ArrayView part = view;
  part.shape[0] = static_cast<size_t>(end - begin);
  const size_t size = view.shape[0] == 0 ? 0 : view.size() / view.shape[0];
  // An empty array may have a null address.
  if (view.data != nullptr) {
    part.data = static_cast<const uint8_t*>(view.data) +
                static_cast<size_t>(begin) * size * DTypeSize(view.dtype);
  }
  return part;
}

// Returns `count` lists; list i has the items [offsets[i], offsets[i + 1]).
template <class Offsets>
nb::object Cut(const nb::object& items, const Offsets& offsets, size_t count) {
  nb::list lists;
  for (size_t i = 0; i < count; ++i) {
    lists.append(nb::steal(
        PyList_GetSlice(items.ptr(), static_cast<Py_ssize_t>(offsets[i]),
                        static_cast<Py_ssize_t>(offsets[i + 1]))));
  }
  return lists;
}

nb::object SparseIndices(const PySparse& self) {
  const Tensor& tensor = self.tensor();
  return WrapValues(self, {tensor.indices.data(),
                           DType::kInt64,
                           {tensor.num_values, tensor.shape.size()}});
}

nb::object SparseValues(const PySparse& self) {
  const Tensor& tensor = self.tensor();
  return WrapValues(self, {tensor.values, tensor.dtype, {tensor.num_values}});
}

nb::object DenseShape(const PySparse& self) {
  const Tensor& tensor = self.tensor();
  return WrapStructure(
      self, {tensor.shape.data(), DType::kInt64, {tensor.shape.size()}});
}

nb::tuple SparseShape(const PySparse& self) {
  return ShapeTuple(SizesOf(self.tensor().shape));
}

std::string SparseText(const PySparse& self) {
  return "SparseTensor(" + Quoted(NameOf(self)) +
         ", values=" + std::to_string(self.tensor().num_values) +
         ", shape=" + nb::repr(SparseShape(self)).c_str() +
         ", dtype=" + TypeText(self.tensor().dtype) + ")";
}

// Cuts items into rows. The items are values, or one coordinate of their
// indices. Rows of a feature list are lists of steps.
nb::object Rows(const PySparse& self, nb::object items) {
  const Tensor& tensor = self.tensor();
  const size_t rows = self.num_rows();
  if (rows == 0) return nb::list();
  if (tensor.step_offsets != nullptr) {
    items = Cut(items, tensor.step_offsets,
                static_cast<size_t>(tensor.row_offsets[rows]));
  }
  return Cut(items, tensor.row_offsets, rows);
}

nb::object SparseToList(nb::handle_t<PySparse> object) {
  const auto& self = nb::cast<const PySparse&>(object);
  const Tensor& tensor = self.tensor();
  const FeatureConfig& config =
      self.layout->plan.tensors()[self.index].feature.config;
  const ArrayView values = {tensor.values, tensor.dtype, {tensor.num_values}};
  nb::object lists = Rows(self, ToNumbers(values, object).attr("tolist")());
  if (config.layout != Layout::kSparse) return lists;
  nb::dict fields;
  for (size_t i = 0; i < config.index_keys.size(); ++i) {
    nb::list indices;
    for (size_t value = 0; value < tensor.num_values; ++value) {
      indices.append(tensor.indices[value * tensor.shape.size() + 1 + i]);
    }
    fields[ToText(config.index_keys[i])] = Rows(self, indices);
  }
  return nb::module_::import_("headrace.plain")
      .attr("sparse_rows")(fields, lists);
}

// Returns the first rows, as values without indices; rows of a feature list are
// lists of steps.
nb::list SparseHead(nb::handle_t<PySparse> object, size_t rows, size_t most) {
  const auto& self = nb::cast<const PySparse&>(object);
  const Tensor& tensor = self.tensor();
  const auto values = [&](int64_t begin, int64_t end) {
    const int64_t count = std::min(end - begin, static_cast<int64_t>(most));
    return ToNumbers(Part({tensor.values, tensor.dtype, {tensor.num_values}},
                          begin, begin + count),
                     object);
  };
  nb::list list;
  for (size_t row = 0; row < std::min(self.num_rows(), rows); ++row) {
    const int64_t begin = tensor.row_offsets[row];
    const int64_t end = tensor.row_offsets[row + 1];
    if (tensor.step_offsets == nullptr) {
      list.append(values(begin, end));
      continue;
    }
    nb::list steps;
    for (int64_t step = begin; step < end && nb::len(steps) < most; ++step) {
      steps.append(
          values(tensor.step_offsets[step], tensor.step_offsets[step + 1]));
    }
    list.append(steps);
  }
  return list;
}

// Returns the shape, with None for a ragged dimension.
nb::tuple RaggedShape(const PyRagged& self) {
  nb::list list;
  list.append(self.batch.num_rows());
  for (size_t i = 0; i < self.tensor().row_splits.size(); ++i) {
    list.append(nb::none());
  }
  for (const int64_t size : self.tensor().shape) list.append(size);
  return nb::tuple(list);
}

// Returns all values, with the shape [number of items in the innermost rows] +
// the uniform dimensions of an item.
ArrayView RaggedView(const Tensor& tensor) {
  std::vector<size_t> shape = SizesOf(tensor.shape);
  size_t inner = 1;
  for (const size_t size : shape) inner *= size;
  const RowSplits& last = tensor.row_splits.back();
  // If a uniform dimension is 0, there are no values, and only the splits show
  // how many items there are.
  const size_t rows = inner > 0 ? tensor.num_values / inner
                                : static_cast<size_t>(last[last.size - 1]);
  shape.insert(shape.begin(), rows);
  return {tensor.values, tensor.dtype, std::move(shape)};
}

nb::object RaggedValues(const PyRagged& self) {
  return WrapValues(self, RaggedView(self.tensor()));
}

nb::list RaggedSplits(const PyRagged& self) {
  return ToList(self.tensor().row_splits, [&](const RowSplits& splits) {
    const DType dtype = splits.is_int64 ? DType::kInt64 : DType::kInt32;
    return WrapStructure(self, {splits.data, dtype, {splits.size}});
  });
}

// Returns row `row` of a level as an array, or as a list of the rows inside it,
// with at most `most` items each. `make` makes arrays.
nb::object RaggedRow(nb::handle_t<PyRagged> self, size_t row,
                     int64_t most = std::numeric_limits<int64_t>::max(),
                     size_t level = 0, decltype(&ToNumpy) make = &ToNumpy) {
  const Tensor& tensor = nb::cast<const PyRagged&>(self).tensor();
  const RowSplits& splits = tensor.row_splits[level];
  const int64_t begin = splits[row];
  const int64_t end = begin + std::min(splits[row + 1] - begin, most);
  if (level + 1 == tensor.row_splits.size()) {
    return make(Part(RaggedView(tensor), begin, end), self);
  }
  nb::list rows;
  for (int64_t i = begin; i < end; ++i) {
    rows.append(RaggedRow(self, static_cast<size_t>(i), most, level + 1, make));
  }
  return rows;
}

nb::object RaggedToList(nb::handle_t<PyRagged> self) {
  const Tensor& tensor = nb::cast<const PyRagged&>(self).tensor();
  nb::object items = ToNumbers(RaggedView(tensor), self).attr("tolist")();
  for (size_t i = tensor.row_splits.size(); i-- > 0;) {
    const RowSplits& splits = tensor.row_splits[i];
    items = Cut(items, splits, splits.size - 1);
  }
  return items;
}

nb::list RaggedHead(nb::handle_t<PyRagged> self, size_t rows, size_t most) {
  const size_t num_rows = nb::cast<const PyRagged&>(self).num_rows();
  nb::list list;
  for (size_t row = 0; row < std::min(num_rows, rows); ++row) {
    list.append(
        RaggedRow(self, row, static_cast<int64_t>(most), 0, &ToNumbers));
  }
  return list;
}

std::string RaggedText(nb::handle_t<PyRagged> self) {
  const auto& ragged = nb::cast<const PyRagged&>(self);
  return "RaggedTensor(" + Quoted(NameOf(ragged)) + ", " +
         Shortened(RaggedHead(self, kRowsShown, kRowsShown)) +
         ", shape=" + nb::repr(RaggedShape(ragged)).c_str() +
         ", dtype=" + TypeText(ragged.tensor().dtype) + ")";
}

constexpr const char* kSparseDoc =
    "The tensor of tf.io.VarLenFeature and SparseFeature, like\n"
    "tf.sparse.SparseTensor.\n\n"
    "    >>> t = batch[\"tags\"]\n"
    "    >>> t.indices.numpy(), t.values.numpy(), t.dense_shape.numpy()";

constexpr const char* kRaggedDoc =
    "The tensor of tf.io.RaggedFeature, like tf.RaggedTensor.\n\n"
    "    >>> t = batch[\"ids\"]\n"
    "    >>> splits = t.row_splits[0].numpy()\n"
    "    >>> t.values.numpy()[splits[0]:splits[1]]     # row 0\n"
    "    >>> t[0]                                      # the same\n\n"
    "Rows are indexed by number or by a slice. A row is an array, or, with\n"
    "several ragged dimensions, a list of arrays.";

constexpr const char* kSparseNoComparison =
    "a SparseTensor cannot be compared and has no truth value; use .values and "
    ".indices, .to_dense(), .tolist() or len()";
constexpr const char* kSparseNoArray =
    "a SparseTensor is not an array; use .indices, .values and .dense_shape, "
    ".to_dense() or .tolist()";
constexpr const char* kRaggedNoComparison =
    "a RaggedTensor cannot be compared and has no truth value; use .values, "
    ".to_dense(), .tolist() or len()";
constexpr const char* kRaggedNoArray =
    "a RaggedTensor is not an array; use .values and .row_splits, .to_dense() "
    "or .tolist()";

// Adds the type of the values, and to_dense, which calls a function of
// headrace/plain.py.
template <class Class>
void AddDense(Class* type, const char* function, const char* doc) {
  using Self = typename Class::Type;
  type->def_prop_ro(
          "dtype",
          [](const Self& self) { return NumpyType(self.tensor().dtype); },
          "The numpy.dtype of the values.")
      .def(
          "to_dense",
          [function](nb::handle self, const nb::object& default_value) {
            return nb::module_::import_("headrace.plain")
                .attr(function)(self, default_value);
          },
          nb::arg("default_value") = nb::none(), doc);
}

void BindSparse(nb::module_& m) {
  nb::class_<PySparse> type(m, "SparseTensor", nb::is_final(), kSparseDoc);
  type.def_prop_ro("shape", &SparseShape, "The dense shape as a tuple.")
      .def_prop_ro("indices", &SparseIndices,
                   "Tensor [values, dimensions] int64, row by row.")
      .def_prop_ro("values", &SparseValues, "Tensor [values].")
      .def_prop_ro("dense_shape", &DenseShape, "Tensor [dimensions] int64.")
      .def("tolist", &SparseToList,
           "Returns the rows: for a VarLenFeature lists of values, for a "
           "SparseFeature dicts with a list for each index key and for "
           "\"values\", as in Arrow.")
      .def("__len__", &PySparse::num_rows)
      .def("_head", &SparseHead, nb::arg("rows"), nb::arg("most"))
      .def("__repr__", &SparseText);
  AddDense(&type, "dense_of_sparse",
           "Returns a new array of the dense shape, filled with 0, b\"\" or "
           "the default. Raises BadSparseIndexError for an index outside the "
           "shape, ValueError for an index that occurs twice.");
  AddField(&type);
  RefuseComparisons(&type, kSparseNoComparison);
  RefuseArray(&type, kSparseNoArray);
}

void BindRagged(nb::module_& m) {
  nb::class_<PyRagged> type(m, "RaggedTensor", nb::is_final(), kRaggedDoc);
  type.def_prop_ro("shape", &RaggedShape,
                   "A tuple of sizes, None for a ragged dimension.")
      .def_prop_ro("values", &RaggedValues,
                   "Tensor of all values, [values] or [values] + the uniform "
                   "dimensions inside the innermost ragged dimension.")
      .def_prop_ro("row_splits", &RaggedSplits,
                   "A list of Tensor, int32 or int64 as the spec says, "
                   "outermost first: row r of a level is [splits[r], "
                   "splits[r + 1]) of the next, or of the values.")
      .def("tolist", &RaggedToList, "Returns the rows as nested lists.")
      .def("_head", &RaggedHead, nb::arg("rows"), nb::arg("most"))
      .def("__repr__", &RaggedText);
  AddDense(&type, "dense_of_ragged",
           "Returns a new array whose rows are padded to the longest with 0, "
           "b\"\" or the default.");
  AddField(&type);
  AddRows(&type, [](nb::handle_t<PyRagged> self, size_t row) {
    return RaggedRow(self, row);
  });
  RefuseComparisons(&type, kRaggedNoComparison);
  RefuseArray(&type, kRaggedNoArray);
}

constexpr const char* kJaggedDoc =
    "The tensor of headrace.Jagged: the values of several features, key after\n"
    "key, as torchrec and EmbeddingBag take them.\n\n"
    "    >>> t = batch[\"ids\"]\n"
    "    >>> t.keys, t.values.numpy(), t.lengths.numpy()\n\n"
    "Row r of key k has lengths[k * rows + r] values, from\n"
    "offsets[k * rows + r] on. len(t) is the number of rows.";
constexpr const char* kJaggedNoComparison =
    "a JaggedTensor cannot be compared or be true or false; use .values, "
    ".lengths or len()";
constexpr const char* kJaggedNoArray =
    "a JaggedTensor is not an array; use .values, .lengths and .offsets";

nb::object JaggedInts(const PyJagged& self, const RowSplits& ints) {
  const DType dtype = ints.is_int64 ? DType::kInt64 : DType::kInt32;
  return WrapStructure(self, {ints.data, dtype, {ints.size}});
}

nb::list JaggedKeys(const PyJagged& self) {
  return ToList(self.tensor().keys,
                [](std::string_view key) { return ToText(key); });
}

nb::list LengthPerKey(const PyJagged& self) {
  int64_t begin = 0;
  return ToList(self.tensor().key_ends, [&begin](int64_t end) {
    return nb::int_(end - std::exchange(begin, end));
  });
}

nb::object JaggedWeights(const PyJagged& self) {
  const Tensor& tensor = self.tensor();
  if (tensor.weights == nullptr) return nb::none();
  return WrapValues(self, {tensor.weights, DType::kFloat, {tensor.num_values}});
}

// Returns the first rows as dicts of keys and what `part` returns for the
// values [begin, end); with weights, a tuple with their list, too.
template <class Parts>
nb::list JaggedRows(const PyJagged& self, size_t rows, Parts part) {
  const Tensor& tensor = self.tensor();
  nb::list list;
  for (size_t row = 0; row < std::min(self.num_rows(), rows); ++row) {
    nb::dict cells;
    for (size_t key = 0; key < tensor.keys.size(); ++key) {
      const size_t cell = key * self.num_rows() + row;
      cells[ToText(tensor.keys[key])] =
          part(tensor.key_offsets[cell], tensor.key_offsets[cell + 1]);
    }
    list.append(cells);
  }
  return list;
}

// Returns the views of the values and, if there are any, of the weights.
std::vector<ArrayView> JaggedViews(const Tensor& tensor) {
  std::vector<ArrayView> views = {
      {tensor.values, tensor.dtype, {tensor.num_values}}};
  if (tensor.weights != nullptr) {
    views.push_back({tensor.weights, DType::kFloat, {tensor.num_values}});
  }
  return views;
}

// Returns the only item, or a tuple of both.
nb::object AloneOrPair(const nb::list& items) {
  return nb::len(items) == 1 ? nb::object(items[0])
                             : nb::object(nb::tuple(items));
}

nb::object JaggedToList(nb::handle_t<PyJagged> object) {
  const auto& self = nb::cast<const PyJagged&>(object);
  const std::vector<ArrayView> views = JaggedViews(self.tensor());
  const nb::list lists = ToList(views, [&](const ArrayView& view) {
    return ToNumbers(view, object).attr("tolist")();
  });
  return JaggedRows(self, self.num_rows(), [&](int64_t begin, int64_t end) {
    nb::list parts;
    for (const nb::handle list : lists) {
      parts.append(nb::steal(PyList_GetSlice(list.ptr(), begin, end)));
    }
    return AloneOrPair(parts);
  });
}

nb::list JaggedHead(nb::handle_t<PyJagged> object, size_t rows, size_t most) {
  const auto& self = nb::cast<const PyJagged&>(object);
  const std::vector<ArrayView> views = JaggedViews(self.tensor());
  return JaggedRows(self, rows, [&](int64_t begin, int64_t end) {
    const int64_t cut = std::min(end, begin + static_cast<int64_t>(most));
    return AloneOrPair(ToList(views, [&](const ArrayView& view) {
      return ToNumbers(Part(view, begin, cut), object).attr("tolist")();
    }));
  });
}

std::string JaggedText(const PyJagged& self) {
  return "JaggedTensor(" + Quoted(NameOf(self)) +
         ", keys=" + nb::repr(JaggedKeys(self)).c_str() +
         ", rows=" + std::to_string(self.num_rows()) +
         ", values=" + std::to_string(self.tensor().num_values) +
         ", dtype=" + TypeText(self.tensor().dtype) + ")";
}

void BindJagged(nb::module_& m) {
  nb::class_<PyJagged> type(m, "JaggedTensor", nb::is_final(), kJaggedDoc);
  type.def_prop_ro("keys", &JaggedKeys, "The names of the features, a list.")
      .def_prop_ro(
          "dtype",
          [](const PyJagged& self) { return NumpyType(self.tensor().dtype); },
          "The numpy.dtype of the values.")
      .def_prop_ro(
          "values",
          [](const PyJagged& self) {
            const Tensor& tensor = self.tensor();
            return WrapValues(
                self, {tensor.values, tensor.dtype, {tensor.num_values}});
          },
          "Tensor [values], key after key.")
      .def_prop_ro(
          "lengths",
          [](const PyJagged& self) {
            return JaggedInts(self, self.tensor().key_lengths);
          },
          "Tensor [keys * rows], int32 or int64 as the spec says.")
      .def_prop_ro(
          "offsets",
          [](const PyJagged& self) {
            return JaggedInts(self, self.tensor().key_offsets);
          },
          "Tensor [keys * rows + 1], of the type of lengths.")
      .def_prop_ro("weights", &JaggedWeights,
                   "Tensor [values] float32; None for a group without weights.")
      .def_prop_ro("length_per_key", &LengthPerKey,
                   "The number of values of each key, a list of int.")
      .def("tolist", &JaggedToList,
           "Returns the rows as dicts: for each key a list of values, with "
           "weights a tuple of two lists.")
      .def(
          "to_kjt",
          [](nb::handle_t<PyJagged> self) {
            return nb::module_::import_("headrace.adapters.kjt")
                .attr("to_kjt")(self);
          },
          "Returns a torchrec.KeyedJaggedTensor that shares the values and the "
          "weights. Needs torchrec.")
      .def("__len__", &PyJagged::num_rows)
      .def("_head", &JaggedHead, nb::arg("rows"), nb::arg("most"))
      .def("__repr__", &JaggedText);
  AddField(&type);
  RefuseComparisons(&type, kJaggedNoComparison);
  RefuseArray(&type, kJaggedNoArray);
}

}  // namespace

void BindTensors(nb::module_& m) {
  BindDense(m);
  BindSparse(m);
  BindRagged(m);
  BindJagged(m);
}

nb::object FieldSchema(const PyField& self) {
  if (self.index == PyTensor::kNoField) {
    throw nb::attribute_error("a part of a tensor has no Arrow type");
  }
  const std::span<const TensorField> tensors = self.layout->plan.tensors();
  if (!tensors.empty()) WarnOfBits(tensors.subspan(self.index, 1));
  ArrowSchema schema;
  Check(ExportFieldSchema(self.layout->plan, self.index, self.layout->arrow,
                          &schema));
  return SchemaCapsule(&schema);
}

nb::object FieldToArrow(const PyField& self) {
  nb::object type = FieldSchema(self);
  ArrowArray array;
  Check(WithoutGil([&] {
    return ExportField(self.batch, self.index, self.layout->arrow, &array);
  }));
  return nb::make_tuple(std::move(type), ArrayCapsule(&array));
}

std::vector<size_t> SizesOf(std::span<const int64_t> shape) {
  return {shape.begin(), shape.end()};
}

std::string TypeText(DType dtype) {
  return dtype == DType::kFloat ? "float32" : std::string(DTypeName(dtype));
}

nb::object NameOf(const PyField& field) {
  if (field.index == PyTensor::kNoField) return nb::none();
  return field.layout->names[field.index];
}

std::string Shortened(const nb::object& rows) {
  const nb::object text =
      nb::module_::import_("headrace.plain").attr("shortened")(rows);
  return nb::cast<std::string>(text);
}

nb::object WrapValues(const PyField& field, ArrayView view) {
  return nb::cast(PyTensor{{field.batch, field.layout, PyTensor::kNoField},
                           std::move(view)});
}

nb::object WrapStructure(const PyField& field, ArrayView view) {
  return nb::cast(PyTensor{{field.batch, field.layout, PyTensor::kNoField},
                           std::move(view),
                           /*is_structure=*/true});
}

nb::object WrapTensor(const PyField& field) {
  const Tensor& tensor = field.batch.tensors()[field.index];
  switch (tensor.kind) {
    case TensorKind::kSparse:
      return nb::cast(PySparse{field});
    case TensorKind::kRagged:
      return nb::cast(PyRagged{field});
    case TensorKind::kJagged:
      return nb::cast(PyJagged{field});
    case TensorKind::kDense:
      break;
  }
  return nb::cast(
      PyTensor{field, {tensor.values, tensor.dtype, SizesOf(tensor.shape)}});
}

}  // namespace headrace::python
