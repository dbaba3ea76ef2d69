// SerializedRecords: the serialized messages that callers pass to parse_example
// and decode.

#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>

#include "headrace/example_encoder.h"
#include "python/src/arrow_capsule.h"
#include "python/src/error.h"
#include "python/src/plan.h"

namespace headrace::python {
namespace {

// Throws TypeError for an array of another type, otherwise ValueError.
[[noreturn]] void RaiseArrow(const Status& error) {
  ErrorInfo info = *error.info();
  if (!info.expected.empty()) {
    const std::string text =
        "serialized: expected an Arrow array of binary values, got type \"" +
        info.found + "\"";
    throw nb::type_error(text.c_str());
  }
  const bool is_value = info.record != kUnknown;
  info.message = (is_value ? "serialized[" + std::to_string(info.record) + "] "
                           : std::string("the Arrow array ")) +
                 info.message;
  Raise(Status(std::move(info)));
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
  if (nb::isinstance<nb::bytes>(object)) {
    throw nb::type_error(
        "serialized: expected a list of bytes, got bytes; wrap a single "
        "message in a list");
  }
  if (nb::isinstance<nb::str>(object) || !nb::hasattr(object, "__iter__")) {
    RaiseWrongType("serialized", "a list of bytes or an Arrow array", object);
  }
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  const nb::object kind = nb::getattr(dtype, "kind", nb::none());
  if (kind.equal(nb::str("S"))) {
    throw nb::type_error(
        "serialized: a numpy array of fixed-width bytes drops zero bytes at "
        "the end of each; use dtype=object");
  }
  // A copy, since a list may change while it is decoded.
  owner_ = nb::steal(PySequence_Tuple(object.ptr()));
  if (!owner_.is_valid()) throw nb::python_error();
  const size_t size = nb::len(owner_);
  records_.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    PyObject* item = PyTuple_GetItem(owner_.ptr(), static_cast<Py_ssize_t>(i));
    if (!PyBytes_Check(item)) {
      RaiseWrongType("serialized[" + std::to_string(i) + "]", "bytes", item);
    }
    char* data = nullptr;
    Py_ssize_t length = 0;
    PyBytes_AsStringAndSize(item, &data, &length);
    records_.emplace_back(data, static_cast<size_t>(length));
  }
}

void SerializedRecords::TakeArrow(const nb::object& object) {
  const auto imported = std::make_shared<ImportedArray>(CheckedArrow(object));
  auto values = BinaryValues(imported->schema(), imported->array());
  if (!values.ok()) RaiseArrow(values.status());
  records_ = *std::move(values);
  arrow_ = imported;
}

}  // namespace headrace::python
