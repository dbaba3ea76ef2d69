// A file of a folder that is not named as TFRecord is known by its first bytes.

#ifndef HEADRACE_SRC_READ_FILES_FIRST_BYTES_H_
#define HEADRACE_SRC_READ_FILES_FIRST_BYTES_H_

#include <cstdint>
#include <span>
#include <string>

#include "headrace/status.h"
#include "src/read/files/paths.h"

namespace headrace::reader {

// Says why the file that begins with these bytes is left out of a folder:
// whether it begins as TFRecord does, compressed or not, or what it is instead.
// 4096 bytes suffice for most. The path is only put into the answer.
Result<LeftOutFile> JudgeFirstBytes(const std::string& path,
                                    std::span<const uint8_t> head);

// Opens the file to do the same, and waits for nobody: a pipe or a device is
// only named. What cannot be opened is an answer, not an error. kOutOfMemory.
Result<LeftOutFile> LookAtFile(const std::string& path);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_FIRST_BYTES_H_
