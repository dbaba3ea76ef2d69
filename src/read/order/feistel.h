// Feistel: a permutation of [0, size) without a table.

#ifndef HEADRACE_SRC_READ_ORDER_FEISTEL_H_
#define HEADRACE_SRC_READ_ORDER_FEISTEL_H_

#include <array>
#include <cstdint>
#include <span>

namespace headrace::order {

// A balanced network permutes [0, 4^half_bits), which holds [0, size) and is at
// most four times as large. A value that it moves out of [0, size) is moved on
// until it is back inside. A size of less than kTableSize has too small halves.
class Feistel {
 public:
  Feistel(uint64_t size, uint64_t key);

  // Replaces each value, which is below the size, by what it becomes.
  void Apply(std::span<uint64_t> values) const;
  // Replaces each value by what becomes it.
  void ApplyInverse(std::span<uint64_t> values) const;

 private:
  static constexpr int kRounds = 8;

  // Replaces each value by what `step` makes of it, again until it is inside.
  template <class Step>
  void Repeat(std::span<uint64_t> values, Step step) const;
  uint64_t Forward(uint64_t value) const;
  uint64_t Backward(uint64_t value) const;

  uint64_t size_;
  int half_bits_;
  std::array<uint64_t, kRounds> keys_;
};

}  // namespace headrace::order

#endif  // HEADRACE_SRC_READ_ORDER_FEISTEL_H_
