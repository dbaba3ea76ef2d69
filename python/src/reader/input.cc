// Lets the library read Python file objects, and carries their exceptions back
// to Python.

#include "python/src/reader/input.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "python/src/error.h"
#include "python/src/ndarray.h"

namespace headrace::python {
namespace {

// Maximum number of exceptions that are kept. Some are never thrown, since the
// library can do without some files; so the oldest are dropped.
constexpr size_t kMaxKept = 8;

std::string TextOf(const nb::python_error& error) {
  std::string text = nb::type_name(error.type()).c_str();
  const nb::object what = nb::steal(PyObject_Str(error.value().ptr()));
  // str(error) may fail, or may not be valid UTF-8.
  const char* utf8 =
      what.is_valid() ? PyUnicode_AsUTF8AndSize(what.ptr(), nullptr) : nullptr;
  if (utf8 != nullptr) {
    text += ": " + std::string(utf8);
  } else {
    PyErr_Clear();
  }
  return text;
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
    // The reader may be ending because of an exception.
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
  // The object may keep a view of the memory into which it reads, so it gets
  // this buffer instead of the caller's memory.
  nb::object buffer_;
  const bool can_seek_;
  const uint64_t size_;
  std::shared_ptr<PendingException> pending_;
};

Result<size_t> PythonInput::Read(std::span<uint8_t> out) {
  nb::gil_scoped_acquire gil;
  try {
    if (!buffer_.is_valid() || nb::len(buffer_) < out.size()) {
      buffer_ = Stolen(PyByteArray_FromStringAndSize(
          nullptr, static_cast<Py_ssize_t>(out.size())));
    }
    const nb::object view = Stolen(PyMemoryView_FromObject(buffer_.ptr()));
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
    return pending_->Keep(std::move(error));
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
    return pending_->Keep(std::move(error));
  }
}

}  // namespace

Status PendingException::Keep(nb::python_error&& error) {
  std::string text = TextOf(error);
  const Status status(ErrorCode::kIo, text);
  const bool is_urgent = !error.matches(PyExc_Exception);
  Add({std::move(error), std::move(text), is_urgent});
  return status;
}

void PendingException::KeepUrgent(nb::python_error&& error) {
  Add({std::move(error), "", /*is_urgent=*/true});
}

void PendingException::KeepOfMemory(nb::python_error&& error) {
  const bool is_urgent = !error.matches(PyExc_Exception);
  Add({std::move(error), "", is_urgent, /*is_of_memory=*/true});
}

void PendingException::Add(Kept&& kept) {
  auto added = std::make_unique<Kept>(std::move(kept));
  std::unique_ptr<Kept> oldest;  // freed after the lock: may call Python code
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(added));
  const auto first = std::find_if(kept_.begin(), kept_.end(),
                                  [](const auto& e) { return !e->is_urgent; });
  if (kept_.size() <= kMaxKept || first == kept_.end()) return;
  oldest = std::move(*first);
  kept_.erase(first);
}

PendingException::List::const_iterator PendingException::OfStatus(
    const List& kept, const Status& status) {
  if (status.code() == ErrorCode::kOutOfMemory) {
    return std::find_if(kept.begin(), kept.end(),
                        [](const auto& e) { return e->is_of_memory; });
  }
  if (status.code() != ErrorCode::kIo) return kept.end();
  return std::find_if(kept.begin(), kept.end(), [&](const auto& e) {
    return e->text == status.message();
  });
}

std::unique_ptr<PendingException::Kept> PendingException::Take(
    const Status& status) {
  const std::lock_guard lock(mutex_);
  auto found = std::find_if(kept_.cbegin(), kept_.cend(),
                            [](const auto& e) { return e->is_urgent; });
  if (found == kept_.cend()) found = OfStatus(kept_, status);
  if (found == kept_.cend()) return nullptr;
  const auto at = kept_.begin() + (found - kept_.cbegin());
  std::unique_ptr<Kept> taken = std::move(*at);
  kept_.erase(at);
  return taken;
}

void PendingException::Check(const Status& status) {
  if (const auto taken = Take(status)) {
    throw nb::python_error(std::move(taken->error));
  }
  python::Check(status);
}

void PendingException::ThrowLater() {
  std::unique_ptr<Kept> taken = Take(Status());
  if (taken == nullptr) return;
  // A signal would not work: Python also handles signals in the middle of
  // printing.
  const auto raise = [](void* kept) {
    const std::unique_ptr<Kept> owned(static_cast<Kept*>(kept));
    owned->error.restore();
    return -1;
  };
  if (Py_AddPendingCall(raise, taken.get()) == 0) {
    static_cast<void>(taken.release());
  } else {
    PyErr_SetInterrupt();
  }
}

nb::object PendingException::Find(const Status& status) const {
  const std::lock_guard lock(mutex_);
  const auto found = OfStatus(kept_, status);
  return found == kept_.end() ? nb::none()
                              : nb::borrow((*found)->error.value());
}

OpenInput OpenByPython(nb::object opener,
                       std::shared_ptr<PendingException> pending) {
  if (opener.is_none()) return {};
  // Any thread may drop the last reference.
  const std::shared_ptr<nb::object> shared(
      new nb::object(std::move(opener)), [](nb::object* object) {
        const nb::gil_scoped_acquire gil;
        const nb::error_scope pending_error;
        delete object;
      });
  return [shared, pending](
             const std::string& name) -> Result<std::unique_ptr<InputFile>> {
    nb::gil_scoped_acquire gil;
    try {
      const nb::object file = (*shared)(ToPath(name));
      return std::unique_ptr<InputFile>(
          std::make_unique<PythonInput>(file, pending));
    } catch (nb::python_error& error) {
      return pending->Keep(std::move(error));
    } catch (const nb::cast_error&) {
      return Status(ErrorCode::kIo, "the opened object is not a file");
    }
  };
}

std::function<bool(uint64_t, uint64_t)> ReportTo(
    nb::handle progress, std::shared_ptr<PendingException> pending) {
  return [progress, pending](uint64_t done, uint64_t size) {
    const nb::gil_scoped_acquire gil;
    try {
      return nb::cast<bool>(progress(done, size));
    } catch (nb::python_error& error) {
      pending->KeepUrgent(std::move(error));
      return true;
    }
  };
}

}  // namespace headrace::python
