// Structure-aware damage: takes a record apart into its fields, changes the
// tree, and writes it again with lengths that are right, mostly.

#ifndef HEADRACE_TESTS_RANDOM_MUTATOR_H_
#define HEADRACE_TESTS_RANDOM_MUTATOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/random/random_example.h"

namespace headrace::testing {

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  // Another record, one to four changes away from this one.
  std::string Mutate(std::string_view record);

 private:
  // One field. Bytes that are no fields make a token with neither tag nor
  // children, written as they are.
  struct Token {
    uint64_t tag = 0;
    size_t tag_size = 0;       // bytes, 0 for the shortest
    size_t length_size = 0;    // likewise
    int length_error = 0;      // added to the length that is right
    std::string payload = {};  // without children: what follows tag and length
    bool is_message = false;
    std::vector<Token> children = {};
  };
  using Tokens = std::vector<Token>;

  static bool Split(std::string_view bytes, int depth, Tokens* tokens);
  static std::string Write(const Tokens& tokens);
  // A list of siblings somewhere in the tree.
  Tokens* Descend(Tokens* tokens);
  void Change(Tokens* tokens);
  void ChangeToken(Token* token);
  void ChangePayload(std::string* payload);
  Token RandomToken();

  Random random_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_MUTATOR_H_
