// Permutation permutes [0, size): with a table below kTableSize, otherwise with
// a Feistel network.

#ifndef HEADRACE_SRC_READ_ORDER_PERMUTATION_H_
#define HEADRACE_SRC_READ_ORDER_PERMUTATION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "src/read/order/feistel.h"

namespace headrace::order {

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
