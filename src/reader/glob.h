// Glob: the files that a pattern names. The C library's own frees its memory
// twice where memory ends, and sorts by the locale.

#ifndef HEADRACE_SRC_READER_GLOB_H_
#define HEADRACE_SRC_READER_GLOB_H_

#include <string>
#include <vector>

#include "headrace/status.h"

namespace headrace::reader {

// Whether a path has *, ? or [ in it.
bool IsGlob(const std::string& path);

// What exists and matches, sorted byte-wise: *, ? and [..] match within a name,
// a leading dot only a dot, a backslash takes the next character as it is.
// Folders that cannot be read have nothing in them. kOutOfMemory.
Result<std::vector<std::string>> Glob(const std::string& pattern);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_GLOB_H_
