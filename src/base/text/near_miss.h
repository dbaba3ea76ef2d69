// Finds similar names for messages that ask "did you mean ...?".

#ifndef HEADRACE_SRC_BASE_TEXT_NEAR_MISS_H_
#define HEADRACE_SRC_BASE_TEXT_NEAR_MISS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

// Returns those of `names` that `name` may have meant, at most `most`, the
// nearest first: they differ from it in case only, in a few letters, or in
// extra letters at the end of either name.
std::vector<std::string_view> NearMisses(
    std::string_view name, std::span<const std::string_view> names,
    size_t most);

// Returns the end of a message about a name that does not exist: `; did you
// mean "shape"?`, or nothing if no name is similar.
std::string DidYouMean(std::string_view name,
                       std::span<const std::string_view> names);
std::string DidYouMean(std::string_view name,
                       const std::vector<std::string>& names);

// Does the same, but if no name is similar, returns `; {whose} are "message",
// "features"`.
std::string Suggestion(std::string_view name, std::string_view whose,
                       std::span<const std::string_view> names);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_NEAR_MISS_H_
