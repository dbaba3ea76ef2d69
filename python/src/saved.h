// Copies batches, and pickles batches, columns and tensors.

#ifndef HEADRACE_PYTHON_SRC_SAVED_H_
#define HEADRACE_PYTHON_SRC_SAVED_H_

#include <nanobind/nanobind.h>

#include "python/src/batch.h"

namespace headrace::python {

namespace nb = nanobind;

// Implements Batch.copy; `names` is a list of names, or None.
nb::object CopyOf(const PyBatch& batch, const nb::object& names);

// Return the result of __reduce__ for a batch, a field, or a part of a field.
nb::object Reduce(const PyBatch& batch);
nb::object Reduce(const PyField& field);
nb::object Reduce(const PyTensor& tensor);

// Adds pickling and shallow copies. The classes are immutable, so a shallow
// copy is the object itself.
template <class Class>
void AddPickling(Class* type) {
  using Self = typename Class::Type;
  type->def("__reduce__", [](const Self& self) { return Reduce(self); })
      .def("__copy__",
           [](nb::handle_t<Self> self) { return nb::borrow(self); });
}

void BindSaved(nb::module_& m);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_SAVED_H_
