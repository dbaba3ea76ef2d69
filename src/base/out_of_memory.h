// CatchOutOfMemory returns an error if an allocation throws.
//
// Inside the library containers may throw std::bad_alloc. Every public function
// that returns a Status or Result, and every function that a thread of the
// library runs, catches it here, once per call. Destructors allocate nothing.

#ifndef HEADRACE_SRC_BASE_OUT_OF_MEMORY_H_
#define HEADRACE_SRC_BASE_OUT_OF_MEMORY_H_

#include <new>
#include <stdexcept>
#include <type_traits>

#include "headrace/status.h"

namespace headrace {

// Returns the Status or Result of `function`, or kOutOfMemory if it throws
// because memory is short or because no memory could hold its result.
template <class Function>
std::invoke_result_t<Function> CatchOutOfMemory(Function&& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return Status::OutOfMemory();
}

// Also keeps a failure in `final_status`, which the object's other calls
// return, because the object may be half changed.
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
