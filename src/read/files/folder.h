// Lists the files to read when a path names a directory, and judges its other
// files by their names and first bytes.

#ifndef HEADRACE_SRC_READ_FILES_FOLDER_H_
#define HEADRACE_SRC_READ_FILES_FOLDER_H_

#include <dirent.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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

bool IsFolder(const std::string& path);

// Returns success for a regular file or a directory. For any other path, the
// error says what it is, and where a link leads.
Status CheckInput(const std::string& path);

// Returns kNotFound or kIo for a file that does not exist or may not be read.
Status CheckReadable(const std::string& path);

// Says why the file that begins with these bytes is left out of a folder:
// whether it begins like TFRecord, compressed or not, or what it is instead.
// 4096 bytes suffice for most files. `path` is not opened: it is put into the
// answer, and its name shows an event file.
Result<LeftOutFile> JudgeFirstBytes(const std::string& path,
                                    std::span<const uint8_t> head);

// Hidden files are unfinished outputs; Spark writes _SUCCESS, _temporary.
inline bool IsHiddenName(std::string_view name) {
  return name.empty() || name[0] == '.' || name[0] == '_';
}

// Whether this is an index, of headrace or DALI, beside a file that
// HasTfrecordName accepts.
bool IsIndexName(std::string_view name);

// Whether this is an event file: events.out.tfevents.1700000000.host.
bool IsEventFile(std::string_view path);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_FOLDER_H_
