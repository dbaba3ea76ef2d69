// A Finding describes damage: where it is and what the bytes there declare.

#ifndef HEADRACE_SRC_INPUT_RECORD_FINDING_H_
#define HEADRACE_SRC_INPUT_RECORD_FINDING_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "headrace/status.h"
#include "src/input/record/framer.h"
#include "src/input/source/source.h"

namespace headrace::record {

struct Finding {
  ErrorCode code = ErrorCode::kOk;
  uint64_t offset = 0;     // where the bad record begins
  uint64_t record = 0;     // the number that the bad record would have
  uint64_t declared = 0;   // payload bytes that the header declares
  uint64_t available = 0;  // bytes present of the header, payload or footer
  uint64_t limit = 0;      // kTooLarge: the largest allowed payload
  uint32_t stored = 0;     // the CRC as it is stored, masked
  uint32_t computed = 0;
  // The first bytes of the file, if the bad record begins there; else null.
  const uint8_t* head = nullptr;
  size_t head_size = 0;
};

// Returns the error for a finding in the file of `source`.
Status ToStatus(const Finding& finding, const source::Source& source);

// Returns the error for a record of `file` whose PayloadIsIntact is false.
Status BadPayload(const RecordSpan& span, uint64_t record,
                  const std::string& file);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_FINDING_H_
