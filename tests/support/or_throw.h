// A test cannot go on without such a value.

#ifndef HEADRACE_TESTS_SUPPORT_OR_THROW_H_
#define HEADRACE_TESTS_SUPPORT_OR_THROW_H_

#include <stdexcept>
#include <utility>

#include "headrace/status.h"

namespace headrace::testing {

// GoogleTest reports what is thrown as the test's failure.
template <class T>
T OrThrow(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().ToString());
  return *std::move(result);
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_OR_THROW_H_
