// Exchanges Arrow data with other libraries through PyCapsules, without a copy.

#ifndef HEADRACE_PYTHON_SRC_ARROW_CAPSULE_H_
#define HEADRACE_PYTHON_SRC_ARROW_CAPSULE_H_

#include <nanobind/nanobind.h>

#include "headrace/arrow.h"

namespace headrace::python {

namespace nb = nanobind;

// Return capsules that take over what the structures own, and release it unless
// a consumer moves it out.
nb::object SchemaCapsule(ArrowSchema* schema);
nb::object ArrayCapsule(ArrowArray* array);
nb::object StreamCapsule(ArrowArrayStream* stream);

// Raises InvalidArgumentError if the buffers of pyarrow arrays are too short;
// the C interface does not tell how long they are. Returns the object, or, for
// a pyarrow reader, an iterator that checks each batch.
nb::object CheckedArrow(const nb::object& object);

// The result of an object's __arrow_c_array__. The capsules own the data and
// live as long as this object.
class ImportedArray {
 public:
  // Throws TypeError for an object without __arrow_c_array__.
  explicit ImportedArray(nb::handle object);

  const ArrowSchema& schema() const { return *schema_; }
  const ArrowArray& array() const { return *array_; }

 private:
  nb::object capsules_;
  const ArrowSchema* schema_ = nullptr;
  const ArrowArray* array_ = nullptr;
};

// Owns a structure of the Arrow C interfaces.
template <class T>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  // The release callback may need the GIL, or wait for threads that need it.
  ~Owned() {
    if (!value_.release) return;
    const nb::error_scope pending;
    const nb::gil_scoped_release release;
    value_.release(&value_);
  }
  T* get() { return &value_; }
  const T& operator*() const { return value_; }

 private:
  T value_ = {};
};

// The result of an object's __arrow_c_stream__.
class ImportedStream {
 public:
  // Throws IoError for errors of the stream, as does Next.
  explicit ImportedStream(nb::handle object);

  const ArrowSchema& schema() const { return *schema_; }
  // Reads the next array; returns false at the end. Releases the GIL during the
  // call.
  bool Next(Owned<ArrowArray>* array);

 private:
  [[noreturn]] void Fail(int code);

  Owned<ArrowArrayStream> stream_;
  Owned<ArrowSchema> schema_;
};

// Whether the object has a stream but no array, like a table or a data frame.
bool IsStream(nb::handle object);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_ARROW_CAPSULE_H_
