
#ifndef HEADRACE_SRC_PLAN_SCHEMA_BAD_SCHEMA_H_
#define HEADRACE_SRC_PLAN_SCHEMA_BAD_SCHEMA_H_

#include <string>
#include <string_view>

#include "headrace/status.h"
#include "src/base/text/quote.h"

namespace headrace::schema {

// Returns kBadSpec with the message `noun "name" what (rule)`, where `rule` is
// an id of docs/semantics.md.
inline Status BadSchema(std::string_view noun, const std::string& name,
                        const std::string& what, std::string_view rule) {
  return Status(ErrorInfo{.code = ErrorCode::kBadSpec,
                          .message = std::string(noun) + " " + Quote(name) +
                                     " " + what + " (" + std::string(rule) +
                                     ")",
                          .feature = name});
}

}  // namespace headrace::schema

#endif  // HEADRACE_SRC_PLAN_SCHEMA_BAD_SCHEMA_H_
