// LastWindow caches the rows of the window shuffled last, because batches are
// shorter than windows.

#ifndef HEADRACE_SRC_READ_ORDER_LAST_WINDOW_H_
#define HEADRACE_SRC_READ_ORDER_LAST_WINDOW_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace headrace::order {

// Any number of threads may use one. A thread that finds it in use goes
// without, so no thread ever waits, not even in a child forked meanwhile.
class LastWindow {
 public:
  using Shuffled = std::shared_ptr<const std::vector<uint64_t>>;

  // Returns null if another window is cached, or if the cache is in use.
  Shuffled Find(uint64_t number) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return lock && number_ == number ? rows_ : nullptr;
  }

  void Keep(uint64_t number, Shuffled rows) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    number_ = number;
    rows_.swap(rows);
  }

 private:
  std::mutex mutex_;
  uint64_t number_ = 0;
  Shuffled rows_;
};

}  // namespace headrace::order

#endif  // HEADRACE_SRC_READ_ORDER_LAST_WINDOW_H_
