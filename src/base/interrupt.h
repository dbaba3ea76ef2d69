// Interrupt reports whether the caller of a reader wants it to stop.

#ifndef HEADRACE_SRC_BASE_INTERRUPT_H_
#define HEADRACE_SRC_BASE_INTERRUPT_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "headrace/status.h"

namespace headrace {

// Interval at which a thread that waits asks whether to stop.
inline constexpr std::chrono::milliseconds kAskEvery{50};

// All threads of a reader may use it. Only the caller's thread runs the
// function.
class Interrupt {
 public:
  explicit Interrupt(std::function<bool()> interrupted)
      : interrupted_(std::move(interrupted)) {}

  bool has_function() const { return interrupted_ != nullptr; }
  // Makes the current thread the caller's thread.
  void EnterCaller() { caller_ = std::this_thread::get_id(); }

  // Returns true once the reader must stop. Runs the function on the caller's
  // thread only.
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
  return Status(ErrorCode::kCancelled, "the caller asked to stop");
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_INTERRUPT_H_
