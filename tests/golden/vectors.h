// Where tests/vectors lies.

#ifndef HEADRACE_TESTS_GOLDEN_VECTORS_H_
#define HEADRACE_TESTS_GOLDEN_VECTORS_H_

#include <string>
#include <string_view>

namespace headrace::testing {

// The path of a file there. HEADRACE_TEST_VECTORS in the environment names
// another folder, for tests that run from an installed tree.
std::string VectorPath(std::string_view name);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_GOLDEN_VECTORS_H_
