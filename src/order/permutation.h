// Permutation: of [0, size), a table or a Feistel network by its size.

#ifndef HEADRACE_SRC_ORDER_PERMUTATION_H_
#define HEADRACE_SRC_ORDER_PERMUTATION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "src/order/feistel.h"

namespace headrace::order {

class Permutation {
 public:
  Permutation(uint64_t size, uint64_t key);

  // Replaces each value, which is below the size, by what it becomes.
  void Apply(std::span<uint64_t> values) const;
  // Returns what becomes `value`. A table is searched for it.
  uint64_t Inverse(uint64_t value) const;

 private:
  bool has_table_;
  std::vector<uint16_t> table_;
  Feistel feistel_;
};

}  // namespace headrace::order

#endif  // HEADRACE_SRC_ORDER_PERMUTATION_H_
