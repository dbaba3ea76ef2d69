// When a directory is named, these of its files are read.

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

// Adds the files in `folder` that HasTfrecordName takes, sorted byte-wise, and
// what else it has, if `looks`. kNotFound for a link to nothing and kIo for a
// pipe under such a name, and where the folder cannot be read; kOutOfMemory.
Status AddFolder(const std::string& folder, bool looks, FoundFiles* found);

// Success for a regular file or a directory. The error of anything else says
// what it is, and where a link leads.
Status CheckInput(const std::string& path);

// kNotFound or kIo of a file that is not there, or may not be read.
Status CheckReadable(const std::string& path);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_FOLDER_H_
