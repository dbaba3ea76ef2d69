// libFuzzer changes an input by the target's own rules, or blindly, which finds
// what the rules do not think of and uses the dictionary.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/fuzzing.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  headrace::fuzzing::Random random(seed);
  if (size > 0 && random.OneIn(3)) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const std::string input = headrace::fuzzing::Mutate(
      {reinterpret_cast<const char*>(data), size}, &random);
  const size_t taken = std::min(input.size(), max_size);
  std::copy_n(input.begin(), taken, data);
  return taken;
}
