// Other libraries take Arrow PyCapsules without a copy.

#ifndef HEADRACE_PYTHON_SRC_ARROW_CAPSULE_H_
#define HEADRACE_PYTHON_SRC_ARROW_CAPSULE_H_

#include <nanobind/nanobind.h>

#include "headrace/arrow.h"

namespace headrace::python {

namespace nb = nanobind;

// Capsules take over what the structures own, and release it if nobody takes it
// out.
nb::object SchemaCapsule(ArrowSchema* schema);
nb::object ArrayCapsule(ArrowArray* array);
nb::object StreamCapsule(ArrowArrayStream* stream);

// Gives what to take instead of this object: arrays of pyarrow whose buffers
// are long enough, which the C interface cannot tell, or an iterator of them in
// place of a reader; else the object. InvalidArgumentError for other arrays.
nb::object CheckedArrow(const nb::object& object);

// An object gives this by __arrow_c_array__. The capsules are its owner and
// live as long as this does.
class ImportedArray {
 public:
  // An object without it is a TypeError.
  explicit ImportedArray(nb::handle object);

  const ArrowSchema& schema() const { return *schema_; }
  const ArrowArray& array() const { return *array_; }

 private:
  nb::object capsules_;
  const ArrowSchema* schema_ = nullptr;
  const ArrowArray* array_ = nullptr;
};

// This owns a structure of the C interfaces.
template <class T>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  // Whoever releases may need the GIL, or wait for threads that do.
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

// An object gives this by __arrow_c_stream__.
class ImportedStream {
 public:
  // Errors of the stream are an IoError here and in Next.
  explicit ImportedStream(nb::handle object);

  const ArrowSchema& schema() const { return *schema_; }
  // False when there was no other array. The GIL is released meanwhile.
  bool Next(Owned<ArrowArray>* array);

 private:
  [[noreturn]] void Fail(int code);

  Owned<ArrowArrayStream> stream_;
  Owned<ArrowSchema> schema_;
};

// A table or a frame has no array to give, but a stream.
bool IsStream(nb::handle object);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_ARROW_CAPSULE_H_
