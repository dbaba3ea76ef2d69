// Blocks finds where the blocks of rows, and the windows of blocks, are in an
// order.

#ifndef HEADRACE_SRC_READ_ORDER_BLOCKS_H_
#define HEADRACE_SRC_READ_ORDER_BLOCKS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "headrace/order.h"
#include "src/read/order/permutation.h"

namespace headrace::order {

// Consecutive slots, each of which has one block, and their positions.
struct Window {
  uint64_t number;
  uint64_t begin;  // its first position
  uint64_t size;   // in positions
  uint64_t first_slot;
  uint64_t num_slots;
};

// There are at least two blocks. The last block may be short: its slot has as
// many positions as it has rows. All other slots have options.block positions.
class Blocks {
 public:
  explicit Blocks(const OrderOptions& options);

  Window WindowAt(uint64_t position) const;

  // Returns the shuffled rows of a window of fewer than kTableSize rows.
  std::vector<uint64_t> ShuffledRows(const Window& window) const;

  // Replaces rows by their places: their positions before windows are shuffled.
  void RowsToPlaces(std::span<uint64_t> values) const;

  // Replaces places by the positions that the window's shuffle moves them to.
  // Both count from the start of the window.
  void PlacesToPositions(const Window& window,
                         std::span<uint64_t> values) const;

  // Replaces positions, counted from the start of a window of at least
  // kTableSize rows, by their rows.
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
