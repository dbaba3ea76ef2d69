// Similar names, for messages that ask "did you mean ...?".

#ifndef HEADRACE_NEAR_MISS_H_
#define HEADRACE_NEAR_MISS_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/export.h"

namespace headrace {

// Returns those of `names` that `name` may have meant, at most `most` and the
// nearest first: they differ from it in case only, by a few letters, or by what
// one of them has more at its end.
HEADRACE_EXPORT std::vector<std::string_view> NearMisses(
    std::string_view name, std::span<const std::string_view> names,
    size_t most);

}  // namespace headrace

#endif  // HEADRACE_NEAR_MISS_H_
