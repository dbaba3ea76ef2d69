// SerializedRecords: what parse_example takes.

#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "python/src/arrow_capsule.h"
#include "python/src/plan.h"

namespace headrace::python {
namespace {

std::string TypeName(nb::handle object) {
  return nb::type_name(object.type()).c_str();
}

bool IsSet(const void* bitmap, int64_t i) {
  return static_cast<const uint8_t*>(bitmap)[i / 8] >> (i % 8) & 1;
}

template <class Offset>
std::string_view Between(const ArrowArray& array, int64_t i) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]);
  const Offset begin = offsets[i];
  const Offset end = offsets[i + 1];
  if (begin < 0 || end < begin) {
    throw nb::value_error("the Arrow array has offsets that decrease");
  }
  return {static_cast<const char*>(array.buffers[2]) + begin,
          static_cast<size_t>(end - begin)};
}

// An element of a binary_view or utf8_view. Of short values, the twelve bytes
// after the size are the value itself.
struct View {
  static constexpr int32_t kMostInline = 12;

  int32_t size;
  char prefix[4];
  int32_t buffer;
  int32_t offset;
};
static_assert(sizeof(View) == 16);

std::string_view ViewAt(const ArrowArray& array, int64_t i) {
  const auto* at = static_cast<const char*>(array.buffers[1]) +
                   static_cast<size_t>(i) * sizeof(View);
  View view;
  std::memcpy(&view, at, sizeof view);
  const auto size = static_cast<size_t>(view.size);
  if (view.size >= 0 && view.size <= View::kMostInline) {
    return {at + offsetof(View, prefix), size};
  }
  // Two buffers come before those of the data, one with their sizes after.
  if (view.size < 0 || view.buffer < 0 || view.offset < 0 ||
      view.buffer >= array.n_buffers - 3) {
    throw nb::value_error("the Arrow array has a view that points nowhere");
  }
  const void* data = array.buffers[2 + view.buffer];
  return {static_cast<const char*>(data) + view.offset, size};
}

using GetValue = std::string_view (*)(const ArrowArray&, int64_t);

GetValue GetterOf(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  if (array.n_buffers == 3 && (format == "z" || format == "u")) {
    return &Between<int32_t>;
  }
  if (array.n_buffers == 3 && (format == "Z" || format == "U")) {
    return &Between<int64_t>;
  }
  if (array.n_buffers >= 3 && (format == "vz" || format == "vu")) {
    return &ViewAt;
  }
  const std::string text =
      "serialized messages are an Arrow array of binary values, not of type "
      "\"" +
      std::string(format) + "\"";
  throw nb::type_error(text.c_str());
}

}  // namespace

SerializedRecords::SerializedRecords(const nb::object& object) {
  if (!nb::isinstance<nb::list>(object) && !nb::isinstance<nb::tuple>(object) &&
      nb::hasattr(object, "__arrow_c_array__")) {
    TakeArrow(object);
  } else {
    TakeSequence(object);
  }
}

void SerializedRecords::TakeSequence(const nb::object& object) {
  if (nb::isinstance<nb::bytes>(object) || nb::isinstance<nb::str>(object)) {
    throw nb::type_error(
        "expected a list of serialized messages, got a single one; wrap it "
        "in a list");
  }
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  const nb::object kind = nb::getattr(dtype, "kind", nb::none());
  if (kind.equal(nb::str("S"))) {
    throw nb::type_error(
        "numpy's bytes of fixed width lose zero bytes at the end; use an "
        "array of dtype object");
  }
  // A copy: a list may change while it is decoded.
  owner_ = nb::steal(PySequence_Tuple(object.ptr()));
  if (!owner_.is_valid()) throw nb::python_error();
  const size_t size = nb::len(owner_);
  records_.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    PyObject* item = PyTuple_GetItem(owner_.ptr(), static_cast<Py_ssize_t>(i));
    if (!PyBytes_Check(item)) {
      const std::string text = "serialized[" + std::to_string(i) +
                               "] is of type " + TypeName(item) + ", not bytes";
      throw nb::type_error(text.c_str());
    }
    char* data = nullptr;
    Py_ssize_t length = 0;
    PyBytes_AsStringAndSize(item, &data, &length);
    records_.emplace_back(data, static_cast<size_t>(length));
  }
}

void SerializedRecords::TakeArrow(const nb::object& object) {
  const auto imported =
      std::make_shared<ImportedArray>(object, "serialized messages");
  const ArrowArray& array = imported->array();
  if (array.length < 0 || array.offset < 0) {
    throw nb::value_error("the Arrow array has a length below zero");
  }
  const GetValue get = GetterOf(imported->schema(), array);
  records_.reserve(static_cast<size_t>(array.length));
  for (int64_t i = 0; i < array.length; ++i) {
    const int64_t at = array.offset + i;
    if (array.null_count != 0 && array.buffers[0] &&
        !IsSet(array.buffers[0], at)) {
      const std::string text = "serialized[" + std::to_string(i) + "] is null";
      throw nb::value_error(text.c_str());
    }
    records_.push_back(get(array, at));
  }
  arrow_ = imported;
}

}  // namespace headrace::python
