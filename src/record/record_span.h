// RecordSpan: where a framed record lies.

#ifndef HEADRACE_SRC_RECORD_RECORD_SPAN_H_
#define HEADRACE_SRC_RECORD_RECORD_SPAN_H_

#include <cstddef>
#include <cstdint>

#include "headrace/record_reader.h"

namespace headrace::record {

// A framed record: its text lies in a pinned window and never moves.
struct RecordSpan {
  const uint8_t* payload = nullptr;
  uint64_t offset = 0;  // of the header, in the uncompressed stream
  uint32_t size = 0;    // of the payload; the stored CRC follows it
  // Framing was lost somewhere before it and found again.
  bool recovered = false;

  // Of the byte after the footer.
  uint64_t end() const { return offset + kRecordOverhead + size; }
};

// True when the payload's stored CRC is right. Reads the 4 bytes after it.
bool PayloadIsIntact(const RecordSpan& span);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_RECORD_RECORD_SPAN_H_
