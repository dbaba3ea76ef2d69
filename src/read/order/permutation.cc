#include "src/read/order/permutation.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "src/read/order/random.h"

namespace headrace::order {

Permutation::Permutation(uint64_t size, uint64_t key)
    : has_table_(size < kTableSize), feistel_(size, key) {
  if (!has_table_) return;
  table_.resize(static_cast<size_t>(size));
  std::iota(table_.begin(), table_.end(), uint16_t{0});
  Shuffle(key, std::span(table_));
  inverse_.resize(table_.size());
  for (size_t i = 0; i < table_.size(); ++i) {
    inverse_[table_[i]] = static_cast<uint16_t>(i);
  }
}

void Permutation::Apply(std::span<uint64_t> values) const {
  if (!has_table_) return feistel_.Apply(values);
  for (uint64_t& value : values) value = table_[static_cast<size_t>(value)];
}

void Permutation::ApplyInverse(std::span<uint64_t> values) const {
  if (!has_table_) return feistel_.ApplyInverse(values);
  for (uint64_t& value : values) value = inverse_[static_cast<size_t>(value)];
}

}  // namespace headrace::order
