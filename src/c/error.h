// Every C function that can fail runs in Call, which makes a headrace_error of
// the Status that its work returns, or of the exception that it throws.

#ifndef HEADRACE_SRC_C_ERROR_H_
#define HEADRACE_SRC_C_ERROR_H_

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string_view>

#include "headrace/c.h"
#include "headrace/status.h"

namespace headrace::c {

// Returns the code of the status. For an error, if `out` is not null, sets *out
// to a new headrace_error, which the caller owns.
int32_t Give(const Status& status, headrace_error** out) noexcept;
// Does the same for HEADRACE_INTERNAL.
int32_t GiveInternal(headrace_error** out) noexcept;

Status InvalidArgument(std::string_view message);

// Returns the error for a null argument. `argument` is its name.
Status IsNull(std::string_view argument);

// Runs `work`, which returns a Status, and returns its code.
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
