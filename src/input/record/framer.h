// These loops see every record, or every byte, so they are compiled per SIMD
// target, with checksums inlined. They know only the plain case: anything odd
// stops them and is left to the scanner.

#ifndef HEADRACE_SRC_INPUT_RECORD_FRAMER_H_
#define HEADRACE_SRC_INPUT_RECORD_FRAMER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/input/record/record_span.h"

namespace headrace::record {

// A record should begin where a stretch of the stream begins.
struct Stretch {
  const uint8_t* data = nullptr;
  size_t size = 0;
  uint64_t offset = 0;       // where data[0] is in the uncompressed stream
  uint64_t max_payload = 0;  // at most 2^32 - 1
  bool verify_payload = true;
  bool recovered = false;  // copied to the spans
};

// Frames records from the start of the stretch while `spans` has room and they
// are whole, of an allowed size and, by their checksums, intact. Returns their
// number.
size_t FrameRecords(const Stretch& stretch, std::span<RecordSpan> spans);

// Gives the index of the first byte where a header with the right CRC and an
// allowed length begins. If there is none, gives the first byte that fewer than
// 12 bytes follow: the search can go on there when there are more.
size_t FindHeader(const Stretch& stretch);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_FRAMER_H_
