// What objects say that hold nothing: those that were moved from, and those
// that were declared before they were opened.

#ifndef HEADRACE_SRC_BASE_WITHOUT_CONTENT_H_
#define HEADRACE_SRC_BASE_WITHOUT_CONTENT_H_

#include <string>

#include "headrace/status.h"
#include "src/base/out_of_memory.h"

namespace headrace {

// For every call that returns a Status or Result. `what` is the class.
inline Status WithoutContent(const char* what) {
  return CatchOutOfMemory([what] {
    return Status(ErrorCode::kInvalidArgument,
                  std::string("this ") + what +
                      " was never opened, or it was moved from");
  });
}

// For members that return a reference: a T that is empty, and lasts. A constant
// that no code runs for, before main or after it.
template <class T>
const T& Empty() {
  union Lasting {
    constexpr Lasting() : value() {}
    constexpr ~Lasting() {}
    T value;
  };
  static constexpr Lasting lasting;
  return lasting.value;
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_WITHOUT_CONTENT_H_
