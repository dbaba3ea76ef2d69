#include "src/stats/sketch/hyper_log_log.h"

#include <array>
#include <cmath>

#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {
namespace {

constexpr size_t kMaxRank = 64 - HyperLogLog::kBits + 1;

// The two series of Ertl's estimator.
double Sigma(double x) {
  if (x == 1) return HUGE_VAL;
  double sum = x;
  double factor = 1;
  for (double last = 0; sum != last; factor += factor) {
    x *= x;
    last = sum;
    sum += x * factor;
  }
  return sum;
}

double Tau(double x) {
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x;
  double factor = 1;
  for (double last = 0; sum != last;) {
    x = std::sqrt(x);
    last = sum;
    factor /= 2;
    sum -= (1 - x) * (1 - x) * factor;
  }
  return sum / 3;
}

}  // namespace

void HyperLogLog::Merge(const HyperLogLog& other) {
  for (size_t i = 0; i < kRegisters; ++i) {
    registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
}

uint64_t HyperLogLog::Estimate() const {
  std::array<double, kMaxRank + 1> counts = {};
  for (const uint8_t rank : registers_) ++counts[rank];
  constexpr auto kSize = static_cast<double>(kRegisters);
  double z = kSize * Tau(1 - counts[kMaxRank] / kSize);
  for (size_t rank = kMaxRank - 1; rank > 0; --rank) {
    z = (z + counts[rank]) / 2;
  }
  z += kSize * Sigma(counts[0] / kSize);
  const double estimate = kSize * kSize / (2 * std::log(2.0) * z);
  return static_cast<uint64_t>(std::llround(estimate));
}

void HyperLogLog::Append(std::string* out) const {
  AppendFields(out, registers_);
}

bool HyperLogLog::Parse(std::string_view* bytes) {
  if (!TakeFields(bytes, &registers_)) return false;
  return registers_.empty() ||
         (registers_.size() == kRegisters &&
          std::all_of(registers_.begin(), registers_.end(),
                      [](uint8_t rank) { return rank <= kMaxRank; }));
}

}  // namespace headrace::stats
