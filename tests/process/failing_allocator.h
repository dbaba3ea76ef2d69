// Makes chosen allocations fail, of a program that links allocation_counter.cc
// and this.

#ifndef HEADRACE_TESTS_PROCESS_FAILING_ALLOCATOR_H_
#define HEADRACE_TESTS_PROCESS_FAILING_ALLOCATOR_H_

#include <cstdint>

namespace headrace::testing {

enum class Failing : uint8_t { kOne, kAllFromThere };
enum class Whose : uint8_t { kThisThread, kEveryThread };

// One at a time.
class FailingAllocator {
 public:
  // Of the allocations made in During, the one of this number, from 0, fails;
  // or it and all that come after it.
  FailingAllocator(uint64_t number, Failing failing, Whose whose);
  FailingAllocator(const FailingAllocator&) = delete;
  FailingAllocator& operator=(const FailingAllocator&) = delete;

  // What `calls` returns. Allocations outside of it are not touched.
  template <class Calls>
  auto During(Calls&& calls) {
    const Window window;
    return calls();
  }

  // Whether one has failed.
  bool has_failed() const;

 private:
  struct Window {
    Window();
    ~Window();
  };
};

// Whether the allocation that is asked for now must fail, for those who replace
// the allocation functions.
bool AllocationFails();

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_PROCESS_FAILING_ALLOCATOR_H_
