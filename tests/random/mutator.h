// Structure-aware damage of messages, as a sequence.

#ifndef HEADRACE_TESTS_RANDOM_MUTATOR_H_
#define HEADRACE_TESTS_RANDOM_MUTATOR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/fuzzing.h"

namespace headrace::testing {

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : choice_(seed) {}

  // Another record, one to four changes away from this one.
  std::string Mutate(std::string_view record) {
    return fuzzing::MessageMutator(&choice_).Mutate(record);
  }

 private:
  fuzzing::Choice choice_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_MUTATOR_H_
