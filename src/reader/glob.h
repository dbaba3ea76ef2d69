// Glob finds the files that a pattern names. The C library's glob frees its
// memory twice when an allocation fails, and sorts by the locale.

#ifndef HEADRACE_SRC_READER_GLOB_H_
#define HEADRACE_SRC_READER_GLOB_H_

#include <string>
#include <vector>

#include "headrace/status.h"

namespace headrace::reader {

bool IsGlob(const std::string& path);

// Lists what exists and matches, sorted byte-wise: *, ? and [..] match within a
// name, a leading dot matches only a dot, a backslash takes the next character
// as it is. Unreadable folders count as empty. Fails with kOutOfMemory.
Result<std::vector<std::string>> Glob(const std::string& pattern);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_GLOB_H_
