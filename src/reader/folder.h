// Which files of a directory are read when the directory is named.

#ifndef HEADRACE_SRC_READER_FOLDER_H_
#define HEADRACE_SRC_READER_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"

namespace headrace::reader {

// Whether a file of this name, without its folder, is taken for TFRecord; the
// rule is in headrace/paths.h.
bool HasTfrecordName(std::string_view name);

// Paths of the regular files in `folder` that have such names, sorted
// byte-wise. kIo where it cannot be read, kOutOfMemory.
Result<std::vector<std::string>> TfrecordFiles(const std::string& folder);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_FOLDER_H_
