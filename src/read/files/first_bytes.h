// Judges files of a folder that are not named as TFRecord by their first bytes.

#ifndef HEADRACE_SRC_READ_FILES_FIRST_BYTES_H_
#define HEADRACE_SRC_READ_FILES_FIRST_BYTES_H_

#include <cstdint>
#include <span>
#include <string>

#include "headrace/status.h"
#include "src/read/files/paths.h"

namespace headrace::reader {

// Says why the file that begins with these bytes is left out of a folder:
// whether it begins like TFRecord, compressed or not, or what it is instead.
// 4096 bytes suffice for most files. `path` is not opened: it is put into the
// answer, and its name shows an event file.
Result<LeftOutFile> JudgeFirstBytes(const std::string& path,
                                    std::span<const uint8_t> head);

// Opens the file to do the same. Never waits: a pipe or a device is not read. A
// file that cannot be opened is an answer, not an error. kOutOfMemory.
Result<LeftOutFile> LookAtFile(const std::string& path);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_FIRST_BYTES_H_
