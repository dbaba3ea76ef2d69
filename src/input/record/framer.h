// Framed records, and the loops over every record, or every byte. The loops are
// compiled per SIMD target, with checksums inlined, and know only the plain
// case: anything odd stops them and is left to the scanner.

#ifndef HEADRACE_SRC_INPUT_RECORD_FRAMER_H_
#define HEADRACE_SRC_INPUT_RECORD_FRAMER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "headrace/record_reader.h"
#include "headrace/status.h"

namespace headrace::record {

// A record whose bytes are in a pinned window and never move.
struct RecordSpan {
  const uint8_t* payload = nullptr;
  uint64_t offset = 0;  // of its header in the uncompressed stream
  uint32_t size = 0;    // payload bytes; the stored CRC follows them
  // Framing was lost somewhere before the record and found again.
  bool recovered = false;
  // A known error of the record's row, even if the bytes have changed since.
  ErrorCode row_error = ErrorCode::kOk;

  // The offset after the footer.
  uint64_t end() const { return offset + kRecordOverhead + size; }
  std::string_view view() const {
    return {reinterpret_cast<const char*>(payload), size};
  }
};

// Returns the number of the record that is `by` after `number`, or kUnknown.
inline uint64_t NumberAfter(uint64_t number, uint64_t by) {
  return number == kUnknown ? kUnknown : number + by;
}

// Whether the length in a header of kRecordHeaderBytes has the stored CRC.
bool HeaderIsIntact(const uint8_t* header);

// Whether the payload has the stored CRC. Reads the 4 bytes after the payload.
bool PayloadIsIntact(const RecordSpan& span);

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
