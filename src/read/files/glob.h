// Glob finds the files that a pattern names. It replaces the C library's glob,
// which frees memory twice when an allocation fails, and sorts by locale.

#ifndef HEADRACE_SRC_READ_FILES_GLOB_H_
#define HEADRACE_SRC_READ_FILES_GLOB_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"

namespace headrace::reader {

bool IsGlob(std::string_view path);

// Fails with kInvalidArgument if ** is not a whole part of the path.
Status CheckGlob(const std::string& pattern);

// Returns the paths that exist and match, sorted byte-wise. *, ? and [..] match
// within a name, a leading dot matches only a dot, and a backslash makes the
// next character literal. A part ** matches any number of folders, including
// none. It follows links to folders, except those that lead back to a folder
// above. A pattern with ** does not match folders. Unreadable folders count as
// empty. Indexes (.hri, .idx) are left out unless the pattern has that ending.
// Fails with kInvalidArgument for a ** that is not a whole part or finds more
// than a million folders, and with kOutOfMemory.
Result<std::vector<std::string>> Glob(const std::string& pattern);

// Whether Glob would list a file with this path if it existed: for callers that
// list files by other means.
bool IsMatch(const std::string& pattern, const std::string& path);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_GLOB_H_
