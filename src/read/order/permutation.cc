#include "src/read/order/permutation.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

#include "src/read/order/random.h"

namespace headrace::order {
namespace {

// Number of values permuted together. Their steps do not depend on one another,
// so the processor overlaps them.
constexpr size_t kTogether = 512;

// Mixes `x`; callers use only the high bits of the result. The high bits of the
// first product depend on all bits of `x`. They are folded down, so that after
// the second product all high bits depend on them.
uint64_t RoundFunction(uint64_t x) {
  x *= 0xbf58476d1ce4e5b9;
  return (x ^ (x >> 32)) * 0x94d049bb133111eb;
}

uint64_t LowBits(uint64_t value, int bits) {
  return value & ((uint64_t{1} << bits) - 1);
}

}  // namespace

Feistel::Feistel(uint64_t size, uint64_t key)
    : size_(size),
      half_bits_((static_cast<int>(std::bit_width(size - 1)) + 1) / 2) {
  for (size_t i = 0; i < keys_.size(); ++i) keys_[i] = Draw(key, i);
}

inline uint64_t Feistel::Forward(uint64_t value) const {
  uint64_t left = value >> half_bits_;
  uint64_t right = LowBits(value, half_bits_);
  for (size_t i = 0; i < keys_.size(); i += 2) {
    left ^= RoundFunction(keys_[i] ^ right) >> (64 - half_bits_);
    right ^= RoundFunction(keys_[i + 1] ^ left) >> (64 - half_bits_);
  }
  return left << half_bits_ | right;
}

inline uint64_t Feistel::Backward(uint64_t value) const {
  uint64_t left = value >> half_bits_;
  uint64_t right = LowBits(value, half_bits_);
  for (size_t i = keys_.size(); i > 0; i -= 2) {
    right ^= RoundFunction(keys_[i - 1] ^ left) >> (64 - half_bits_);
    left ^= RoundFunction(keys_[i - 2] ^ right) >> (64 - half_bits_);
  }
  return left << half_bits_ | right;
}

template <class Step>
inline void Feistel::Repeat(std::span<uint64_t> values, Step step) const {
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), kTogether));
    values = values.subspan(part.size());
    uint16_t outside[kTogether];
    size_t num_outside = 0;
    for (uint64_t& value : part) value = step(value);
    for (size_t i = 0; i < part.size(); ++i) {
      outside[num_outside] = static_cast<uint16_t>(i);
      num_outside += part[i] >= size_;
    }
    while (num_outside > 0) {
      size_t still_outside = 0;
      for (size_t k = 0; k < num_outside; ++k) {
        const uint16_t i = outside[k];
        part[i] = step(part[i]);
        outside[still_outside] = i;
        still_outside += part[i] >= size_;
      }
      num_outside = still_outside;
    }
  }
}

void Feistel::Apply(std::span<uint64_t> values) const {
  Repeat(values, [this](uint64_t value) { return Forward(value); });
}

void Feistel::ApplyInverse(std::span<uint64_t> values) const {
  Repeat(values, [this](uint64_t value) { return Backward(value); });
}

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
