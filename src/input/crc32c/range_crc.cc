#include "src/input/crc32c/range_crc.h"

#include <cassert>

#include "src/input/crc32c/crc32c.h"
#include "src/input/crc32c/crc32c_math.h"

namespace headrace::record {

uint32_t RangeCrc::Run(uint32_t state, const uint8_t* data, size_t size) {
  work_ += size;
  return Crc32cRegister(state, data, size);
}

// Adds registers up to the end of the range. Drops those before `begin` once
// they are more than half, and all of them after a gap.
void RangeCrc::Reach(uint64_t begin, const uint8_t* data, size_t size) {
  if (registers_.empty() || Reached() < begin) {
    base_ = begin;
    registers_.assign(1, 0);
  }
  while (Reached() + kStep <= begin + size) {
    const uint8_t* const next = data + (Reached() - begin);
    registers_.push_back(Run(registers_.back(), next, kStep));
  }
  const size_t passed = static_cast<size_t>((begin - base_) / kStep);
  if (passed > registers_.size() / 2) {
    base_ = OffsetOf(passed);
    registers_.erase(registers_.begin(),
                     registers_.begin() + static_cast<ptrdiff_t>(passed));
  }
}

uint32_t RangeCrc::Crc(uint64_t begin, const uint8_t* data, size_t size) {
  if (size < kShort) return ~Run(kCrc32cInit, data, size);
  Reach(begin, data, size);
  assert(base_ <= begin);
  // r(XY) = zeros(r(X), |Y|) ^ r(Y), because r is linear. So the range is
  // reduced to the bytes before its first register and after its last one.
  const uint64_t end = begin + size;
  const size_t first = static_cast<size_t>((begin - base_ + kStep - 1) / kStep);
  const size_t last = static_cast<size_t>((end - base_) / kStep);
  const uint64_t head = OffsetOf(first) - begin;
  const uint64_t tail = end - OffsetOf(last);
  const uint32_t at_first = Run(kCrc32cInit, data, static_cast<size_t>(head));
  const uint32_t at_last =
      registers_[last] ^
      Crc32cZeros(at_first ^ registers_[first], (last - first) * kStep);
  return ~Run(at_last, data + (size - tail), static_cast<size_t>(tail));
}

}  // namespace headrace::record
