// Interrupt says whether the caller of a reader wants it to end.

#ifndef HEADRACE_SRC_BASE_INTERRUPT_H_
#define HEADRACE_SRC_BASE_INTERRUPT_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "headrace/status.h"

namespace headrace {

// Whoever waits for others asks so often.
inline constexpr std::chrono::milliseconds kAskEvery{50};

// All threads of a reader may use it; only the caller's runs the function.
class Interrupt {
 public:
  explicit Interrupt(std::function<bool()> interrupted)
      : interrupted_(std::move(interrupted)) {}

  bool has_function() const { return interrupted_ != nullptr; }
  // From now on this thread is the caller's.
  void EnterCaller() { caller_ = std::this_thread::get_id(); }

  // Is true from when the reader shall end. The function is asked on the
  // caller's thread alone.
  bool Ask() {
    if (!is_set_ && caller_.load() == std::this_thread::get_id() &&
        interrupted_()) {
      is_set_ = true;
    }
    return is_set_;
  }
  bool is_set() const { return is_set_; }
  void Set() { is_set_ = true; }

 private:
  const std::function<bool()> interrupted_;
  std::atomic<std::thread::id> caller_;
  std::atomic<bool> is_set_ = false;
};

inline Status Cancelled() {
  return Status(ErrorCode::kCancelled, "the caller asked for the end");
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_INTERRUPT_H_
