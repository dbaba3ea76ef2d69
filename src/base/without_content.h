// Results of calls on objects without content: moved from, or never opened.

#ifndef HEADRACE_SRC_BASE_WITHOUT_CONTENT_H_
#define HEADRACE_SRC_BASE_WITHOUT_CONTENT_H_

#include <string>

#include "headrace/status.h"
#include "src/base/out_of_memory.h"

namespace headrace {

// For calls that return a Status or Result; `what` is the class of the object.
inline Status WithoutContent(const char* what) {
  return CatchOutOfMemory([what] {
    return Status(ErrorCode::kInvalidArgument,
                  std::string("this ") + what +
                      " was never opened, or it was moved from");
  });
}

// For calls that return a reference: returns an empty T that is never
// destroyed. The T is a constant, so no code runs for it before or after main.
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
