// What a file may ask of this process. Each limit is checked before the memory
// it would cost is taken.

#ifndef HEADRACE_LIMITS_H_
#define HEADRACE_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace headrace {

struct Limits {
  // Longest payload of a record. The default is protobuf's own ceiling; a
  // record in a stream grows with the bytes that arrive, whatever it declares.
  uint64_t max_record_bytes = (uint64_t{1} << 31) - 1;
  // Memory of one batch's columns. A batch that reaches it is cut short; a
  // single row that does not fit is an error of class kLimit.
  uint64_t max_batch_bytes = uint64_t{1} << 30;
  // Uncompressed bytes of one compressed file; 0 is no bound. Memory is
  // bounded without it, this is for those who must bound time.
  uint64_t max_inflated_bytes = 0;
  // Skipped regions and rows that a report lists, late names too, and rows that
  // a Decoder lists; more are only counted.
  size_t max_reported = 1000;
};

}  // namespace headrace

#endif  // HEADRACE_LIMITS_H_
