#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "python/src/arrow_capsule.h"
#include "python/src/batch.h"
#include "python/src/error.h"

namespace headrace::python {
namespace {

std::vector<size_t> SizesOf(std::span<const int64_t> shape) {
  return {shape.begin(), shape.end()};
}

nb::tuple ShapeOf(const std::vector<size_t>& shape) {
  nb::list list;
  for (const size_t size : shape) list.append(size);
  return nb::tuple(list);
}

// As Python names it: float32 is what a "float" of a record is.
std::string TypeText(DType dtype) {
  return dtype == DType::kFloat ? "float32" : std::string(DTypeName(dtype));
}

nb::object NameOf(const PyField& field) {
  if (field.index == PyTensor::kNoField) return nb::none();
  return field.layout->names[field.index];
}

// ------------------------------------------------------------- Dense arrays

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

size_t LengthOf(const PyTensor& self) {
  if (self.view.shape.empty()) throw nb::type_error("a scalar has no length");
  return self.view.shape[0];
}

std::string DenseText(nb::handle_t<PyTensor> self) {
  const auto& tensor = nb::cast<const PyTensor&>(self);
  std::string text = "Tensor(";
  const nb::object name = NameOf(tensor);
  if (!name.is_none()) text += std::string(nb::repr(name).c_str()) + ", ";
  text += "shape=" + std::string(nb::repr(ShapeOf(tensor.view.shape)).c_str());
  return text + ", dtype=" + TypeText(tensor.view.dtype) + ")";
}

const Tensor* TensorOf(const PyTensor& self) {
  if (self.index == PyTensor::kNoField) return nullptr;
  return &self.batch.tensors()[self.index];
}

nb::object LengthsOf(const PyTensor& self) {
  const Tensor* tensor = TensorOf(self);
  if (tensor == nullptr || !tensor->in_sequence) return nb::none();
  return WrapArray(
      self, {tensor->lengths.data(), DType::kInt64, {tensor->lengths.size()}});
}

// memoryview(tensor): numpy's array does it, and is what the view keeps alive.
int GetBuffer(PyObject* self, Py_buffer* buffer, int flags) {
  try {
    const auto& view = nb::cast<const PyTensor&>(nb::handle(self)).view;
    if (view.dtype == DType::kBytes) {
      PyErr_SetString(PyExc_BufferError, "values of bytes have no buffer");
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

// --------------------------------------------------------- Sparse and ragged

nb::object SparseIndices(const PySparse& self) {
  const Tensor& tensor = self.tensor();
  return WrapArray(self, {tensor.indices.data(),
                          DType::kInt64,
                          {tensor.num_values, tensor.shape.size()}});
}

nb::object SparseValues(const PySparse& self) {
  const Tensor& tensor = self.tensor();
  return WrapArray(self, {tensor.values, tensor.dtype, {tensor.num_values}});
}

nb::object DenseShape(const PySparse& self) {
  const Tensor& tensor = self.tensor();
  return WrapArray(self,
                   {tensor.shape.data(), DType::kInt64, {tensor.shape.size()}});
}

// With the uniform dimensions inside the innermost row splits.
nb::object RaggedValues(const PyRagged& self) {
  const Tensor& tensor = self.tensor();
  std::vector<size_t> shape = SizesOf(tensor.shape);
  size_t inner = 1;
  for (const size_t size : shape) inner *= size;
  const RowSplits& last = tensor.row_splits.back();
  // Without inner values their number is only known from the splits.
  const size_t rows = inner > 0 ? tensor.num_values / inner
                                : static_cast<size_t>(last[last.size - 1]);
  shape.insert(shape.begin(), rows);
  return WrapArray(self, {tensor.values, tensor.dtype, std::move(shape)});
}

nb::list RaggedSplits(const PyRagged& self) {
  nb::list list;
  for (const RowSplits& splits : self.tensor().row_splits) {
    list.append(
        WrapArray(self, {splits.data,
                         splits.is_int64 ? DType::kInt64 : DType::kInt32,
                         {splits.size}}));
  }
  return list;
}

std::string FieldText(const char* type, const PyField& self,
                      const Tensor& tensor, const nb::object& shape) {
  return std::string(type) + "(" + nb::repr(NameOf(self)).c_str() +
         ", shape=" + nb::repr(shape).c_str() +
         ", dtype=" + TypeText(tensor.dtype) + ")";
}

nb::tuple SparseShape(const PySparse& self) {
  return ShapeOf(SizesOf(self.tensor().shape));
}

// None stands for a ragged dimension.
nb::tuple RaggedShape(const PyRagged& self) {
  nb::list list;
  list.append(self.batch.num_rows());
  for (size_t i = 0; i < self.tensor().row_splits.size(); ++i) {
    list.append(nb::none());
  }
  for (const int64_t size : self.tensor().shape) list.append(size);
  return nb::tuple(list);
}

constexpr const char* kTensorDoc =
    "Values of one type and shape: a dense tensor, or a part of another "
    "one.\n\n"
    "    >>> batch[\"age\"].numpy()\n"
    "    array([37, 41])\n"
    "    >>> torch.from_dlpack(batch[\"age\"])\n\n"
    "A view of the batch's memory, which it keeps alive. numpy.asarray,\n"
    "memoryview, DLPack and, for the tensor of a feature, Arrow take it.";

constexpr const char* kSparseDoc =
    "What tf.io.VarLenFeature and SparseFeature give, as "
    "tf.sparse.SparseTensor."
    "\n\n"
    "    >>> t = batch[\"tags\"]\n"
    "    >>> t.indices.numpy(), t.values.numpy(), t.dense_shape.numpy()";

constexpr const char* kRaggedDoc =
    "What tf.io.RaggedFeature gives, as tf.RaggedTensor.\n\n"
    "    >>> t = batch[\"ids\"]\n"
    "    >>> splits = t.row_splits[0].numpy()\n"
    "    >>> t.values.numpy()[splits[0]:splits[1]]     # row 0";

void BindDense(nb::module_& m) {
  nb::class_<PyTensor> type(m, "Tensor", nb::type_slots(kTensorSlots),
                            nb::is_final(), kTensorDoc);
  type.def_prop_ro(
          "name", [](const PyTensor& self) { return NameOf(self); },
          "Of the feature; None of a part of another tensor.")
      .def_prop_ro(
          "dtype",
          [](const PyTensor& self) { return NumpyType(self.view.dtype); },
          "The numpy.dtype of numpy(); object for bytes.")
      .def_prop_ro(
          "shape",
          [](const PyTensor& self) { return ShapeOf(self.view.shape); },
          "A tuple of sizes, the rows first.")
      .def_prop_ro(
          "ndim", [](const PyTensor& self) { return self.view.shape.size(); },
          "Number of dimensions.")
      .def_prop_ro(
          "size", [](const PyTensor& self) { return self.view.size(); },
          "Number of values.")
      .def_prop_ro("lengths", &LengthsOf,
                   "Of a feature list: the number of steps of each row before "
                   "padding, [rows] int64. None of others.")
      .def("numpy", &NumpyOf,
           "The values as a read-only numpy array, without a copy. Of bytes: a "
           "new array of bytes objects.")
      .def(
          "tolist",
          [](nb::handle_t<PyTensor> self) {
            return NumpyOf(self).attr("tolist")();
          },
          "The values as nested lists.")
      .def("__array__", &ArrayOf, nb::arg("dtype") = nb::none(),
           nb::arg("copy") = nb::none())
      .def(
          "__dlpack__",
          [](nb::handle_t<PyTensor> self, const nb::kwargs& arguments) {
            return ToDlpack(nb::cast<const PyTensor&>(self).view, self,
                            arguments);
          },
          "For from_dlpack of torch, jax, numpy and others: no copy, on the "
          "CPU. BufferError for bytes.")
      .def("__dlpack_device__",
           [](const PyTensor&) { return nb::make_tuple(1, 0); })
      .def("__getitem__", &ItemOf)
      .def("__len__", &LengthOf)
      .def("__repr__", &DenseText);
  AddArrow(&type);
}

void BindSparse(nb::module_& m) {
  nb::class_<PySparse> type(m, "SparseTensor", nb::is_final(), kSparseDoc);
  type.def_prop_ro(
          "name", [](const PySparse& self) { return NameOf(self); },
          "Of the feature.")
      .def_prop_ro(
          "dtype",
          [](const PySparse& self) { return NumpyType(self.tensor().dtype); },
          "The numpy.dtype of the values.")
      .def_prop_ro("shape", &SparseShape, "The dense shape as a tuple.")
      .def_prop_ro("indices", &SparseIndices,
                   "Tensor [values, dimensions] int64, row by row.")
      .def_prop_ro("values", &SparseValues, "Tensor [values].")
      .def_prop_ro("dense_shape", &DenseShape, "Tensor [dimensions] int64.")
      .def("__repr__", [](const PySparse& self) {
        return FieldText("SparseTensor", self, self.tensor(),
                         SparseShape(self));
      });
  AddArrow(&type);
}

void BindRagged(nb::module_& m) {
  nb::class_<PyRagged> type(m, "RaggedTensor", nb::is_final(), kRaggedDoc);
  type.def_prop_ro(
          "name", [](const PyRagged& self) { return NameOf(self); },
          "Of the feature.")
      .def_prop_ro(
          "dtype",
          [](const PyRagged& self) { return NumpyType(self.tensor().dtype); },
          "The numpy.dtype of the values.")
      .def_prop_ro("shape", &RaggedShape,
                   "A tuple of sizes, None for a ragged dimension.")
      .def_prop_ro("values", &RaggedValues,
                   "Tensor of all values, [values] or [values] + the uniform "
                   "dimensions inside the innermost ragged one.")
      .def_prop_ro("row_splits", &RaggedSplits,
                   "A list of Tensor, int32 or int64 as the spec says, "
                   "outermost first: row r of a level is [splits[r], "
                   "splits[r + 1]) of the next, or of the values.")
      .def("__len__",
           [](const PyRagged& self) { return self.batch.num_rows(); })
      .def("__repr__", [](const PyRagged& self) {
        return FieldText("RaggedTensor", self, self.tensor(),
                         RaggedShape(self));
      });
  AddArrow(&type);
}

}  // namespace

nb::object FieldSchema(const PyField& self) {
  if (self.index == PyTensor::kNoField) {
    throw nb::attribute_error("a part of a tensor has no Arrow type");
  }
  ArrowSchema schema;
  Check(ExportFieldSchema(self.layout->plan, self.index, self.layout->arrow,
                          &schema));
  return SchemaCapsule(&schema);
}

nb::object FieldToArrow(const PyField& self) {
  nb::object type = FieldSchema(self);
  ArrowArray array;
  Status status;
  {
    nb::gil_scoped_release release;
    status = ExportField(self.batch, self.index, self.layout->arrow, &array);
  }
  Check(status);
  return nb::make_tuple(std::move(type), ArrayCapsule(&array));
}

nb::object WrapArray(const PyField& field, ArrayView view) {
  return nb::cast(PyTensor{{field.batch, field.layout, PyTensor::kNoField},
                           std::move(view)});
}

nb::object WrapTensor(const PyField& field) {
  const Tensor& tensor = field.batch.tensors()[field.index];
  switch (tensor.kind) {
    case TensorKind::kSparse:
      return nb::cast(PySparse{field});
    case TensorKind::kRagged:
      return nb::cast(PyRagged{field});
    case TensorKind::kDense:
      break;
  }
  return nb::cast(
      PyTensor{field, {tensor.values, tensor.dtype, SizesOf(tensor.shape)}});
}

void BindTensors(nb::module_& m) {
  BindDense(m);
  BindSparse(m);
  BindRagged(m);
}

}  // namespace headrace::python
