// Every fuzz target has a check of one input, and makes and changes inputs by
// rules that know what they mean.

#ifndef HEADRACE_FUZZ_FUZZING_H_
#define HEADRACE_FUZZ_FUZZING_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tests/random/random_example.h"

namespace headrace::fuzzing {

using testing::Random;

// Each target defines these three. CheckInput ends the process where the
// library breaks a promise: by Require, by a failed assertion of GoogleTest
// (which the oracles of the tests use), or by a sanitizer.
void CheckInput(std::string_view input);
std::string NewInput(Random* random);
std::string ChangeInput(std::string_view input, Random* random);

// Ends the process with this text, unless it is empty.
void Require(std::string_view wrong);
inline void Require(bool right, std::string_view wrong) {
  if (!right) Require(wrong);
}

// Now and then the input is a new one.
std::string Mutate(std::string_view input, Random* random);

// Some bytes of `input` choose how it is used. Bytes that it does not have are
// 0.
class Choices {
 public:
  explicit Choices(std::string_view input) : rest_(input) {}

  uint8_t Byte();
  // The number is in [0, bound); bound is at most 256.
  size_t Below(size_t bound) { return Byte() % bound; }
  bool Flag() { return Byte() % 2 == 1; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_FUZZING_H_
