// The Python class Tensor, and the Arrow export of all fields.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <span>
#include <string>

#include "headrace/plan.h"
#include "python/src/array_methods.h"
#include "python/src/arrow_capsule.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/saved.h"
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

// Returns the first rows; numpy abbreviates them, since `most` is for lists.
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

// Implements memoryview(tensor): a numpy array fills the view, which keeps the
// array alive.
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
    "iteration are those of the array that numpy() returns, and so are their\n"
    "results. It is a view of the batch's memory, which it keeps alive.\n"
    "numpy.asarray, memoryview and DLPack accept it, and Arrow accepts the\n"
    "tensor of a feature.";

nb::object DlpackOf(nb::handle_t<PyTensor> self, const nb::kwargs& arguments) {
  const auto& tensor = nb::cast<const PyTensor&>(self);
  return ToDlpack(tensor.view, self, tensor.is_structure, arguments);
}

}  // namespace

void BindTensor(nb::module_& m) {
  nb::class_<PyTensor> type(m, "Tensor", nb::type_slots(kTensorSlots),
                            nb::is_final(), kTensorDoc);
  type.def_prop_ro(
          "name", [](const PyTensor& self) { return NameOf(self); },
          "Name of the feature; None for a part of another tensor.")
      .def_prop_ro(
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
      .def(
          "__dlpack__", &DlpackOf,
          "Returns a capsule for from_dlpack of torch, jax, numpy and others, "
          "on the CPU: values without a copy, read-only for consumers that ask "
          "for DLPack 1.0; a copy of offsets, splits, lengths and sizes. "
          "Raises BufferError for bytes.")
      .def("__dlpack_device__",
           [](const PyTensor&) { return nb::make_tuple(1, 0); })
      .def("__getitem__", &ItemOf, nb::arg("key").none())
      .def("__len__", &LengthOf)
      .def("_head", &DenseHead, nb::arg("rows"), nb::arg("most"))
      .def("__repr__", &DenseText);
  AddNotebook(&type, "field_html");
  AddArrayMethods(&type);
  AddArrow(&type);
  AddPickling(&type);
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
  Status status;
  {
    nb::gil_scoped_release release;
    status = ExportField(self.batch, self.index, self.layout->arrow, &array);
  }
  Check(status);
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
    case TensorKind::kDense:
      break;
  }
  return nb::cast(
      PyTensor{field, {tensor.values, tensor.dtype, SizesOf(tensor.shape)}});
}

}  // namespace headrace::python
