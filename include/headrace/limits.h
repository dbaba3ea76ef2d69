// Limits: how much a file may demand of this process. Each limit is checked
// before the memory for it is allocated; a value equal to the limit is allowed.

#ifndef HEADRACE_LIMITS_H_
#define HEADRACE_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace headrace {

// The number of bytes after each record that `padded_input` promises to be
// readable.
inline constexpr size_t kPadding = 64;

struct Limits {
  // The maximum size of a record's payload, in bytes. Default 2^31 - 1, as in
  // protobuf; never more than 2^32 - 1. Memory grows with the bytes that
  // arrive, not with the length that a record declares.
  uint64_t max_record_bytes = (uint64_t{1} << 31) - 1;
  // The maximum memory of one batch's columns, in bytes. Default 1 GiB. A batch
  // that reaches it ends early; a single row that does not fit fails with
  // kLimit.
  uint64_t max_batch_bytes = uint64_t{1} << 30;
  // The maximum uncompressed size of one compressed file, in bytes. Default 0:
  // no limit. Memory is bounded even without this limit; set it to bound time.
  uint64_t max_inflated_bytes = 0;
  // The maximum number of entries in each list of a ReadReport, and in the list
  // of what a RecordReader or Decoder skipped. Default 1000. Further entries
  // are only counted.
  size_t max_reported = 1000;
};

}  // namespace headrace

#endif  // HEADRACE_LIMITS_H_
