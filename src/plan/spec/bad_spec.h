// BadSpec makes the errors of a spec, and of a Schema that becomes one.

#ifndef HEADRACE_SRC_PLAN_SPEC_BAD_SPEC_H_
#define HEADRACE_SRC_PLAN_SPEC_BAD_SPEC_H_

#include <string>
#include <string_view>
#include <utility>

#include "headrace/status.h"
#include "src/base/text/quote.h"

namespace headrace::plan {

// Returns kBadSpec with the message `noun "name" what (rule)`, where `rule` is
// an id of docs/semantics.md.
inline Status BadSpec(std::string_view noun, const std::string& name,
                      const std::string& what, std::string_view rule = {}) {
  std::string message = std::string(noun) + " " + Quote(name) + " " + what;
  if (!rule.empty()) message += " (" + std::string(rule) + ")";
  return Status(ErrorInfo{.code = ErrorCode::kBadSpec,
                          .message = std::move(message),
                          .feature = name});
}

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_SPEC_BAD_SPEC_H_
