// Lists the files to read when a path names a directory.

#ifndef HEADRACE_SRC_READ_FILES_FOLDER_H_
#define HEADRACE_SRC_READ_FILES_FOLDER_H_

#include <dirent.h>

#include <string>

#include "headrace/status.h"
#include "src/read/files/paths.h"

namespace headrace::reader {

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

// Adds the files in `folder` that HasTfrecordName accepts, sorted byte-wise,
// and if `looks`, the others as left out. kNotFound for a link to nothing, kIo
// for a pipe, with such a name; kIo for a folder that cannot be read;
// kOutOfMemory.
Status AddFolder(const std::string& folder, bool looks, FoundFiles* found);

// Returns success for a regular file or a directory. For any other path, the
// error says what it is, and where a link leads.
Status CheckInput(const std::string& path);

// Returns kNotFound or kIo for a file that does not exist or may not be read.
Status CheckReadable(const std::string& path);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_FOLDER_H_
