// CatchOutOfMemory returns an error where an allocation throws.
//
// Inside the library containers may throw std::bad_alloc. Every public function
// that returns a Status or Result, and every function that a thread of the
// library runs, catches it here, once per call. Destructors take no memory.

#ifndef HEADRACE_SRC_BASE_OUT_OF_MEMORY_H_
#define HEADRACE_SRC_BASE_OUT_OF_MEMORY_H_

#include <new>
#include <stdexcept>
#include <type_traits>

#include "headrace/status.h"

namespace headrace {

// Returns what `function` returns, a Status or a Result; kOutOfMemory where it
// throws for want of memory, or since no memory could hold what it makes.
template <class Function>
std::invoke_result_t<Function> CatchOutOfMemory(Function&& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return Status::OutOfMemory();
}

// The object may be half changed: `final_status`, which its other calls heed,
// keeps the failure.
template <class Function>
std::invoke_result_t<Function> CatchOutOfMemory(Status* final_status,
                                                Function&& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return *final_status = Status::OutOfMemory();
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_OUT_OF_MEMORY_H_
