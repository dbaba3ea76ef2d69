// The records that the scanner frames, and checks of their checksums.

#ifndef HEADRACE_SRC_INPUT_RECORD_RECORD_SPAN_H_
#define HEADRACE_SRC_INPUT_RECORD_RECORD_SPAN_H_

#include <cstddef>
#include <cstdint>
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

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_RECORD_SPAN_H_
