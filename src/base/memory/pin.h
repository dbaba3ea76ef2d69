// Pin is a counted reference that keeps bytes from being moved or reused.
//
// The count is intrusive, because the steady state takes a pin per block of
// records and may not allocate.

#ifndef HEADRACE_SRC_BASE_MEMORY_PIN_H_
#define HEADRACE_SRC_BASE_MEMORY_PIN_H_

#include <atomic>
#include <cstdint>
#include <utility>

namespace headrace {

// Starts without references. OnUnpinned runs each time the count returns to
// zero, on the thread that dropped the last reference.
class Pinnable {
 public:
  Pinnable() = default;
  Pinnable(const Pinnable&) = delete;
  Pinnable& operator=(const Pinnable&) = delete;

 protected:
  virtual ~Pinnable() = default;

 private:
  friend class Pin;
  virtual void OnUnpinned() = 0;
  std::atomic<uint32_t> pins_{0};
};

class Pin {
 public:
  Pin() = default;
  explicit Pin(Pinnable* target) : target_(target) {
    if (target_) target_->pins_.fetch_add(1, std::memory_order_relaxed);
  }
  Pin(const Pin& other) : Pin(other.target_) {}
  Pin(Pin&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
  Pin& operator=(Pin other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }
  ~Pin() {
    if (target_ &&
        target_->pins_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      target_->OnUnpinned();
    }
  }

  explicit operator bool() const { return target_ != nullptr; }
  bool operator==(const Pin& other) const = default;

 private:
  Pinnable* target_ = nullptr;
};

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_MEMORY_PIN_H_
