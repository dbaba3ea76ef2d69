// Lanes says which positions of an order each lane has, and when their turn is.

#ifndef HEADRACE_SRC_READ_ORDER_LANES_H_
#define HEADRACE_SRC_READ_ORDER_LANES_H_

#include <cstdint>

#include "headrace/order.h"

namespace headrace::order {

// Maps positions to their places in the same order without lanes. No product or
// sum here exceeds the number of rows, since the factors were divided out of it
// before.
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
  uint64_t lane_size_;  // positions of each lane, whole turns
  uint64_t dealt_;      // positions of all lanes; the rest is not dealt
};

}  // namespace headrace::order

#endif  // HEADRACE_SRC_READ_ORDER_LANES_H_
