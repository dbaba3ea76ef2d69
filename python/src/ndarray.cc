#include "python/src/ndarray.h"

#include <nanobind/ndarray.h>

#include <numeric>

#include "python/src/error.h"

namespace headrace::python {
namespace {

nb::dlpack::dtype DlpackType(DType dtype) {
  using nb::dlpack::dtype_code;
  const auto make = [dtype](dtype_code code) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code),
                             static_cast<uint8_t>(DTypeSize(dtype) * 8), 1};
  };
  switch (dtype) {
    case DType::kFloat:
    case DType::kFloat16:
    case DType::kFloat64:
      return make(dtype_code::Float);
    case DType::kBfloat16:
      return make(dtype_code::Bfloat);
    case DType::kUint64:
    case DType::kUint32:
    case DType::kUint16:
    case DType::kUint8:
      return make(dtype_code::UInt);
    case DType::kBool:
      return make(dtype_code::Bool);
    case DType::kInt64:
    case DType::kInt32:
    case DType::kInt16:
    case DType::kInt8:
    case DType::kBytes:
      break;
  }
  return make(dtype_code::Int);
}

nb::module_ Numpy() { return nb::module_::import_("numpy"); }

// Wraps a view as an array that `owner` keeps alive; nb::ro among the framework
// types makes it read-only.
template <class... Framework>
nb::object Wrap(const ArrayView& view, DType dtype, nb::handle owner,
                const int64_t* strides = nullptr) {
  // Consumers treat a null pointer as an error, even for an empty array.
  static constexpr uint64_t kNothing = 0;
  void* data = const_cast<void*>(view.data ? view.data : &kNothing);
  const nb::ndarray<Framework...> array(data, view.shape.size(),
                                        view.shape.data(), owner, strides,
                                        DlpackType(dtype));
  return nb::cast(array, nb::rv_policy::reference);
}

// Returns a read-only array. Buffers declare 64 bits as "long long", and
// numpy's type for that is distinct from int64. So the array is viewed as
// int64.
nb::object WrapNumpy(const ArrayView& view, DType dtype, nb::handle owner,
                     const int64_t* strides = nullptr) {
  nb::object array = Wrap<nb::numpy, nb::ro>(view, dtype, owner, strides);
  if (dtype != DType::kInt64 && dtype != DType::kUint64) return array;
  return array.attr("view")(NumpyType(dtype));
}

// Fills a new array of objects, whose slots hold None or a null pointer.
void FillObjects(nb::handle array, std::span<const std::string_view> values) {
  Py_buffer slots;
  if (PyObject_GetBuffer(array.ptr(), &slots, PyBUF_CONTIG | PyBUF_FORMAT)) {
    throw nb::python_error();
  }
  auto* objects = static_cast<PyObject**>(slots.buf);
  bool failed = false;
  for (size_t i = 0; i < values.size() && !failed; ++i) {
    PyObject* bytes = PyBytes_FromStringAndSize(
        values[i].data(), static_cast<Py_ssize_t>(values[i].size()));
    failed = bytes == nullptr;
    if (failed) break;
    Py_XDECREF(objects[i]);
    objects[i] = bytes;
  }
  PyBuffer_Release(&slots);
  if (failed) throw nb::python_error();
}

nb::object Bfloat16() {
  try {
    return nb::module_::import_("ml_dtypes").attr("bfloat16");
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ImportError)) throw;
    return nb::none();
  }
}

}  // namespace

size_t ArrayView::size() const {
  return std::accumulate(shape.begin(), shape.end(), size_t{1},
                         std::multiplies<>());
}

nb::tuple ShapeTuple(const std::vector<size_t>& shape) {
  return nb::tuple(ToList(shape, [](size_t size) { return size; }));
}

nb::object ToNumpy(const ArrayView& view, nb::handle owner) {
  if (view.dtype == DType::kBytes) {
    nb::object array =
        Numpy().attr("empty")(ShapeTuple(view.shape), nb::arg("dtype") = "O");
    FillObjects(array,
                {static_cast<const std::string_view*>(view.data), view.size()});
    return array;
  }
  if (view.dtype == DType::kBfloat16) {
    RequireBfloat16();
    return WrapNumpy(view, DType::kUint16, owner).attr("view")(Bfloat16());
  }
  return WrapNumpy(view, view.dtype, owner);
}

nb::object ToNumbers(const ArrayView& view, nb::handle owner) {
  if (view.dtype != DType::kBfloat16) return ToNumpy(view, owner);
  // The bits of a bfloat16 are the upper half of a float's.
  const nb::object bits = WrapNumpy(view, DType::kUint16, owner)
                              .attr("astype")(NumpyType(DType::kUint32));
  return (bits.attr("__lshift__")(16)).attr("view")(NumpyType(DType::kFloat));
}

void RequireBfloat16() {
  if (!Bfloat16().is_none()) return;
  Raise(nb::module_::import_("headrace.errors")
            .attr("MissingPackageError")(
                "numpy has no bfloat16 without the package ml_dtypes: pip "
                "install 'headrace[bfloat16]', read the feature as float32, or "
                "give the tensor to torch or jax"));
}

nb::object AsArray(const nb::object& array, DType own, const nb::object& dtype,
                   const nb::object& copy) {
  const bool converts = !dtype.is_none() && !array.attr("dtype").equal(
                                                Numpy().attr("dtype")(dtype));
  if (copy.is(Py_False) && (converts || own == DType::kBytes)) {
    throw nb::value_error("this array cannot be made without a copy");
  }
  if (converts) return array.attr("astype")(dtype);
  // An array of bytes has new objects already.
  const bool must_copy = copy.is(Py_True) && own != DType::kBytes;
  return must_copy ? nb::object(array.attr("copy")()) : array;
}

nb::object NumpyType(DType dtype) {
  if (dtype == DType::kBfloat16) {
    const nb::object type = Bfloat16();
    return Numpy().attr("dtype")(type.is_none() ? nb::str("V2") : type);
  }
  const std::string_view name = dtype == DType::kBytes   ? "object"
                                : dtype == DType::kFloat ? "float32"
                                                         : DTypeName(dtype);
  return Numpy().attr("dtype")(nb::str(name.data(), name.size()));
}

nb::object ToDlpack(const ArrayView& view, nb::handle owner, bool copied,
                    const nb::kwargs& arguments) {
  if (view.dtype == DType::kBytes) {
    throw nb::buffer_error("values of bytes have no type in DLPack");
  }
  // Only capsules of DLPack 1.0 can be marked as read-only, and not every
  // consumer respects it, so arrays that must not be written to are copied.
  const bool is_asked_for =
      arguments.contains("copy") && arguments["copy"].is(Py_True) &&
      view.dtype != DType::kBfloat16;  // numpy cannot export it
  if (!copied && !is_asked_for) {
    return Wrap<nb::array_api, nb::ro>(view, view.dtype, owner)
        .attr("__dlpack__")(**arguments);
  }
  if (arguments.contains("copy") && arguments["copy"].is(Py_False)) {
    throw nb::buffer_error(
        "offsets, splits, lengths and sizes cannot be exported without a copy");
  }
  return ToNumpy(view, owner).attr("copy")().attr("__dlpack__")(**arguments);
}

nb::object StridedNumpy(const void* data, DType dtype, size_t size,
                        int64_t stride, nb::handle owner) {
  return WrapNumpy({data, dtype, {size}}, dtype, owner, &stride);
}

nb::object BitsToNumpy(const uint8_t* bits, size_t size) {
  nb::object array = Numpy().attr("empty")(size, nb::arg("dtype") = "bool");
  Py_buffer buffer;
  if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_CONTIG)) {
    throw nb::python_error();
  }
  auto* out = static_cast<bool*>(buffer.buf);
  for (size_t i = 0; i < size; ++i) out[i] = bits[i / 8] >> (i % 8) & 1;
  PyBuffer_Release(&buffer);
  return array;
}

nb::object ToBytes(std::string_view text) {
  return Stolen(PyBytes_FromStringAndSize(
      text.data(), static_cast<Py_ssize_t>(text.size())));
}

nb::object ToBytesList(std::span<const std::string_view> values) {
  nb::object list = Stolen(PyList_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i) {
    PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(i),
                   ToBytes(values[i]).release().ptr());
  }
  return list;
}

nb::object ToText(std::string_view text) {
  return Stolen(PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

std::string Quoted(nb::handle value) {
  const nb::module_ arguments = nb::module_::import_("headrace.arguments");
  return nb::cast<std::string>(arguments.attr("quoted")(value));
}

nb::object ToPath(std::string_view path) {
  return Stolen(PyUnicode_DecodeFSDefaultAndSize(
      path.data(), static_cast<Py_ssize_t>(path.size())));
}

nb::object ToEnd(uint64_t end) {
  return end == kUnknown ? nb::none() : nb::object(nb::int_(end));
}

std::vector<std::string> StringsOf(const std::vector<nb::bytes>& values) {
  std::vector<std::string> strings;
  for (const nb::bytes& value : values) strings.emplace_back(ViewOf(value));
  return strings;
}

}  // namespace headrace::python
