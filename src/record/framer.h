// The loops of the record room that see every record, or every byte: compiled
// per SIMD target, so that checksums are inlined into them. They know the plain
// case only; whatever is odd stops them and is the scanner's affair.

#ifndef HEADRACE_SRC_RECORD_FRAMER_H_
#define HEADRACE_SRC_RECORD_FRAMER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/record/record_span.h"

namespace headrace::record {

// A stretch of the stream that begins where a record should begin.
struct Stretch {
  const uint8_t* data = nullptr;
  size_t size = 0;
  uint64_t offset = 0;       // of data[0] in the uncompressed stream
  uint64_t max_payload = 0;  // at most 2^32 - 1
  bool verify_payload = true;
  bool recovered = false;  // for the spans
};

// Frames records from the start of the stretch, as many as `spans` takes and
// as are whole, of an allowed size and, by their checksums, intact. Returns
// their number.
size_t FrameRecords(const Stretch& stretch, std::span<RecordSpan> spans);

// Index of the first byte where a header begins that carries the right CRC and
// an allowed length. Where there is none: of the first byte that fewer than 12
// bytes follow, so that the search can go on when there are more.
size_t FindHeader(const Stretch& stretch);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_RECORD_FRAMER_H_
