// Which files of a directory are read when the directory is named.

#ifndef HEADRACE_SRC_READER_FOLDER_H_
#define HEADRACE_SRC_READER_FOLDER_H_

#include <string>
#include <vector>

#include "headrace/status.h"

namespace headrace::reader {

// Paths of the regular files in `folder` that HasTfrecordName takes, sorted
// byte-wise. kIo where it cannot be read, kOutOfMemory.
Result<std::vector<std::string>> TfrecordFiles(const std::string& folder);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_FOLDER_H_
