// Objects hold nothing after a move, or before they are opened.

#ifndef HEADRACE_SRC_BASE_WITHOUT_CONTENT_H_
#define HEADRACE_SRC_BASE_WITHOUT_CONTENT_H_

#include <string>

#include "headrace/status.h"
#include "src/base/out_of_memory.h"

namespace headrace {

// Every call that returns a Status or Result says this; `what` is the class.
inline Status WithoutContent(const char* what) {
  return CatchOutOfMemory([what] {
    return Status(ErrorCode::kInvalidArgument,
                  std::string("this ") + what +
                      " was never opened, or it was moved from");
  });
}

// Members that return a reference return this: a T that is empty and lasts. It
// is a constant, so no code runs for it before main or after it.
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
