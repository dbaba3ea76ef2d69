// QuantileSketch keeps some of the values that are added, so that ranks among
// the kept values estimate ranks among all (KLL: Karnin, Lang, Liberty,
// "Optimal Quantile Approximation in Streams", 2016).
//
// It has levels; a value of level h stands for 2^h values. A full level is
// sorted, and every second value moves one level up. Values beyond the first
// 2^18 are sampled before they are added, one of each run of 2^n. Values beyond
// the first 4096 are added in blocks, which are thinned immediately
// (block_sample.h). The errors of these three steps together stay within
// kRankError with 99 % confidence: tests/stats/quantile_sketch_test.cc measures
// it.
//
// Equal input yields equal sketches on every machine. Not thread-safe.

#ifndef HEADRACE_SRC_STATS_SKETCH_QUANTILE_SKETCH_H_
#define HEADRACE_SRC_STATS_SKETCH_QUANTILE_SKETCH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/stats_summary.h"
#include "src/stats/sketch/random_state.h"

namespace headrace::stats {

inline constexpr double kRankError = 0.005;

// T is float, int64_t or uint32_t.
template <class T>
class QuantileSketch {
 public:
  // None of the values is NaN.
  void Add(std::span<const T> values);
  // Adds the value `times` times, at the cost of a few values and without
  // sampling.
  void AddRepeated(T value, uint64_t times);
  void Merge(const QuantileSketch& other);

  uint64_t count() const { return count_; }

  // Values of uint32_t become uint64_t.
  template <class Value>
  Distribution<Value> ToDistribution() const;

  // Append adds the sketch to the end of the bytes. Parse takes a sketch from
  // the front of the bytes, and returns false if there is none.
  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);

 private:
  void ChooseRate();
  void AddPlain(std::span<const T> values);
  void AddSampled(std::span<const T> values);
  void AddToBlock(std::span<const T> values);
  void TakeBlock();
  void AddItem(T value, uint64_t weight);
  std::vector<T>& Level(size_t level);
  void Compress();
  void Compact(size_t level);
  uint64_t Random();
  // Returns the same sketch with all values in levels.
  QuantileSketch Closed() const;

  std::vector<std::vector<T>> levels_;
  size_t num_items_ = 0;  // in the levels
  uint64_t count_ = 0;
  bool is_lossy_ = false;
  RandomState random_;
  // From each run of 2^shift_ values one is sampled: chosen_, the value with
  // the index run_choice_ in the run. The current run has had run_seen_ values
  // so far. Until the sampled value arrives, chosen_ is the first value of the
  // run.
  uint32_t shift_ = 0;
  uint64_t run_seen_ = 0;
  uint64_t run_choice_ = 0;
  T chosen_ = T();
  std::vector<T> block_;  // sampled, and still to be thinned
};

extern template class QuantileSketch<float>;
extern template class QuantileSketch<int64_t>;
extern template class QuantileSketch<uint32_t>;

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_QUANTILE_SKETCH_H_
