// Glob finds the files that a pattern names. It replaces the C library's glob,
// which frees memory twice when an allocation fails, and sorts by locale.

#ifndef HEADRACE_SRC_READ_FILES_GLOB_H_
#define HEADRACE_SRC_READ_FILES_GLOB_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"

namespace headrace::reader {

// Whether the path has a wildcard: *, ? or [.
bool IsGlob(std::string_view path);

// Returns kInvalidArgument if ** is only a part of a name, not a whole name of
// the path.
Status CheckGlob(const std::string& pattern);

// Returns the paths that exist and match, sorted byte-wise. *, ? and [..] match
// within a name, but never match its leading dot. A backslash makes the next
// character literal.
// ** as a whole name matches any number of folders inside one another,
// including none. It follows links to folders, except those that lead back to a
// folder above. A pattern with ** matches only files.
// Unreadable folders count as empty. Indexes (.hri, .idx) are left out unless
// the pattern has that ending. Fails with kInvalidArgument if ** is only a part
// of a name or finds more than a million folders, and with kOutOfMemory.
Result<std::vector<std::string>> Glob(const std::string& pattern);

// Whether Glob would return this path if there were such a file: for callers
// that list files by other means.
bool IsMatch(const std::string& pattern, const std::string& path);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_GLOB_H_
