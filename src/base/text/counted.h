// A number with its noun, as texts of errors have it.

#ifndef HEADRACE_SRC_BASE_TEXT_COUNTED_H_
#define HEADRACE_SRC_BASE_TEXT_COUNTED_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace headrace {

// "1 row", "2 rows".
inline std::string Counted(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) +
         (count == 1 ? "" : "s");
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_COUNTED_H_
