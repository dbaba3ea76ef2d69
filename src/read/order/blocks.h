// Blocks: where blocks of rows and windows of blocks lie in an order.

#ifndef HEADRACE_SRC_READ_ORDER_BLOCKS_H_
#define HEADRACE_SRC_READ_ORDER_BLOCKS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "headrace/order.h"
#include "src/read/order/permutation.h"

namespace headrace::order {

// Consecutive slots, each of which takes one block, and their positions.
struct Window {
  uint64_t number;
  uint64_t begin;  // its first position
  uint64_t size;   // in positions
  uint64_t first_slot;
  uint64_t num_slots;
};

// There are at least two blocks. The last one may be short, so all slots but
// the one that takes it have as many positions as a block has rows.
class Blocks {
 public:
  explicit Blocks(const OrderOptions& options);

  Window WindowAt(uint64_t position) const;

  // Gives the rows of a window, fewer than kTableSize, shuffled.
  std::vector<uint64_t> ShuffledRows(const Window& window) const;

  // Replaces rows by the positions at which they lie while their windows are
  // not shuffled yet.
  void RowsToPlaces(std::span<uint64_t> values) const;

  // Replaces places, counted from the begin of the window, by the positions to
  // which its shuffle brings them, counted in the same way.
  void PlacesToPositions(const Window& window,
                         std::span<uint64_t> values) const;

  // Replaces positions, counted from the begin of a window of at least
  // kTableSize, by their rows.
  void PositionsToRows(const Window& window, std::span<uint64_t> values) const;

 private:
  uint64_t SlotOf(uint64_t block) const;
  uint64_t SlotAt(uint64_t position) const;
  uint64_t SlotBegin(uint64_t slot) const;
  uint64_t WindowKey(const Window& window) const;

  OrderOptions options_;
  uint64_t num_blocks_;
  uint64_t last_block_rows_;
  Permutation block_of_slot_;
  // The slot of the last block, and where its positions end.
  uint64_t short_slot_;
  uint64_t short_slot_end_;
};

}  // namespace headrace::order

#endif  // HEADRACE_SRC_READ_ORDER_BLOCKS_H_
