// The Python classes SparseTensor and RaggedTensor.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "python/src/array_methods.h"
#include "python/src/batch.h"
#include "python/src/saved.h"

namespace headrace::python {
namespace {

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

// Returns all values, with the shape [innermost rows] + the uniform dimensions
// inside them.
ArrayView RaggedView(const Tensor& tensor) {
  std::vector<size_t> shape = SizesOf(tensor.shape);
  size_t inner = 1;
  for (const size_t size : shape) inner *= size;
  const RowSplits& last = tensor.row_splits.back();
  // Without inner values only the splits show how many rows there are.
  const size_t rows = inner > 0 ? tensor.num_values / inner
                                : static_cast<size_t>(last[last.size - 1]);
  shape.insert(shape.begin(), rows);
  return {tensor.values, tensor.dtype, std::move(shape)};
}

nb::object RaggedValues(const PyRagged& self) {
  return WrapValues(self, RaggedView(self.tensor()));
}

nb::list RaggedSplits(const PyRagged& self) {
  nb::list list;
  for (const RowSplits& splits : self.tensor().row_splits) {
    list.append(
        WrapStructure(self, {splits.data,
                             splits.is_int64 ? DType::kInt64 : DType::kInt32,
                             {splits.size}}));
  }
  return list;
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
    "a SparseTensor cannot be compared or be true or false; use .values and "
    ".indices, .to_dense(), .tolist() or len()";
constexpr const char* kSparseNoArray =
    "a SparseTensor is not an array; use .indices, .values and .dense_shape, "
    ".to_dense() or .tolist()";
constexpr const char* kRaggedNoComparison =
    "a RaggedTensor cannot be compared or be true or false; use .values, "
    ".to_dense(), .tolist() or len()";
constexpr const char* kRaggedNoArray =
    "a RaggedTensor is not an array; use .values and .row_splits, .to_dense() "
    "or .tolist()";

void BindSparse(nb::module_& m) {
  nb::class_<PySparse> type(m, "SparseTensor", nb::is_final(), kSparseDoc);
  type.def_prop_ro(
          "name", [](const PySparse& self) { return NameOf(self); },
          "Name of the feature.")
      .def_prop_ro(
          "dtype",
          [](const PySparse& self) { return NumpyType(self.tensor().dtype); },
          "The numpy.dtype of the values.")
      .def_prop_ro("shape", &SparseShape, "The dense shape as a tuple.")
      .def_prop_ro("indices", &SparseIndices,
                   "Tensor [values, dimensions] int64, row by row.")
      .def_prop_ro("values", &SparseValues, "Tensor [values].")
      .def_prop_ro("dense_shape", &DenseShape, "Tensor [dimensions] int64.")
      .def("tolist", &SparseToList,
           "Returns the rows: for a VarLenFeature lists of values, for a "
           "SparseFeature dicts with a list for each index key and for "
           "\"values\", as in Arrow.")
      .def(
          "to_dense",
          [](nb::handle self, const nb::object& default_value) {
            return nb::module_::import_("headrace.plain")
                .attr("dense_of_sparse")(self, default_value);
          },
          nb::arg("default_value") = nb::none(),
          "Returns a new array of the dense shape, filled up with 0, b\"\" or "
          "the default. Raises BadSparseIndexError for an index outside the "
          "shape, ValueError for an index that occurs twice.")
      .def("__len__", &PySparse::num_rows)
      .def("_head", &SparseHead, nb::arg("rows"), nb::arg("most"))
      .def("__repr__", &SparseText);
  AddNotebook(&type, "field_html");
  RefuseComparisons(&type, kSparseNoComparison);
  RefuseArray(&type, kSparseNoArray);
  AddArrow(&type);
  AddPickling(&type);
}

void BindRagged(nb::module_& m) {
  nb::class_<PyRagged> type(m, "RaggedTensor", nb::is_final(), kRaggedDoc);
  type.def_prop_ro(
          "name", [](const PyRagged& self) { return NameOf(self); },
          "Name of the feature.")
      .def_prop_ro(
          "dtype",
          [](const PyRagged& self) { return NumpyType(self.tensor().dtype); },
          "The numpy.dtype of the values.")
      .def_prop_ro("shape", &RaggedShape,
                   "A tuple of sizes, None for a ragged dimension.")
      .def_prop_ro("values", &RaggedValues,
                   "Tensor of all values, [values] or [values] + the uniform "
                   "dimensions inside the innermost ragged dimension.")
      .def_prop_ro("row_splits", &RaggedSplits,
                   "A list of Tensor, int32 or int64 as the spec says, "
                   "outermost first: row r of a level is [splits[r], "
                   "splits[r + 1]) of the next, or of the values.")
      .def("tolist", &RaggedToList, "Returns the rows as nested lists.")
      .def(
          "to_dense",
          [](nb::handle self, const nb::object& default_value) {
            return nb::module_::import_("headrace.plain")
                .attr("dense_of_ragged")(self, default_value);
          },
          nb::arg("default_value") = nb::none(),
          "Returns a new array whose rows are padded to the longest with 0, "
          "b\"\" or the default.")
      .def("_head", &RaggedHead, nb::arg("rows"), nb::arg("most"))
      .def("__repr__", &RaggedText);
  AddNotebook(&type, "field_html");
  AddRows(&type, [](nb::handle_t<PyRagged> self, size_t row) {
    return RaggedRow(self, row);
  });
  RefuseComparisons(&type, kRaggedNoComparison);
  RefuseArray(&type, kRaggedNoArray);
  AddArrow(&type);
  AddPickling(&type);
}

}  // namespace

void BindSparseAndRagged(nb::module_& m) {
  BindSparse(m);
  BindRagged(m);
}

}  // namespace headrace::python
