// The Arrow PyCapsule protocol: what other libraries take without a copy.

#ifndef HEADRACE_PYTHON_SRC_ARROW_CAPSULE_H_
#define HEADRACE_PYTHON_SRC_ARROW_CAPSULE_H_

#include <nanobind/nanobind.h>

#include "headrace/arrow.h"

namespace headrace::python {

namespace nb = nanobind;

// Capsules take over what the structures own, and release it when nobody has
// taken it out.
nb::object SchemaCapsule(ArrowSchema* schema);
nb::object ArrayCapsule(ArrowArray* array);
nb::object StreamCapsule(ArrowArrayStream* stream);

// What an object gives by __arrow_c_array__; the capsules stay alive, and are
// its owner, as long as this does.
class ImportedArray {
 public:
  // A TypeError, which says what was wanted, for an object without it.
  ImportedArray(nb::handle object, const char* wanted);

  const ArrowSchema& schema() const { return *schema_; }
  const ArrowArray& array() const { return *array_; }

 private:
  nb::object capsules_;
  const ArrowSchema* schema_ = nullptr;
  const ArrowArray* array_ = nullptr;
};

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_ARROW_CAPSULE_H_
