// Running a test once for each set of vector instructions that the library
// was compiled for and this CPU has.

#ifndef HEADRACE_TESTS_SUPPORT_TARGET_SWEEP_H_
#define HEADRACE_TESTS_SUPPORT_TARGET_SWEEP_H_

#include <cstdint>
#include <string>
#include <vector>

namespace headrace::testing {

struct Target {
  int64_t bit = 0;   // Highway's
  std::string name;  // Highway's: "AVX3", "AVX2", "SSE4", "SSSE3", "EMU128"
};

// Best first; the last one is the fallback without vector instructions.
const std::vector<Target>& RunnableTargets();

// Targets that this CPU can run by its own account (cpuid, not Highway) and
// that RunnableTargets() lacks. Anything here means that a sweep proves less
// than it seems to.
std::vector<std::string> MissingTargets();

// While it lives, dispatch behaves as on a CPU whose best target is `target`.
// Process-wide: create it before other threads decode.
class ScopedTarget {
 public:
  explicit ScopedTarget(const Target& target);
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;
  ~ScopedTarget();
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_TARGET_SWEEP_H_
