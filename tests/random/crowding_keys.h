// Keys chosen by somebody who knows how plans hash them.

#ifndef HEADRACE_TESTS_RANDOM_CROWDING_KEYS_H_
#define HEADRACE_TESTS_RANDOM_CROWDING_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::testing {

// Appended to a key of eight bytes, it makes one factor of the hash a multiple
// of 2^15. The product then hardly depends on the lowest bits of the other, in
// which small seeds differ.
inline constexpr std::string_view kLevelEnd = "\xD1\xA8";

// Eight hexadecimal digits, and `end`.
std::string KeyOf(size_t i, std::string_view end = "");

// The first `count` of these keys, with an `end` of up to eight bytes, whose
// hashes under each of the first `seeds` seeds that a table tries have only
// zeros among the bits of `mask`.
std::vector<std::string> CrowdingKeys(size_t count, uint64_t mask,
                                      uint64_t seeds, std::string_view end);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_CROWDING_KEYS_H_
