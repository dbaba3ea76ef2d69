// Finds records of a plain file without reading it from its beginning, so that
// several readers can share the file.

#ifndef HEADRACE_SRC_INPUT_RECORD_SEAM_H_
#define HEADRACE_SRC_INPUT_RECORD_SEAM_H_

#include <cstdint>

#include "headrace/status.h"
#include "src/input/source/source.h"

namespace headrace::record {

// Returns the first offset at or after `from` where a chain of records begins:
// a header with a right CRC whose record ends inside the file, and so on for
// kSeamRecords more records and kSeamBytes, or up to the end of the file.
// Returns the end of the file if there is no chain, and 0 if `from` is 0.
//
// The result depends only on the file's bytes and `from`, not on the reader or
// its options. Only the headers of large records are read. In random bytes,
// each byte has a chance of 2^-32 to begin a right header, even before the
// chain is checked. But a TFRecord file inside a record has such chains: code
// that reads from a seam must make sure that the previous record ends there.
//
// `source` must be able to read at any offset.
Result<uint64_t> FindSeam(source::Source* source, uint64_t from);

inline constexpr uint64_t kSeamRecords = 8;
inline constexpr uint64_t kSeamBytes = uint64_t{64} << 10;

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_SEAM_H_
