// libFuzzer changes an input by the target's own rules, or blindly, which finds
// what the rules do not think of and uses the dictionary.

#include <cstddef>
#include <cstdint>

#include "fuzz/fuzzing.h"
#include "headrace/fuzzing.h"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  headrace::fuzzing::Random random(seed);
  if (size > 0 && random.OneIn(3)) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  return headrace::fuzzing::CopyInput(
      headrace::fuzzing::Mutate(headrace::fuzzing::ViewOf(data, size), &random),
      data, max_size);
}
