// HyperLogLog estimates how many distinct hashes were added (Flajolet and
// others, 2007), with Ertl's estimator ("New cardinality estimation algorithms
// for HyperLogLog sketches", 2017), which needs no correction for few values.

#ifndef HEADRACE_SRC_STATS_SKETCH_HYPER_LOG_LOG_H_
#define HEADRACE_SRC_STATS_SKETCH_HYPER_LOG_LOG_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::stats {

class HyperLogLog {
 public:
  // The standard error is 1.04 / sqrt(2^13); 99 % of estimates are within 2.58
  // standard errors.
  static constexpr int kBits = 13;
  static constexpr size_t kRegisters = size_t{1} << kBits;
  static constexpr double kError = 0.0297;

  bool is_empty() const { return registers_.empty(); }
  // Allocates the registers. Before this call the sketch takes no memory.
  void Start() { registers_.resize(kRegisters); }
  void Add(uint64_t hash) {
    uint8_t& slot = registers_[hash >> (64 - kBits)];
    const auto zeros =
        std::countl_zero(hash << kBits | uint64_t{1} << (kBits - 1));
    slot = std::max(slot, static_cast<uint8_t>(zeros + 1));
  }
  // Has the effect of adding all hashes of `other`. Both must be started.
  void Merge(const HyperLogLog& other);
  uint64_t Estimate() const;

  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);

 private:
  std::vector<uint8_t> registers_;
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_HYPER_LOG_LOG_H_
