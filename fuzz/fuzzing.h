// What every fuzz target has: a check of one input, and a way to make and to
// change inputs that knows what they mean.

#ifndef HEADRACE_FUZZ_FUZZING_H_
#define HEADRACE_FUZZ_FUZZING_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tests/random/random_example.h"

namespace headrace::fuzzing {

using testing::Random;

// Each target has these three. CheckInput ends the process where the library
// breaks a promise: by Require, by a failed assertion of GoogleTest (which the
// oracles of the tests use), or by a sanitizer.
void CheckInput(std::string_view input);
std::string NewInput(Random* random);
std::string ChangeInput(std::string_view input, Random* random);

// Ends the process with this text, unless it is empty.
void Require(std::string_view wrong);
inline void Require(bool right, std::string_view wrong) {
  if (!right) Require(wrong);
}

// A new input now and then, otherwise a changed one.
std::string Mutate(std::string_view input, Random* random);

// The bytes of `input` that say how it is to be used. Bytes that it does not
// have are 0.
class Choices {
 public:
  explicit Choices(std::string_view input) : rest_(input) {}

  uint8_t Byte();
  // In [0, bound); bound is at most 256.
  size_t Below(size_t bound) { return Byte() % bound; }
  bool Flag() { return Byte() % 2 == 1; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_FUZZING_H_
