// Permutation permutes [0, size): with a table below kTableSize, otherwise with
// a Feistel network.

#ifndef HEADRACE_SRC_READ_ORDER_PERMUTATION_H_
#define HEADRACE_SRC_READ_ORDER_PERMUTATION_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace headrace::order {

// Permutes [0, size) without a table. A balanced Feistel network permutes [0,
// 4^half_bits), which contains [0, size) and is at most four times as large. A
// value that lands outside [0, size) is permuted again until it is inside. For
// sizes below kTableSize, the halves are too small.
class Feistel {
 public:
  Feistel(uint64_t size, uint64_t key);

  // Replaces each value, which must be below the size, by its image.
  void Apply(std::span<uint64_t> values) const;
  // Replaces each value by the value that Apply maps to it.
  void ApplyInverse(std::span<uint64_t> values) const;

 private:
  static constexpr int kRounds = 8;

  // Applies `step` to each value, and again until it is below the size.
  template <class Step>
  void Repeat(std::span<uint64_t> values, Step step) const;
  uint64_t Forward(uint64_t value) const;
  uint64_t Backward(uint64_t value) const;

  uint64_t size_;
  int half_bits_;
  std::array<uint64_t, kRounds> keys_;
};

class Permutation {
 public:
  Permutation(uint64_t size, uint64_t key);

  // Replaces each value, which must be below the size, by its image.
  void Apply(std::span<uint64_t> values) const;
  // Replaces each value by the value that Apply maps to it.
  void ApplyInverse(std::span<uint64_t> values) const;

 private:
  bool has_table_;
  std::vector<uint16_t> table_;
  std::vector<uint16_t> inverse_;  // of the table
  Feistel feistel_;
};

}  // namespace headrace::order

#endif  // HEADRACE_SRC_READ_ORDER_PERMUTATION_H_
