#include "python/src/reader/input.h"

#include <cstring>
#include <span>
#include <string>

#include "python/src/ndarray.h"

namespace headrace::python {
namespace {

// Any thread may drop this reference to a Python object.
class SharedObject {
 public:
  explicit SharedObject(nb::object object) : object_(std::move(object)) {}
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  ~SharedObject() {
    const nb::gil_scoped_acquire gil;
    const nb::error_scope pending;
    object_.reset();
  }
  const nb::object& get() const { return object_; }

 private:
  nb::object object_;
};

// The exception is kept, and the library gets a Status.
Status Failure(nb::python_error&& error, PendingException* pending) {
  std::string text = nb::type_name(error.type()).c_str();
  const nb::object what = nb::steal(PyObject_Str(error.value().ptr()));
  if (what.is_valid()) {
    text += ": " + std::string(nb::cast<nb::str>(what).c_str());
  } else {
    PyErr_Clear();
  }
  pending->Keep(std::move(error));
  return Status(ErrorCode::kIo, text);
}

class PythonInput : public InputFile {
 public:
  // The GIL must be held.
  PythonInput(const nb::object& file, std::shared_ptr<PendingException> pending)
      : read_into_(file.attr("readinto")),
        seek_(file.attr("seek")),
        close_(file.attr("close")),
        can_seek_(nb::cast<bool>(file.attr("seekable")())),
        size_(nb::cast<uint64_t>(file.attr("size"))),
        pending_(std::move(pending)) {}

  ~PythonInput() override {
    const nb::gil_scoped_acquire gil;
    // An exception may be ending the reader.
    const nb::error_scope pending;
    try {
      close_();
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("closing an input");
    }
    buffer_.reset();
    close_.reset();
    seek_.reset();
    read_into_.reset();
  }

  Result<size_t> Read(std::span<uint8_t> out) override;
  bool can_seek() const override { return can_seek_; }
  Status Seek(uint64_t position) override;
  uint64_t size() const override { return size_; }

 private:
  nb::object read_into_;
  nb::object seek_;
  nb::object close_;
  // The object may keep a view of what it was given, so that is not the
  // caller's memory.
  nb::object buffer_;
  const bool can_seek_;
  const uint64_t size_;
  std::shared_ptr<PendingException> pending_;
};

Result<size_t> PythonInput::Read(std::span<uint8_t> out) {
  nb::gil_scoped_acquire gil;
  try {
    if (!buffer_.is_valid() || nb::len(buffer_) < out.size()) {
      buffer_ = nb::steal(PyByteArray_FromStringAndSize(
          nullptr, static_cast<Py_ssize_t>(out.size())));
      if (!buffer_.is_valid()) throw nb::python_error();
    }
    const nb::object view = nb::steal(PyMemoryView_FromObject(buffer_.ptr()));
    if (!view.is_valid()) throw nb::python_error();
    const nb::object part =
        view[nb::slice(nb::int_(0), nb::int_(out.size()), nb::none())];
    const auto count = nb::cast<size_t>(read_into_(part));
    if (count > out.size()) {
      return Status(ErrorCode::kIo,
                    "readinto says it read more than there was "
                    "room for");
    }
    std::memcpy(out.data(), PyByteArray_AsString(buffer_.ptr()), count);
    return count;
  } catch (nb::python_error& error) {
    return Failure(std::move(error), pending_.get());
  } catch (const nb::cast_error&) {
    return Status(ErrorCode::kIo, "readinto did not return a number of bytes");
  }
}

Status PythonInput::Seek(uint64_t position) {
  nb::gil_scoped_acquire gil;
  try {
    seek_(position);
    return Status();
  } catch (nb::python_error& error) {
    return Failure(std::move(error), pending_.get());
  }
}

}  // namespace

void PendingException::Keep(nb::python_error&& error, bool by_signal) {
  const std::lock_guard lock(mutex_);
  if (error_ && is_urgent_) return;
  is_urgent_ = by_signal || !error.matches(PyExc_Exception);
  error_ = std::make_unique<nb::python_error>(std::move(error));
}

std::unique_ptr<nb::python_error> PendingException::Take() {
  const std::lock_guard lock(mutex_);
  is_urgent_ = false;
  return std::move(error_);
}

void PendingException::Rethrow() {
  if (const auto error = Take()) throw nb::python_error(std::move(*error));
}

void PendingException::Settle() {
  {
    const std::lock_guard lock(mutex_);
    if (!error_ || error_->matches(PyExc_Exception)) return;
  }
  Rethrow();
}

void PendingException::ThrowLater() {
  {
    const std::lock_guard lock(mutex_);
    if (!is_urgent_) return;
  }
  // A signal would not do: Python looks for those in the midst of printing,
  // too.
  const auto raise = [](void* kept) {
    const std::unique_ptr<nb::python_error> error(
        static_cast<nb::python_error*>(kept));
    error->restore();
    return -1;
  };
  auto error = Take();
  if (Py_AddPendingCall(raise, error.get()) == 0) {
    static_cast<void>(error.release());
  } else {
    PyErr_SetInterrupt();
  }
}

nb::object PendingException::value() const {
  const std::lock_guard lock(mutex_);
  return error_ ? nb::borrow(error_->value()) : nb::none();
}

OpenInput OpenByPython(nb::object opener,
                       std::shared_ptr<PendingException> pending) {
  const auto shared = std::make_shared<SharedObject>(std::move(opener));
  return [shared, pending](
             const std::string& name) -> Result<std::unique_ptr<InputFile>> {
    nb::gil_scoped_acquire gil;
    try {
      const nb::object file = shared->get()(ToPath(name));
      return std::unique_ptr<InputFile>(
          std::make_unique<PythonInput>(file, pending));
    } catch (nb::python_error& error) {
      return Failure(std::move(error), pending.get());
    } catch (const nb::cast_error&) {
      return Status(ErrorCode::kIo, "the opened object is not a file");
    }
  };
}

}  // namespace headrace::python
