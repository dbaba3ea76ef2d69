#include "src/read/order/blocks.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "src/read/order/random.h"

namespace headrace::order {
namespace {

constexpr size_t kPart = 512;

}  // namespace

// No product or sum here exceeds the number of rows: a slot begins where whole
// blocks end, or where all blocks end.
Blocks::Blocks(const OrderOptions& options)
    : options_(options),
      num_blocks_((options.rows - 1) / options.block + 1),
      last_block_rows_((options.rows - 1) % options.block + 1),
      block_of_slot_(num_blocks_,
                     MakeKey(options.seed, options.epoch, Purpose::kBlocks, 0)),
      short_slot_(SlotOf(num_blocks_ - 1)),
      short_slot_end_(short_slot_ * options.block + last_block_rows_) {}

uint64_t Blocks::SlotOf(uint64_t block) const {
  block_of_slot_.ApplyInverse(std::span(&block, 1));
  return block;
}

uint64_t Blocks::SlotBegin(uint64_t slot) const {
  if (slot <= short_slot_) return slot * options_.block;
  return short_slot_end_ + (slot - short_slot_ - 1) * options_.block;
}

uint64_t Blocks::SlotAt(uint64_t position) const {
  if (position < short_slot_end_) return position / options_.block;
  return short_slot_ + 1 + (position - short_slot_end_) / options_.block;
}

Window Blocks::WindowAt(uint64_t position) const {
  Window window;
  window.number = SlotAt(position) / options_.window;
  window.first_slot = window.number * options_.window;
  window.num_slots = std::min(options_.window, num_blocks_ - window.first_slot);
  window.begin = SlotBegin(window.first_slot);
  window.size = SlotBegin(window.first_slot + window.num_slots) - window.begin;
  return window;
}

uint64_t Blocks::WindowKey(const Window& window) const {
  return MakeKey(options_.seed, options_.epoch, Purpose::kWindow,
                 window.number);
}

std::vector<uint64_t> Blocks::ShuffledRows(const Window& window) const {
  std::vector<uint64_t> blocks(static_cast<size_t>(window.num_slots));
  std::iota(blocks.begin(), blocks.end(), window.first_slot);
  block_of_slot_.Apply(blocks);
  std::vector<uint64_t> rows(static_cast<size_t>(window.size));
  auto next = rows.begin();
  for (const uint64_t block : blocks) {
    const bool is_last = block == num_blocks_ - 1;
    const uint64_t num_rows = is_last ? last_block_rows_ : options_.block;
    const auto end = next + static_cast<ptrdiff_t>(num_rows);
    std::iota(next, end, block * options_.block);
    next = end;
  }
  Shuffle(WindowKey(window), std::span(rows));
  return rows;
}

void Blocks::RowsToPlaces(std::span<uint64_t> values) const {
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), kPart));
    values = values.subspan(part.size());
    uint64_t slots[kPart];
    for (size_t i = 0; i < part.size(); ++i) {
      slots[i] = part[i] / options_.block;
      part[i] %= options_.block;
    }
    block_of_slot_.ApplyInverse(std::span(slots, part.size()));
    for (size_t i = 0; i < part.size(); ++i) part[i] += SlotBegin(slots[i]);
  }
}

void Blocks::PlacesToPositions(const Window& window,
                               std::span<uint64_t> values) const {
  Permutation(window.size, WindowKey(window)).ApplyInverse(values);
}

void Blocks::PositionsToRows(const Window& window,
                             std::span<uint64_t> values) const {
  const Feistel shuffled(window.size, WindowKey(window));
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), kPart));
    values = values.subspan(part.size());
    shuffled.Apply(part);
    uint64_t blocks[kPart];
    for (size_t i = 0; i < part.size(); ++i) {
      const uint64_t position = window.begin + part[i];
      blocks[i] = SlotAt(position);
      part[i] = position - SlotBegin(blocks[i]);
    }
    block_of_slot_.Apply(std::span(blocks, part.size()));
    for (size_t i = 0; i < part.size(); ++i) {
      part[i] += blocks[i] * options_.block;
    }
  }
}

}  // namespace headrace::order
