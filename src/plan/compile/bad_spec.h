
#ifndef HEADRACE_SRC_PLAN_COMPILE_BAD_SPEC_H_
#define HEADRACE_SRC_PLAN_COMPILE_BAD_SPEC_H_

#include <string>
#include <string_view>

#include "headrace/status.h"
#include "src/base/text/quote.h"
#include "wire/utf8.h"

namespace headrace::plan {

// Says `feature "name" what`, with the rule's id of docs/semantics.md.
inline Status BadSpec(std::string_view noun, const std::string& name,
                      const std::string& what, std::string_view rule = {}) {
  std::string message = std::string(noun) + " " + Quote(name) + " " + what;
  if (!rule.empty()) message += " (" + std::string(rule) + ")";
  return Status(ErrorInfo{.code = ErrorCode::kBadSpec,
                          .message = std::move(message),
                          .feature = name});
}

// Keys of a map are UTF-8, so no record has any other.
inline bool IsKey(std::string_view key) {
  return wire::IsUtf8(
      {reinterpret_cast<const uint8_t*>(key.data()), key.size()});
}

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_BAD_SPEC_H_
