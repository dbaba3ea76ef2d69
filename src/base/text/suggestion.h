// A name does not exist; these end a message with what may have been meant.

#ifndef HEADRACE_SRC_BASE_TEXT_SUGGESTION_H_
#define HEADRACE_SRC_BASE_TEXT_SUGGESTION_H_

#include <span>
#include <string>
#include <string_view>

namespace headrace {

// `; did you mean "shape"?`, or nothing where no name is alike.
std::string DidYouMean(std::string_view name,
                       std::span<const std::string_view> names);

// `; did you mean "shape"?`, or where no name is alike `; {whose} are
// "message", "features"`.
std::string Suggestion(std::string_view name, std::string_view whose,
                       std::span<const std::string_view> names);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_SUGGESTION_H_
