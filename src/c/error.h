// Every C function runs in Call, which makes a headrace_error of what its work
// returns or throws.

#ifndef HEADRACE_SRC_C_ERROR_H_
#define HEADRACE_SRC_C_ERROR_H_

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string_view>

#include "headrace/c.h"
#include "headrace/status.h"

namespace headrace::c {

// Returns the code of the status and, if there is an error and `out` is not
// null, gives it out.
int32_t Give(const Status& status, headrace_error** out) noexcept;
int32_t GiveInternal(headrace_error** out) noexcept;

Status InvalidArgument(std::string_view message);

// The C interface takes no null pointer for the argument of that name.
Status IsNull(std::string_view argument);

// `work` returns a Status.
template <class Work>
int32_t Call(headrace_error** error, Work&& work) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    return Give(work(), error);
  } catch (const std::bad_alloc&) {
    return Give(Status::OutOfMemory(), error);
  } catch (const std::length_error&) {
    return Give(Status::OutOfMemory(), error);
  } catch (...) {
    return GiveInternal(error);
  }
}

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_ERROR_H_
