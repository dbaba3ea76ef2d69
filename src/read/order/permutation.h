// Permutation: a keyed permutation of the numbers [0, size), for Order. Below
// kTableSize (random.h) it is a shuffled table, otherwise a Feistel network.

#ifndef HEADRACE_SRC_READ_ORDER_PERMUTATION_H_
#define HEADRACE_SRC_READ_ORDER_PERMUTATION_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace headrace::order {

// Permutes [0, size) without a table. A balanced Feistel network permutes [0,
// 4^half_bits), which contains [0, size) and is at most four times as large. A
// value that lands outside [0, size) is permuted again until it is inside. Not
// for sizes below kTableSize, for which it would be biased.
class Feistel {
 public:
  Feistel(uint64_t size, uint64_t key);

  // Replaces each value, which must be below the size, by its image.
  void Apply(std::span<uint64_t> values) const;
  // Undoes Apply: replaces each image by its value.
  void ApplyInverse(std::span<uint64_t> values) const;

 private:
  static constexpr int kRounds = 8;

  // Applies `step` to each value once, and then again until the value is below
  // the size.
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
  // Undoes Apply: replaces each image by its value.
  void ApplyInverse(std::span<uint64_t> values) const;

 private:
  bool has_table_;
  std::vector<uint16_t> table_;
  std::vector<uint16_t> inverse_;  // of the table
  Feistel feistel_;
};

}  // namespace headrace::order

#endif  // HEADRACE_SRC_READ_ORDER_PERMUTATION_H_
