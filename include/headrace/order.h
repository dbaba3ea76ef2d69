// Order: which row is at which position of a shuffled epoch.
//
//   auto order = headrace::Order::Make({.rows = 1000, .seed = 7, .epoch = 2});
//   if (!order) return order.status();
//   std::vector<uint64_t> rows(256), positions(256);
//   headrace::Status status = order->Rows(/*first_position=*/512, rows);
//   if (status.ok()) status = order->PositionsOf(rows, positions);  // back
//
// An order is a permutation of the rows [0, n) for each seed and epoch. It
// depends only on its options, and is the same on every machine and in every
// version of headrace. So a position is all the state that must be kept: a job
// may stop anywhere and continue with other workers. An Order needs less than 2
// MiB of memory for any number of rows. docs/formats/order.md defines the
// permutation.
//
// An Order never changes, is cheap to copy, and may be used by any number of
// threads.

#ifndef HEADRACE_ORDER_H_
#define HEADRACE_ORDER_H_

#include <cstdint>
#include <memory>
#include <span>

#include "headrace/export.h"
#include "headrace/status.h"

namespace headrace {

// The rows are cut into blocks of `block` consecutive rows, of which the last
// may be shorter. The blocks are permuted; then each `window` consecutive
// blocks form a window, and the rows of a window are permuted. Reading a window
// reads whole blocks, which suits disks and object stores. With block 1, or if
// one window holds all blocks, all rows are permuted together.
//
// With lanes, this order is cut into `lanes` stretches of the same length,
// which take turns: `turn` positions belong to one lane, the next `turn`
// positions to the next lane. If `turn` is the batch size and `lanes` a
// multiple of the number of ranks, each rank reads only the blocks of its own
// lanes and the blocks at the ends of these lanes. The last positions, fewer
// than lanes * turn, belong to no lane.
struct OrderOptions {
  uint64_t rows = 0;
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t block = 1;   // at least 1
  uint64_t window = 1;  // at least 1
  uint64_t lanes = 1;   // at least 1
  uint64_t turn = 1;    // at least 1
};

class HEADRACE_EXPORT Order {
 public:
  // kInvalidArgument for a block, window, lanes or turn of 0.
  static Result<Order> Make(const OrderOptions& options);
  // There is no move: a moved-from order would have no permutation.
  Order(const Order&) = default;
  Order& operator=(const Order&) = default;

  const OrderOptions& options() const HEADRACE_LIFETIME_BOUND;
  uint64_t size() const { return options().rows; }

  // The functions below return kInvalidArgument, and change nothing, for
  // positions and rows that are not below size(), and for spans of different
  // lengths.

  // Stores the rows at rows.size() consecutive positions from `first_position`
  // on, all below size(). With lanes, one call for several turns is faster than
  // one call for each turn, if windows have fewer than 65536 rows.
  Status Rows(uint64_t first_position, std::span<uint64_t> rows) const;
  // Stores the row at each of these positions, which may be in any order and
  // repeat. `rows` is as long as `positions`, and may be the same memory.
  // Windows of fewer than 65536 rows are shuffled as a whole, so positions in
  // many windows take longer than positions in few.
  Status RowsAt(std::span<const uint64_t> positions,
                std::span<uint64_t> rows) const;
  // Stores the position of each of these rows, which may be in any order and
  // repeat: the inverse of RowsAt. `positions` is as long as `rows`, and may be
  // the same memory. Each call makes a table for every window of fewer than
  // 65536 rows that it meets.
  Status PositionsOf(std::span<const uint64_t> rows,
                     std::span<uint64_t> positions) const;

 private:
  class Impl;
  explicit Order(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_ORDER_H_
