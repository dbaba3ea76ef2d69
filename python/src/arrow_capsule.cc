// Wraps Arrow structures in PyCapsules, and unwraps those of other libraries.

#include "python/src/arrow_capsule.h"

#include <string>

#include "python/src/error.h"

namespace headrace::python {
namespace {

template <class T>
constexpr const char* kCapsuleName = nullptr;
template <>
constexpr const char* kCapsuleName<ArrowSchema> = "arrow_schema";
template <>
constexpr const char* kCapsuleName<ArrowArray> = "arrow_array";
template <>
constexpr const char* kCapsuleName<ArrowArrayStream> = "arrow_array_stream";

template <class T>
void Release(T* structure) {
  if (structure->release) structure->release(structure);
  delete structure;
}

// A consumer that has moved the structure out has left its release callback
// empty.
template <class T>
void DestroyCapsule(PyObject* capsule) {
  void* pointer = PyCapsule_GetPointer(capsule, kCapsuleName<T>);
  if (pointer == nullptr) {
    PyErr_Clear();
    return;
  }
  Release(static_cast<T*>(pointer));
}

template <class T>
nb::object MakeCapsule(T* structure) {
  auto* moved = new T(*structure);
  structure->release = nullptr;
  PyObject* capsule = PyCapsule_New(moved, kCapsuleName<T>, &DestroyCapsule<T>);
  if (capsule == nullptr) {
    Release(moved);
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

template <class T>
const T* Open(nb::handle capsule) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), kCapsuleName<T>);
  if (pointer == nullptr) throw nb::python_error();
  const auto* structure = static_cast<const T*>(pointer);
  if (!structure->release) {
    throw nb::value_error("the Arrow data was consumed already");
  }
  return structure;
}

}  // namespace

nb::object SchemaCapsule(ArrowSchema* schema) { return MakeCapsule(schema); }
nb::object ArrayCapsule(ArrowArray* array) { return MakeCapsule(array); }
nb::object StreamCapsule(ArrowArrayStream* stream) {
  return MakeCapsule(stream);
}

ImportedArray::ImportedArray(nb::handle object) {
  const nb::object method =
      nb::getattr(object, "__arrow_c_array__", nb::none());
  if (method.is_none()) {
    RaiseWrongType("data", "Arrow data (a table, record batch or stream)",
                   object);
  }
  capsules_ = method();
  if (!nb::isinstance<nb::tuple>(capsules_) || nb::len(capsules_) != 2) {
    throw nb::type_error("__arrow_c_array__ did not return two capsules");
  }
  schema_ = Open<ArrowSchema>(nb::object(capsules_[0]));
  array_ = Open<ArrowArray>(nb::object(capsules_[1]));
}

nb::object CheckedArrow(const nb::object& object) {
  const nb::object module =
      nb::getattr(object.type(), "__module__", nb::none());
  std::string name;
  if (!nb::try_cast(module, name) || name.rfind("pyarrow", 0) != 0) {
    return object;
  }
  return nb::module_::import_("headrace.reading.arrow_input")
      .attr("checked")(object);
}

bool IsStream(nb::handle object) {
  return !nb::hasattr(object, "__arrow_c_array__") &&
         nb::hasattr(object, "__arrow_c_stream__");
}

ImportedStream::ImportedStream(nb::handle object) {
  const nb::object capsule = object.attr("__arrow_c_stream__")();
  auto* given = const_cast<ArrowArrayStream*>(Open<ArrowArrayStream>(capsule));
  *stream_.get() = *given;
  given->release = nullptr;
  int code = 0;
  {
    const nb::gil_scoped_release release;
    code = stream_.get()->get_schema(stream_.get(), schema_.get());
  }
  if (code != 0) Fail(code);
}

bool ImportedStream::Next(Owned<ArrowArray>* array) {
  int code = 0;
  {
    const nb::gil_scoped_release release;
    code = stream_.get()->get_next(stream_.get(), array->get());
  }
  if (code != 0) Fail(code);
  return (*array->get()).release != nullptr;
}

void ImportedStream::Fail(int code) {
  const char* text = stream_.get()->get_last_error(stream_.get());
  Raise(Status(
      ErrorInfo{.code = ErrorCode::kIo,
                .message = std::string("the Arrow stream failed: ") +
                           (text != nullptr ? text : "it does not say why"),
                .system_error = code}));
}

}  // namespace headrace::python
