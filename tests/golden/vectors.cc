#include "tests/golden/vectors.h"

#include <cstdlib>

namespace headrace::testing {

std::string VectorPath(std::string_view name) {
  const char* folder = std::getenv("HEADRACE_TEST_VECTORS");
  return std::string(folder ? folder : HEADRACE_TEST_VECTORS_FOLDER)
      .append("/")
      .append(name);
}

}  // namespace headrace::testing
