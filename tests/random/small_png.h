// A picture that browsers show.

#ifndef HEADRACE_TESTS_RANDOM_SMALL_PNG_H_
#define HEADRACE_TESTS_RANDOM_SMALL_PNG_H_

#include <cstdint>
#include <string>

namespace headrace::testing {

// A PNG of `size` by `size` pixels in colours of the seed.
std::string SmallPng(uint64_t seed, uint32_t size);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_SMALL_PNG_H_
