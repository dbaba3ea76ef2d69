// A test runs once per set of vector instructions that the library was compiled
// for and this CPU has.

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

// The best comes first, the fallback without vector instructions last.
const std::vector<Target>& RunnableTargets();

// This CPU says (by cpuid, not Highway) that it can run these, but
// RunnableTargets() lacks them. Anything here means that a sweep proves less
// than it seems to.
std::vector<std::string> MissingTargets();

// While it lives, dispatch behaves as on a CPU whose best target is `target`.
// This holds for the process: create it before other threads decode.
class ScopedTarget {
 public:
  explicit ScopedTarget(const Target& target);
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;
  ~ScopedTarget();
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_TARGET_SWEEP_H_
