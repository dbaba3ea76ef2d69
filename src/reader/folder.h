// When a directory is named, these of its files are read.

#ifndef HEADRACE_SRC_READER_FOLDER_H_
#define HEADRACE_SRC_READER_FOLDER_H_

#include <string>
#include <vector>

#include "headrace/status.h"

namespace headrace::reader {

// Lists regular files in `folder` that HasTfrecordName takes, sorted byte-wise.
// Fails with kIo where it cannot be read, or kOutOfMemory.
Result<std::vector<std::string>> TfrecordFiles(const std::string& folder);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_FOLDER_H_
