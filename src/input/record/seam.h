// Where the records of a plain file can be found without reading it from its
// beginning, so that several readers can share it.

#ifndef HEADRACE_SRC_INPUT_RECORD_SEAM_H_
#define HEADRACE_SRC_INPUT_RECORD_SEAM_H_

#include <cstdint>

#include "headrace/status.h"
#include "src/input/source/source.h"

namespace headrace::record {

// Gives the first offset at or behind `from` from which a chain of records
// leads on: a header with a right CRC whose record ends inside the file, and so
// on for kSeamRecords more records and kSeamBytes, or up to the end of the
// file. Gives the end of the file where there is none, and 0 for 0.
//
// This is a function of the file's bytes and `from` alone, whatever the reader
// and its options. Only headers are read where records are large. A right
// header in random bytes has a chance of 2^-32 at each of them before its chain
// is looked at; a TFRecord that a record holds has such chains, so who reads
// from a seam must make sure that the record before ends there.
//
// The source must be able to read at any place.
Result<uint64_t> FindSeam(source::Source* source, uint64_t from);

inline constexpr uint64_t kSeamRecords = 8;
inline constexpr uint64_t kSeamBytes = uint64_t{64} << 10;

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_SEAM_H_
