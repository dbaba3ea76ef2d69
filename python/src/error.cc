#include "python/src/error.h"

#include "python/src/ndarray.h"

namespace headrace::python {

nb::object ExceptionOf(const Status& error) {
  const ErrorInfo& info = *error.info();
  return nb::module_::import_("headrace.errors")
      .attr("make")(
          ToText(NameOf(info.code)), ToText(info.message), ToText(info.file),
          info.record, info.offset, ToText(info.feature), ToText(info.expected),
          ToText(info.found), nb::arg("system_error") = info.system_error);
}

void Raise(const nb::object& exception) {
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

void Raise(const Status& error) { Raise(ExceptionOf(error)); }

void Raise(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

void RaiseWrongType(const std::string& what, const std::string& expected,
                    nb::handle got) {
  Raise(nb::module_::import_("headrace.arguments")
            .attr("wrong_type")(ToText(what), ToText(expected), got));
}

}  // namespace headrace::python
