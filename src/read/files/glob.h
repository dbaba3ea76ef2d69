// Glob finds the files that a pattern names. The C library's glob frees its
// memory twice when an allocation fails, and sorts by the locale.

#ifndef HEADRACE_SRC_READ_FILES_GLOB_H_
#define HEADRACE_SRC_READ_FILES_GLOB_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"

namespace headrace::reader {

bool IsGlob(std::string_view path);

// Fails with kInvalidArgument where ** is not a whole part of the path.
Status CheckGlob(const std::string& pattern);

// Lists what exists and matches, sorted byte-wise: *, ? and [..] match within a
// name, a leading dot matches only a dot, a backslash takes the next character
// as it is. A part ** stands for no folder or any number of them, links to
// folders included, but for those that lead back to one that is above; with it
// the pattern stands for no folders. Unreadable folders count as empty. Indexes
// (.hri, .idx) are left out, unless the pattern has that ending. Fails with
// kInvalidArgument for a ** that is not a whole part, or for millions of
// folders, and with kOutOfMemory.
Result<std::vector<std::string>> Glob(const std::string& pattern);

// Whether Glob would list a file of this path, if it is there: for those who
// list files by other means.
bool IsMatch(const std::string& pattern, const std::string& path);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_GLOB_H_
