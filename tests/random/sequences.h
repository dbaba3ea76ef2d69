// All sequences of a few tokens, for tests that try everything.

#ifndef HEADRACE_TESTS_RANDOM_SEQUENCES_H_
#define HEADRACE_TESTS_RANDOM_SEQUENCES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::testing {

// False ends the enumeration.
using Visit = std::function<bool(const std::string&)>;

// Every string of exactly `size` bytes.
void ForEachString(size_t size, const Visit& visit);

// Every concatenation of up to `max_tokens` tokens, the empty one included.
void ForEachSequence(const std::vector<std::string>& tokens, size_t max_tokens,
                     const Visit& visit);

// Bytes that tags, lengths and values are made of: sequences of them are right
// and wrong in most of the ways there are.
std::vector<std::string> WireTokens();

// Whole fields of one message, and the record around a sequence of them. The
// innermost length is off by `length_error`.
struct Grammar {
  std::string name;
  std::vector<std::string> tokens;
  std::string (*wrap)(std::string_view content, int length_error);
};
// Of Features (map entries), of an entry, of a Feature, of the lists.
std::vector<Grammar> Grammars();

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_SEQUENCES_H_
