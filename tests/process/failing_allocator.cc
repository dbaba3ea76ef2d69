#include "tests/process/failing_allocator.h"

#include <atomic>

namespace headrace::testing {
namespace {

// All are initialised statically: the loader allocates before anybody else.
constinit std::atomic<bool> in_window{false};
constinit thread_local bool is_own_window = false;

constinit std::atomic<uint64_t> seen{0};
constinit std::atomic<bool> any_failed{false};
constinit uint64_t first_to_fail = 0;
constinit Failing how_many = Failing::kOne;
constinit Whose of_whom = Whose::kThisThread;

}  // namespace

FailingAllocator::FailingAllocator(uint64_t number, Failing failing,
                                   Whose whose) {
  first_to_fail = number;
  how_many = failing;
  of_whom = whose;
  seen = 0;
  any_failed = false;
}

FailingAllocator::Window::Window() {
  is_own_window = true;
  in_window.store(true, std::memory_order_release);
}

FailingAllocator::Window::~Window() {
  in_window = false;
  is_own_window = false;
}

bool FailingAllocator::has_failed() const { return any_failed; }

bool AllocationFails() {
  if (!in_window.load(std::memory_order_acquire)) return false;
  if (of_whom == Whose::kThisThread && !is_own_window) return false;
  const uint64_t number = seen.fetch_add(1, std::memory_order_relaxed);
  const bool fails = how_many == Failing::kOne ? number == first_to_fail
                                               : number >= first_to_fail;
  if (fails) any_failed = true;
  return fails;
}

}  // namespace headrace::testing
