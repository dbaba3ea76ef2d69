// RangeCrc computes the CRC32Cs of many overlapping ranges of one stream, at
// about the cost of one pass over it.
//
// A rescan finds headers that look right and reach far. A file can consist of
// nothing else, and summing each of their payloads separately would take
// quadratic time. So registers are kept at a fixed distance. A register is
// linear in its bytes, so the registers next to the ends of a range determine
// its CRC.

#ifndef HEADRACE_SRC_INPUT_CRC32C_RANGE_CRC_H_
#define HEADRACE_SRC_INPUT_CRC32C_RANGE_CRC_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headrace::record {

class RangeCrc {
 public:
  // Returns the CRC32C of the stream's bytes [begin, begin + size), which are
  // at `data`. Ranges must be passed in the order of `begin`. Takes time in
  // proportion to bytes that no range has reached before, plus a constant and
  // the logarithm of `size`.
  uint32_t Crc(uint64_t begin, const uint8_t* data, size_t size);

  // Returns the number of bytes that were summed, for tests of the time that
  // Crc takes.
  uint64_t work() const { return work_; }

 private:
  // Bytes per 4-byte register. At either end of a range, fewer bytes than this
  // are summed.
  static constexpr size_t kStep = 128;
  // Bytes of a range; summing a shorter one without registers costs no more.
  static constexpr size_t kShort = 1024;

  uint64_t OffsetOf(size_t index) const { return base_ + index * kStep; }
  uint64_t Reached() const { return OffsetOf(registers_.size() - 1); }
  void Reach(uint64_t begin, const uint8_t* data, size_t size);
  uint32_t Run(uint32_t state, const uint8_t* data, size_t size);

  uint64_t base_ = 0;  // offset of registers_[0]
  // [i] covers the bytes from some origin up to base_ + i * kStep. The origin
  // does not matter, because a range is a difference.
  std::vector<uint32_t> registers_;
  uint64_t work_ = 0;
};

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_CRC32C_RANGE_CRC_H_
