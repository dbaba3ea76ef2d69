// Limits: how much a file may demand of this process. Each limit is checked
// before the memory for it is allocated; a value equal to the limit is allowed.

#ifndef HEADRACE_LIMITS_H_
#define HEADRACE_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace headrace {

// The readable bytes after a record that `padded_input` promises.
inline constexpr size_t kPadding = 64;

struct Limits {
  // Maximum bytes of a record's payload. Default 2^31 - 1, as in protobuf;
  // never more than 2^32 - 1. Memory grows with the bytes that arrive, not with
  // the length that a record declares.
  uint64_t max_record_bytes = (uint64_t{1} << 31) - 1;
  // Maximum bytes of memory of one batch's columns. Default 1 GiB. A batch that
  // reaches it ends early; a single row that does not fit is kLimit.
  uint64_t max_batch_bytes = uint64_t{1} << 30;
  // Maximum uncompressed bytes of one compressed file. Default 0: no limit.
  // Memory is bounded without it; set it to bound time.
  uint64_t max_inflated_bytes = 0;
  // Maximum entries of each list of a ReadReport, and of the list of what a
  // RecordReader or Decoder skipped. Default 1000. Further entries are only
  // counted.
  size_t max_reported = 1000;
};

}  // namespace headrace

#endif  // HEADRACE_LIMITS_H_
