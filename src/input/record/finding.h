// A Finding says where damage is and what the bytes say.

#ifndef HEADRACE_SRC_INPUT_RECORD_FINDING_H_
#define HEADRACE_SRC_INPUT_RECORD_FINDING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "src/input/record/record_span.h"
#include "src/input/source/source.h"

namespace headrace::record {

struct Finding {
  ErrorCode code = ErrorCode::kOk;
  uint64_t offset = 0;     // where the bad record begins
  uint64_t record = 0;     // the number that it would have
  uint64_t declared = 0;   // payload bytes that the header declares
  uint64_t available = 0;  // bytes that a cut part has
  uint64_t limit = 0;      // kTooLarge: the largest allowed payload
  uint32_t stored = 0;     // the CRC as it is stored, masked
  uint32_t computed = 0;
  // The file begins with these bytes, if the finding is its first record.
  const uint8_t* head = nullptr;
  size_t head_size = 0;
};

// `source` has the file with the finding.
Status ToStatus(const Finding& finding, const source::Source& source);

// PayloadIsIntact has failed for the record of `file`.
Status BadPayload(const RecordSpan& span, uint64_t record,
                  const std::string& file);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_FINDING_H_
