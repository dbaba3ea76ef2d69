// Methods that make the classes of a batch behave like numpy arrays, or raise
// an error that says what to use instead. None of these classes compares by
// identity or has a hash.

#ifndef HEADRACE_PYTHON_SRC_ARRAY_METHODS_H_
#define HEADRACE_PYTHON_SRC_ARRAY_METHODS_H_

#include <nanobind/nanobind.h>

#include <cstddef>

#include "python/src/error.h"

namespace headrace::python {

namespace nb = nanobind;

inline constexpr const char* kComparisons[] = {"__eq__", "__ne__", "__lt__",
                                               "__le__", "__gt__", "__ge__"};
// Methods of numpy.ndarray, none of which changes the array.
inline constexpr const char* kArrayMethods[] = {
    "__add__",      "__radd__",    "__sub__",       "__rsub__",
    "__mul__",      "__rmul__",    "__truediv__",   "__rtruediv__",
    "__floordiv__", "__mod__",     "__rfloordiv__", "__rmod__",
    "__divmod__",   "__rdivmod__", "__pow__",       "__rpow__",
    "__matmul__",   "__rmatmul__", "__lshift__",    "__rlshift__",
    "__rshift__",   "__rrshift__", "__and__",       "__rand__",
    "__or__",       "__ror__",     "__xor__",       "__rxor__",
    "__neg__",      "__pos__",     "__abs__",       "__invert__",
    "__bool__",     "__int__",     "__float__",     "__complex__",
    "__index__",    "__iter__",    "__contains__",
};

// Adds methods that call the same method of the array that numpy() returns.
template <class Class>
void AddArrayMethods(Class* type) {
  using Self = nb::handle_t<typename Class::Type>;
  const auto add = [type](const char* name) {
    type->def(name, [name](Self self, const nb::args& arguments) {
      return self.attr("numpy")().attr(name)(*arguments);
    });
  };
  for (const char* const name : kComparisons) add(name);
  for (const char* const name : kArrayMethods) add(name);
  type->attr("__hash__") = nb::none();
}

// Makes comparisons and truth tests raise a TypeError with the text.
template <class Class>
void RefuseComparisons(Class* type, const char* text) {
  using Self = typename Class::Type;
  const auto refuse = [type, text](const char* name) {
    type->def(name, [text](const Self&, const nb::args&) -> nb::object {
      throw nb::type_error(text);
    });
  };
  for (const char* const name : kComparisons) refuse(name);
  refuse("__bool__");
  type->attr("__hash__") = nb::none();
}

// Makes __array__ raise a TypeError with the text. Without it numpy would make
// an array of one object, or of the rows if all of them happen to have the same
// length.
template <class Class>
void RefuseArray(Class* type, const char* text) {
  using Self = typename Class::Type;
  type->def(
      "__array__",
      [text](const Self&, const nb::object& /*dtype*/,
             const nb::object& /*copy*/) -> nb::object {
        throw nb::type_error(text);
      },
      nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none());
}

// Returns the row with the number `key`, which counts from the end if it is
// negative, or a list of rows if `key` is a slice. `row_at` makes one row.
template <class RowAt>
nb::object RowsAt(size_t num_rows, const nb::object& key, RowAt row_at) {
  const auto size = static_cast<Py_ssize_t>(num_rows);
  if (PySlice_Check(key.ptr())) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key.ptr(), &start, &stop, &step) < 0) {
      throw nb::python_error();
    }
    const Py_ssize_t count = PySlice_AdjustIndices(size, &start, &stop, step);
    nb::list rows;
    for (Py_ssize_t i = 0; i < count; ++i) {
      rows.append(row_at(static_cast<size_t>(start + i * step)));
    }
    return rows;
  }
  if (!PyIndex_Check(key.ptr())) {
    RaiseWrongType("row", "a number or a slice", key);
  }
  Py_ssize_t row = PyNumber_AsSsize_t(key.ptr(), PyExc_IndexError);
  if (row == -1 && PyErr_Occurred()) throw nb::python_error();
  if (row < 0) row += size;
  if (row < 0 || row >= size) throw nb::index_error("no such row");
  return row_at(static_cast<size_t>(row));
}

// Adds __getitem__, __iter__ and __len__ of rows.
template <class Class, class RowAt>
void AddRows(Class* type, RowAt row_at) {
  using Self = typename Class::Type;
  type->def(
          "__getitem__",
          [row_at](nb::handle_t<Self> self, const nb::object& key) {
            return RowsAt(nb::cast<const Self&>(self).num_rows(), key,
                          [&](size_t row) { return row_at(self, row); });
          },
          nb::arg("row").none())
      .def("__iter__",
           [](nb::handle_t<Self> self) {
             return nb::steal(PySeqIter_New(self.ptr()));
           })
      .def("__len__", [](const Self& self) { return self.num_rows(); });
}

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_ARRAY_METHODS_H_
