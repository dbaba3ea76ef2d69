// Progress is a number that one thread sets and any may read.

#ifndef HEADRACE_SRC_BASE_PROGRESS_H_
#define HEADRACE_SRC_BASE_PROGRESS_H_

#include <atomic>
#include <cstdint>

namespace headrace {

// Setting it is as cheap as setting a plain number, because the store orders no
// other memory.
class Progress {
 public:
  operator uint64_t() const { return value_.load(std::memory_order_relaxed); }
  Progress& operator=(uint64_t value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  Progress& operator+=(uint64_t more) { return *this = *this + more; }

 private:
  std::atomic<uint64_t> value_ = 0;
};

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_PROGRESS_H_
