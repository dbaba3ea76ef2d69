#include "python/src/error.h"

#include <string>

namespace headrace::python {
namespace {

nb::object TextOrNone(const std::string& text) {
  if (text.empty()) return nb::none();
  // Names come from files and paths: bytes that are not UTF-8 stay visible.
  return nb::steal(PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

nb::object NumberOrNone(uint64_t number) {
  if (number == kUnknown) return nb::none();
  return nb::int_(number);
}

}  // namespace

nb::object ExceptionOf(const Status& error) {
  const ErrorInfo& info = *error.info();
  const std::string_view code = ErrorCodeName(info.code);
  const nb::object message = TextOrNone(info.message);
  return nb::module_::import_("headrace.errors")
      .attr("make")(nb::str(code.data(), code.size()),
                    message.is_none() ? nb::str("") : message,
                    TextOrNone(info.file), NumberOrNone(info.record),
                    NumberOrNone(info.offset), TextOrNone(info.feature),
                    TextOrNone(info.expected), TextOrNone(info.found));
}

void Raise(const nb::object& exception) {
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

void Raise(const Status& error) { Raise(ExceptionOf(error)); }

}  // namespace headrace::python
