// The loops over every record, or every byte. They are compiled per SIMD
// target, with checksums inlined, and know only the plain case: anything odd
// stops them and is left to the scanner.

#ifndef HEADRACE_SRC_INPUT_RECORD_FRAMER_H_
#define HEADRACE_SRC_INPUT_RECORD_FRAMER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/input/record/record_span.h"

namespace headrace::record {

// A stretch of the stream, at whose beginning a record should begin.
struct Stretch {
  const uint8_t* data = nullptr;
  size_t size = 0;
  uint64_t offset = 0;       // of data[0] in the uncompressed stream
  uint64_t max_payload = 0;  // at most 2^32 - 1
  bool verify_payload = true;
  bool recovered = false;  // copied to the spans
};

// Frames records from the start of the stretch while `spans` has room and the
// records are whole, of an allowed size and, by their checksums, intact.
// Returns the number of records.
size_t FrameRecords(const Stretch& stretch, std::span<RecordSpan> spans);

// Returns the index where the first header with the right CRC and an allowed
// length begins. If there is none, returns the first index with fewer than 12
// bytes left: the search can continue there when there are more.
size_t FindHeader(const Stretch& stretch);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_FRAMER_H_
