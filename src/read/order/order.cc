// Order: the shuffled order of docs/formats/order.md. Blocks shuffles blocks of
// rows, and then the rows of each window of blocks; Lanes lets stretches of the
// result take turns.

#include "headrace/order.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/out_of_memory.h"
#include "src/base/text/numbers.h"
#include "src/read/order/permutation.h"
#include "src/read/order/random.h"

namespace headrace {
namespace order {

// Consecutive slots and their positions. Each slot has one block of rows.
struct Window {
  uint64_t number;
  uint64_t begin;  // its first position
  uint64_t size;   // in positions
  uint64_t first_slot;
  uint64_t num_slots;
};

// Locates the blocks of rows and the windows of blocks in an order that has at
// least two blocks. A slot has options.block positions. Only the slot of the
// last block, which may be short, has as many positions as that block has rows.
class Blocks {
 public:
  // Products and sums cannot overflow: each is a position at which a slot
  // begins or ends, so it is at most the number of rows.
  explicit Blocks(const OrderOptions& options)
      : options_(options),
        num_blocks_((options.rows - 1) / options.block + 1),
        last_block_rows_((options.rows - 1) % options.block + 1),
        block_of_slot_(num_blocks_, MakeKey(options.seed, options.epoch,
                                            Purpose::kBlocks, 0)),
        short_slot_(SlotOf(num_blocks_ - 1)),
        short_slot_end_(short_slot_ * options.block + last_block_rows_) {}

  Window WindowAt(uint64_t position) const {
    Window window;
    window.number = SlotAt(position) / options_.window;
    window.first_slot = window.number * options_.window;
    window.num_slots =
        std::min(options_.window, num_blocks_ - window.first_slot);
    window.begin = SlotBegin(window.first_slot);
    window.size =
        SlotBegin(window.first_slot + window.num_slots) - window.begin;
    return window;
  }

  // Returns the shuffled rows of a window of fewer than kTableSize rows.
  std::vector<uint64_t> ShuffledRows(const Window& window) const {
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

  // Replaces rows by their places. A place is the row's position before the
  // windows are shuffled.
  void RowsToPlaces(std::span<uint64_t> values) const {
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

  // Replaces places by the positions that the window's shuffle moves them to.
  // Both count from the start of the window.
  void PlacesToPositions(const Window& window,
                         std::span<uint64_t> values) const {
    Permutation(window.size, WindowKey(window)).ApplyInverse(values);
  }

  // Replaces positions by their rows. The positions count from the start of the
  // window, which has at least kTableSize rows.
  void PositionsToRows(const Window& window, std::span<uint64_t> values) const {
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

 private:
  static constexpr size_t kPart = 512;  // values replaced at a time

  uint64_t SlotOf(uint64_t block) const {
    block_of_slot_.ApplyInverse(std::span(&block, 1));
    return block;
  }

  uint64_t SlotAt(uint64_t position) const {
    if (position < short_slot_end_) return position / options_.block;
    return short_slot_ + 1 + (position - short_slot_end_) / options_.block;
  }

  uint64_t SlotBegin(uint64_t slot) const {
    if (slot <= short_slot_) return slot * options_.block;
    return short_slot_end_ + (slot - short_slot_ - 1) * options_.block;
  }

  uint64_t WindowKey(const Window& window) const {
    return MakeKey(options_.seed, options_.epoch, Purpose::kWindow,
                   window.number);
  }

  OrderOptions options_;
  uint64_t num_blocks_;
  uint64_t last_block_rows_;
  Permutation block_of_slot_;
  // The slot of the last block, and where its positions end.
  uint64_t short_slot_;
  uint64_t short_slot_end_;
};

// Maps positions of an order to places, which are positions in the same order
// without lanes. Each lane has lane_size_ consecutive places. In the order of
// positions, the lanes take turns of turn_ positions each. Products and sums
// cannot overflow, since lanes_ * lane_size_ is at most the number of rows.
class Lanes {
 public:
  explicit Lanes(const OrderOptions& options)
      : lanes_(options.lanes),
        turn_(options.turn),
        lane_size_(options.rows / options.lanes / options.turn * options.turn),
        dealt_(lanes_ * lane_size_) {}

  // Whether any position differs from its place.
  bool MovesAny() const { return lanes_ > 1 && lane_size_ > turn_; }

  uint64_t PlaceOf(uint64_t position) const {
    if (position >= dealt_) return position;
    const uint64_t turn_number = position / turn_;
    const uint64_t lane = turn_number % lanes_;
    const uint64_t round = turn_number / lanes_;
    return lane * lane_size_ + round * turn_ + position % turn_;
  }

  uint64_t PositionOf(uint64_t place) const {
    if (place >= dealt_) return place;
    const uint64_t lane = place / lane_size_;
    const uint64_t in_lane = place % lane_size_;
    const uint64_t round = in_lane / turn_;
    return (round * lanes_ + lane) * turn_ + in_lane % turn_;
  }

 private:
  uint64_t lanes_;
  uint64_t turn_;
  uint64_t lane_size_;  // positions of each lane: whole turns
  uint64_t dealt_;      // positions of all lanes; later ones stay
};

// Caches the rows of the window shuffled last, because several batches read the
// same window. Thread-safe. A thread that finds the cache in use does without
// it, so no thread ever waits. Otherwise a child process that was forked while
// the cache was in use would wait forever.
class LastWindow {
 public:
  using Shuffled = std::shared_ptr<const std::vector<uint64_t>>;

  // Returns null if another window is cached, or if the cache is in use.
  Shuffled Find(uint64_t number) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return lock && number_ == number ? rows_ : nullptr;
  }

  void Keep(uint64_t number, Shuffled rows) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    number_ = number;
    rows_.swap(rows);
  }

 private:
  std::mutex mutex_;
  uint64_t number_ = 0;
  Shuffled rows_;
};

}  // namespace order

namespace {

using order::Blocks;
using order::kTableSize;
using order::Lanes;
using order::Permutation;
using order::Window;

// Maximum number of positions of lanes that are mapped at a time: enough that
// many are in the same window, even if each lane is in a different one.
constexpr size_t kDealtAtATime = size_t{1} << 20;

bool OneWindowHoldsAll(const OrderOptions& options) {
  if (options.block == 1 || options.rows == 0) return true;
  return (options.rows - 1) / options.block < options.window;
}

// Returns the error for a number that is not below the size of the order.
// `what` is "position" or "row".
Status NoSuch(const char* what, uint64_t number, uint64_t size) {
  return Status(ErrorCode::kInvalidArgument,
                std::string(what) + " " + std::to_string(number) +
                    " is out of range: the order has " + Counted(size, "row"));
}

Status CheckAll(const char* what, std::span<const uint64_t> numbers,
                std::span<const uint64_t> results, uint64_t size) {
  if (numbers.size() != results.size()) {
    return Status(ErrorCode::kInvalidArgument,
                  "there are " + std::to_string(numbers.size()) + " " + what +
                      "s, but room for " + std::to_string(results.size()) +
                      " results");
  }
  const auto bad = std::ranges::find_if(
      numbers, [size](uint64_t number) { return number >= size; });
  return bad == numbers.end() ? Status() : NoSuch(what, *bad, size);
}

}  // namespace

class Order::Impl {
 public:
  explicit Impl(const OrderOptions& options)
      : options_(options), lanes_(options) {
    if (OneWindowHoldsAll(options)) {
      all_.emplace(options.rows, order::MakeKey(options.seed, options.epoch,
                                                order::Purpose::kRows, 0));
    } else {
      blocks_.emplace(options);
    }
  }

  const OrderOptions& options() const { return options_; }

  void Rows(uint64_t position, std::span<uint64_t> rows) const {
    if (lanes_.MovesAny()) return RowsOfLanes(position, rows);
    if (all_) {
      std::iota(rows.begin(), rows.end(), position);
      all_->Apply(rows);
      return;
    }
    while (!rows.empty()) {
      const Window window = blocks_->WindowAt(position);
      const uint64_t skipped = position - window.begin;
      const auto part = rows.first(static_cast<size_t>(
          std::min<uint64_t>(rows.size(), window.size - skipped)));
      if (window.size < kTableSize) {
        const auto shuffled = ShuffledRows(window);
        std::copy_n(shuffled->begin() + static_cast<ptrdiff_t>(skipped),
                    part.size(), part.begin());
      } else {
        std::iota(part.begin(), part.end(), skipped);
        blocks_->PositionsToRows(window, part);
      }
      position += part.size();
      rows = rows.subspan(part.size());
    }
  }

  void RowsAt(std::span<const uint64_t> positions,
              std::span<uint64_t> rows) const {
    std::copy(positions.begin(), positions.end(), rows.begin());
    if (lanes_.MovesAny()) {
      for (uint64_t& row : rows) row = lanes_.PlaceOf(row);
    }
    if (all_) return all_->Apply(rows);
    ForEachWindow(rows,
                  [this](const Window& window, std::span<uint64_t> values) {
                    ToRows(window, values);
                  });
  }

  void PositionsOf(std::span<const uint64_t> rows,
                   std::span<uint64_t> positions) const {
    std::copy(rows.begin(), rows.end(), positions.begin());
    if (all_) {
      all_->ApplyInverse(positions);
    } else {
      blocks_->RowsToPlaces(positions);
      ForEachWindow(positions,
                    [this](const Window& window, std::span<uint64_t> values) {
                      blocks_->PlacesToPositions(window, values);
                      for (uint64_t& value : values) value += window.begin;
                    });
    }
    if (!lanes_.MovesAny()) return;
    for (uint64_t& position : positions) {
      position = lanes_.PositionOf(position);
    }
  }

 private:
  void RowsOfLanes(uint64_t position, std::span<uint64_t> rows) const {
    while (!rows.empty()) {
      const auto part = rows.first(std::min(rows.size(), kDealtAtATime));
      std::iota(part.begin(), part.end(), position);
      RowsAt(part, part);
      position += part.size();
      rows = rows.subspan(part.size());
    }
  }

  // Calls replace(window, values) for each window that has any of the
  // positions. The values are the window's positions, counted from its start;
  // `replace` overwrites them with results. The results then overwrite the
  // positions.
  template <class Replace>
  void ForEachWindow(std::span<uint64_t> positions, Replace replace) const {
    // Sorting puts the positions of a window together.
    std::vector<size_t> sorted(positions.size());
    std::iota(sorted.begin(), sorted.end(), size_t{0});
    if (!std::is_sorted(positions.begin(), positions.end())) {
      std::sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
        return positions[a] < positions[b];
      });
    }
    std::vector<uint64_t> values;
    for (auto next = sorted.begin(); next != sorted.end();) {
      const Window window = blocks_->WindowAt(positions[*next]);
      const auto end = std::find_if(next, sorted.end(), [&](size_t i) {
        return positions[i] - window.begin >= window.size;
      });
      values.clear();
      for (auto i = next; i != end; ++i) {
        values.push_back(positions[*i] - window.begin);
      }
      replace(window, values);
      for (const uint64_t result : values) positions[*next++] = result;
    }
  }

  order::LastWindow::Shuffled ShuffledRows(const Window& window) const {
    auto shuffled = last_window_.Find(window.number);
    if (shuffled == nullptr) {
      shuffled = std::make_shared<const std::vector<uint64_t>>(
          blocks_->ShuffledRows(window));
      last_window_.Keep(window.number, shuffled);
    }
    return shuffled;
  }

  // Replaces positions by their rows. The positions count from the start of the
  // window.
  void ToRows(const Window& window, std::span<uint64_t> values) const {
    if (window.size >= kTableSize) {
      return blocks_->PositionsToRows(window, values);
    }
    const auto shuffled = ShuffledRows(window);
    for (uint64_t& value : values) {
      value = (*shuffled)[static_cast<size_t>(value)];
    }
  }

  OrderOptions options_;
  Lanes lanes_;
  // Exactly one of the two has a value.
  std::optional<Permutation> all_;
  std::optional<Blocks> blocks_;
  mutable order::LastWindow last_window_;
};

Order::Order(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Order> Order::Make(const OrderOptions& options) {
  return CatchOutOfMemory([&]() -> Result<Order> {
    const std::pair<const char*, uint64_t> sizes[] = {
        {"block", options.block},
        {"window", options.window},
        {"lanes", options.lanes},
        {"turn", options.turn}};
    for (const auto& [name, size] : sizes) {
      if (size > 0) continue;
      return Status(ErrorCode::kInvalidArgument,
                    std::string(name) + " is 0; it must be at least 1");
    }
    return Order(std::make_shared<const Impl>(options));
  });
}

const OrderOptions& Order::options() const { return impl_->options(); }

Status Order::Rows(uint64_t first_position, std::span<uint64_t> rows) const {
  return CatchOutOfMemory([&] {
    if (first_position > size()) {
      return NoSuch("position", first_position, size());
    }
    if (rows.size() > size() - first_position) {
      return NoSuch("position", size(), size());
    }
    impl_->Rows(first_position, rows);
    return Status();
  });
}

Status Order::RowsAt(std::span<const uint64_t> positions,
                     std::span<uint64_t> rows) const {
  return CatchOutOfMemory([&] {
    Status status = CheckAll("position", positions, rows, size());
    if (status.ok()) impl_->RowsAt(positions, rows);
    return status;
  });
}

Status Order::PositionsOf(std::span<const uint64_t> rows,
                          std::span<uint64_t> positions) const {
  return CatchOutOfMemory([&] {
    Status status = CheckAll("row", rows, positions, size());
    if (status.ok()) impl_->PositionsOf(rows, positions);
    return status;
  });
}

}  // namespace headrace
