#include "python/src/reader/allocator.h"

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "python/src/error.h"
#include "src/read/batch/batch_copy.h"

namespace headrace::python {
namespace {

// A slab: what allocate returned, with a reference, and its buffer.
struct Held {
  PyObject* object;
  Py_buffer buffer;
};

// The slabs that are in use, by address. No Python code runs while the lock is
// held.
class LiveSlabs {
 public:
  // Returns false if memory of this address is in use already.
  bool Add(const Held& held) {
    const std::lock_guard lock(mutex_);
    return slabs_.emplace(held.buffer.buf, held).second;
  }
  Held Remove(const void* data) {
    const std::lock_guard lock(mutex_);
    return slabs_.extract(data).mapped();
  }
  nb::object ObjectOf(const void* data) const {
    const std::lock_guard lock(mutex_);
    const auto found = slabs_.find(data);
    return found == slabs_.end() ? nb::none()
                                 : nb::borrow(found->second.object);
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, Held> slabs_;
};

LiveSlabs& Slabs() {
  static auto* slabs = new LiveSlabs;
  return *slabs;
}

[[noreturn]] void Throw(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

class PythonAllocator : public BatchAllocator {
 public:
  // The GIL must be held.
  PythonAllocator(nb::object allocate,
                  std::shared_ptr<PendingException> pending)
      : allocate_(std::move(allocate)), pending_(std::move(pending)) {}
  PythonAllocator(const PythonAllocator&) = delete;
  PythonAllocator& operator=(const PythonAllocator&) = delete;
  ~PythonAllocator() override;

  void* Allocate(size_t size, size_t alignment) override;
  void Free(void* data, size_t size) noexcept override;

 private:
  void* BufferOf(size_t size, size_t alignment) const;

  nb::object allocate_;
  const std::shared_ptr<PendingException> pending_;
  const pid_t process_ = getpid();
};

PythonAllocator::~PythonAllocator() {
  if (!nb::is_alive()) {
    static_cast<void>(allocate_.release());
    return;
  }
  const nb::gil_scoped_acquire gil;
  const nb::error_scope pending_error;
  allocate_.reset();
}

void* PythonAllocator::Allocate(size_t size, size_t alignment) {
  if (!nb::is_alive()) return nullptr;
  const nb::gil_scoped_acquire gil;
  const nb::error_scope pending_error;
  try {
    return BufferOf(size, alignment);
  } catch (nb::python_error& error) {
    pending_->KeepOfMemory(std::move(error));
    return nullptr;
  }
}

// Throws python_error.
void* PythonAllocator::BufferOf(size_t size, size_t alignment) const {
  if (getpid() != process_) {
    Throw(PyExc_RuntimeError,
          "an allocator does not survive a fork; give the process its own");
  }
  nb::object object = allocate_(size);
  Held held{object.ptr(), {}};
  Py_buffer& buffer = held.buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_WRITABLE) != 0) {
    throw nb::python_error();
  }
  std::string wrong;
  if (static_cast<size_t>(buffer.len) < size) {
    wrong = "a buffer of " + std::to_string(buffer.len) + " bytes instead of " +
            std::to_string(size);
  } else if (reinterpret_cast<uintptr_t>(buffer.buf) % alignment != 0) {
    wrong = "a buffer that does not begin at a multiple of " +
            std::to_string(alignment) + " bytes";
  } else if (!Slabs().Add(held)) {
    wrong = "a buffer that another batch still uses";
  }
  if (wrong.empty()) {
    static_cast<void>(object.release());  // the slab has the reference now
    return buffer.buf;
  }
  PyBuffer_Release(&buffer);
  Throw(PyExc_ValueError,
        "allocate(" + std::to_string(size) + ") returned " + wrong);
}

void PythonAllocator::Free(void* data, size_t /*size*/) noexcept {
  if (!nb::is_alive() || getpid() != process_) return;
  const nb::gil_scoped_acquire gil;
  const nb::error_scope pending_error;
  Held held = Slabs().Remove(data);
  PyBuffer_Release(&held.buffer);
  Py_DECREF(held.object);
}

}  // namespace

std::shared_ptr<BatchAllocator> AllocatorByPython(
    const nb::dict& options, std::shared_ptr<PendingException> pending) {
  const nb::object given = options.get("allocator", nb::none());
  if (given.is_none()) return nullptr;
  const nb::object allocate = nb::getattr(given, "allocate", nb::none());
  if (PyCallable_Check(allocate.ptr()) == 0) {
    RaiseWrongType("allocator", "an object with a method allocate(size)",
                   given);
  }
  return std::make_shared<PythonAllocator>(allocate, std::move(pending));
}

nb::list SlabObjects(const Batch& batch) {
  nb::list slabs;
  for (const std::span<const uint8_t> slab : SlabsOf(batch)) {
    slabs.append(nb::make_tuple(Slabs().ObjectOf(slab.data()),
                                reinterpret_cast<uintptr_t>(slab.data()),
                                slab.size()));
  }
  return slabs;
}

}  // namespace headrace::python
