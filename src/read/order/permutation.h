// Permutation: of [0, size), a table or a Feistel network by its size.

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

  // Replaces each value, which is below the size, by what it becomes.
  void Apply(std::span<uint64_t> values) const;
  // Replaces each value by what becomes it.
  void ApplyInverse(std::span<uint64_t> values) const;

 private:
  bool has_table_;
  std::vector<uint16_t> table_;
  std::vector<uint16_t> inverse_;  // of the table
  Feistel feistel_;
};

}  // namespace headrace::order

#endif  // HEADRACE_SRC_READ_ORDER_PERMUTATION_H_
