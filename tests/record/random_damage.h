// Files with anything wrong that can be, of which nothing is known.

#ifndef HEADRACE_TESTS_RECORD_RANDOM_DAMAGE_H_
#define HEADRACE_TESTS_RECORD_RANDOM_DAMAGE_H_

#include "tests/random/random_example.h"
#include "tests/support/record_file.h"

namespace headrace::testing {

// Does up to four things to it: at times none.
void DamageAtRandom(Random* random, DamagedFile* file);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RECORD_RANDOM_DAMAGE_H_
