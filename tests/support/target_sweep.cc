#include "tests/support/target_sweep.h"

#include <algorithm>

#include "hwy/targets.h"

namespace headrace::testing {

namespace {

constexpr int64_t kFallback = HWY_TARGETS & (HWY_SCALAR | HWY_EMU128);

// The CPU itself says this, as Highway's bits.
int64_t CpuTargets() {
  int64_t targets = kFallback;
#if defined(HWY_COMPILE_ONLY_EMU128) || defined(HWY_COMPILE_ONLY_SCALAR)
  // The build asks for no other target.
#elif defined(__x86_64__)
  __builtin_cpu_init();
  const auto all = [](auto... has) { return (... && (has != 0)); };
  const bool ssse3 = all(__builtin_cpu_supports("ssse3"));
  const bool sse4 = ssse3 && all(__builtin_cpu_supports("sse4.2"),
                                 __builtin_cpu_supports("pclmul"));
  const bool avx2 =
      sse4 && all(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
                  __builtin_cpu_supports("bmi2"));
  const bool avx3 = avx2 && all(__builtin_cpu_supports("avx512f"),
                                __builtin_cpu_supports("avx512vl"),
                                __builtin_cpu_supports("avx512dq"),
                                __builtin_cpu_supports("avx512bw"));
  if (ssse3) targets |= HWY_SSSE3;
  if (sse4) targets |= HWY_SSE4;
  if (avx2) targets |= HWY_AVX2;
  if (avx3) targets |= HWY_AVX3;
#elif defined(__aarch64__)
  targets |= HWY_NEON;
#endif
  return targets;
}

// A build for a newer CPU compiles nothing below its baseline. Lower bits are
// better targets.
int64_t NotBelowBaseline(int64_t targets) {
  return targets & (HWY_STATIC_TARGET | (HWY_STATIC_TARGET - 1));
}

}  // namespace

const std::vector<Target>& RunnableTargets() {
  // This is asked once: the CPU is slow to answer in a virtual machine, and
  // inside a ScopedTarget the answer would be another.
  static const auto* const targets = [] {
    auto* found = new std::vector<Target>;
    for (int64_t bit : hwy::SupportedAndGeneratedTargets()) {
      found->push_back({bit, hwy::TargetName(bit)});
    }
    return found;
  }();
  return *targets;
}

std::vector<std::string> MissingTargets() {
  std::vector<std::string> missing;
  const std::vector<Target>& runnable = RunnableTargets();
  for (int64_t left = NotBelowBaseline(CpuTargets()); left != 0;
       left &= left - 1) {
    const int64_t bit = left & -left;
    const bool found =
        std::any_of(runnable.begin(), runnable.end(),
                    [bit](const Target& target) { return target.bit == bit; });
    if (!found) missing.emplace_back(hwy::TargetName(bit));
  }
  return missing;
}

ScopedTarget::ScopedTarget(const Target& target) {
  // Lower targets stay: a translation unit that was not compiled for this one
  // takes the next, as it would on such a CPU.
  int64_t mask = 0;
  for (const Target& other : RunnableTargets()) {
    if (other.bit >= target.bit) mask |= other.bit;
  }
  hwy::SetSupportedTargetsForTest(mask);
}

ScopedTarget::~ScopedTarget() { hwy::SetSupportedTargetsForTest(0); }

}  // namespace headrace::testing
