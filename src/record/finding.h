// Finding: damage, where it is and what the bytes say; and its text.

#ifndef HEADRACE_SRC_RECORD_FINDING_H_
#define HEADRACE_SRC_RECORD_FINDING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "src/record/record_span.h"
#include "src/source/source.h"

namespace headrace::record {

struct Finding {
  ErrorCode code = ErrorCode::kOk;
  uint64_t offset = 0;     // where the bad record begins
  uint64_t record = 0;     // the number it would have
  uint64_t declared = 0;   // bytes of payload, by the header
  uint64_t available = 0;  // bytes there are of what is cut
  uint64_t limit = 0;      // kTooLarge: what is allowed
  uint32_t stored = 0;     // CRCs as they are stored, masked
  uint32_t computed = 0;
  // Of the file, where the finding is its first record.
  const uint8_t* head = nullptr;
  size_t head_size = 0;
};

// The error that `finding` in the file of `source` is.
Status ToStatus(const Finding& finding, const source::Source& source);

// The error of a record of `file` whose payload fails PayloadIsIntact.
Status BadPayload(const RecordSpan& span, uint64_t record,
                  const std::string& file);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_RECORD_FINDING_H_
