#include "tests/order/reference_order.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <utility>

namespace headrace::testing {
namespace {

uint64_t ReferenceKey(const OrderOptions& options, uint64_t purpose,
                      uint64_t number) {
  const std::array<uint64_t, 4> numbers = {options.seed, options.epoch, purpose,
                                           number};
  return XXH3_64bits(numbers.data(), sizeof(numbers));
}

uint64_t ReferenceDraw(uint64_t key, uint64_t i) {
  uint64_t x = key + (i + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t ReferenceRound(uint64_t x, int half) {
  x = x * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 32)) * 0x94d049bb133111eb;
  return x >> (64 - half);
}

uint64_t ReferenceNetwork(uint64_t size, uint64_t key, uint64_t x) {
  int half = 8;
  while ((uint64_t{1} << (2 * half)) < size) ++half;
  do {
    uint64_t left = x >> half;
    uint64_t right = x % (uint64_t{1} << half);
    for (uint64_t i = 0; i < 8; i += 2) {
      left ^= ReferenceRound(ReferenceDraw(key, i) ^ right, half);
      right ^= ReferenceRound(ReferenceDraw(key, i + 1) ^ left, half);
    }
    x = (left << half) + right;
  } while (x >= size);
  return x;
}

// What becomes each number below `size`.
std::vector<uint64_t> ReferencePermutation(uint64_t size, uint64_t key) {
  std::vector<uint64_t> table(size);
  for (uint64_t x = 0; x < size; ++x) {
    table[x] = size < 65536 ? x : ReferenceNetwork(size, key, x);
  }
  if (size >= 65536) return table;
  for (uint64_t i = size; i-- > 1;) {
    const uint64_t j = ((ReferenceDraw(key, i) >> 16) * (i + 1)) >> 48;
    std::swap(table[i], table[j]);
  }
  return table;
}

// The order without lanes.
std::vector<uint64_t> ReferenceBase(const OrderOptions& options) {
  if (options.rows == 0) return {};
  const uint64_t num_blocks = (options.rows - 1) / options.block + 1;
  if (options.block == 1 || options.window >= num_blocks) {
    return ReferencePermutation(options.rows, ReferenceKey(options, 0, 0));
  }
  const std::vector<uint64_t> blocks =
      ReferencePermutation(num_blocks, ReferenceKey(options, 1, 0));
  std::vector<uint64_t> order;
  for (uint64_t w = 0; w * options.window < num_blocks; ++w) {
    std::vector<uint64_t> window;
    for (uint64_t slot = w * options.window;
         slot < std::min((w + 1) * options.window, num_blocks); ++slot) {
      for (uint64_t k = 0; k < options.block; ++k) {
        const uint64_t row = blocks[slot] * options.block + k;
        if (row < options.rows) window.push_back(row);
      }
    }
    const std::vector<uint64_t> permutation =
        ReferencePermutation(window.size(), ReferenceKey(options, 2, w));
    for (const uint64_t q : permutation) order.push_back(window[q]);
  }
  return order;
}

// Whether there are so many rows for each lane. They have whole turns.
bool ReferenceFits(const OrderOptions& options, uint64_t lane_size) {
  return lane_size <= options.rows && options.lanes <= options.rows / lane_size;
}

}  // namespace

std::vector<uint64_t> ReferenceOrder(const OrderOptions& options) {
  const std::vector<uint64_t> base = ReferenceBase(options);
  uint64_t lane_size = 0;
  while (ReferenceFits(options, lane_size + options.turn)) {
    lane_size += options.turn;
  }
  if (lane_size == 0) return base;
  std::vector<std::deque<uint64_t>> lanes(options.lanes);
  auto next = base.begin();
  for (std::deque<uint64_t>& lane : lanes) {
    const auto end = next + static_cast<ptrdiff_t>(lane_size);
    lane.assign(next, end);
    next = end;
  }
  std::vector<uint64_t> order;
  while (!lanes.back().empty()) {
    for (std::deque<uint64_t>& lane : lanes) {
      for (uint64_t i = 0; i < options.turn; ++i) {
        order.push_back(lane.front());
        lane.pop_front();
      }
    }
  }
  order.insert(order.end(), next, base.end());
  return order;
}

}  // namespace headrace::testing
