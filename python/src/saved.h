// Batches are copied; batches, columns and tensors are pickled.

#ifndef HEADRACE_PYTHON_SRC_SAVED_H_
#define HEADRACE_PYTHON_SRC_SAVED_H_

#include <nanobind/nanobind.h>

#include "python/src/batch.h"

namespace headrace::python {

namespace nb = nanobind;

// Batch.copy takes a list of names, or None.
nb::object CopyOf(const PyBatch& batch, const nb::object& names);

// __reduce__ returns this, also for a field alone or a part of one.
nb::object Reduce(const PyBatch& batch);
nb::object Reduce(const PyField& field);
nb::object Reduce(const PyTensor& tensor);

// All that can be pickled is immutable: a shallow copy is the object itself.
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
