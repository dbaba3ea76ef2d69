
#ifndef HEADRACE_SRC_INPUT_RECORD_RECORD_SPAN_H_
#define HEADRACE_SRC_INPUT_RECORD_RECORD_SPAN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "headrace/record_reader.h"
#include "headrace/status.h"

namespace headrace::record {

// A record's text lies in a pinned window and never moves.
struct RecordSpan {
  const uint8_t* payload = nullptr;
  uint64_t offset = 0;  // where its header is in the uncompressed stream
  uint32_t size = 0;    // payload bytes; the stored CRC follows them
  // Framing was lost somewhere before it and found again.
  bool recovered = false;
  // Its row is known to have this error, whatever the bytes are by now.
  ErrorCode row_error = ErrorCode::kOk;

  // The byte after the footer is here.
  uint64_t end() const { return offset + kRecordOverhead + size; }
  std::string_view view() const {
    return {reinterpret_cast<const char*>(payload), size};
  }
};

// Gives the number of the record that comes `by` records after that with this
// number, which may be kUnknown.
inline uint64_t NumberAfter(uint64_t number, uint64_t by) {
  return number == kUnknown ? kUnknown : number + by;
}

// The length in a header of kRecordHeaderBytes bytes must have its stored CRC.
bool HeaderIsIntact(const uint8_t* header);

// The stored CRC must be right. Reads the 4 bytes after the payload.
bool PayloadIsIntact(const RecordSpan& span);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_RECORD_SPAN_H_
