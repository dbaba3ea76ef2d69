// Similar names, for messages that ask "did you mean ...?".

#ifndef HEADRACE_SRC_BASE_TEXT_NEAR_MISS_H_
#define HEADRACE_SRC_BASE_TEXT_NEAR_MISS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

// Returns those of `names` that `name` may have meant, at most `most` and the
// nearest first: they differ from it in case only, by a few letters, or by what
// one of them has more at its end.
std::vector<std::string_view> NearMisses(
    std::string_view name, std::span<const std::string_view> names,
    size_t most);

// These end a message about a name that does not exist: `; did you mean
// "shape"?`, or nothing where no name is alike.
std::string DidYouMean(std::string_view name,
                       std::span<const std::string_view> names);
std::string DidYouMean(std::string_view name,
                       const std::vector<std::string>& names);

// The same, or where no name is alike `; {whose} are "message", "features"`.
std::string Suggestion(std::string_view name, std::string_view whose,
                       std::span<const std::string_view> names);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_NEAR_MISS_H_
