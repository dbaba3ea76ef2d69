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

// Adds the files in `folder` that HasTfrecordName accepts, sorted byte-wise. If
// `looks`, also adds the other files, as left out. An accepted file is
// kNotFound if it is a link to nothing, and kIo if it is a pipe or a device.
// kIo for a folder that cannot be read; kOutOfMemory.
Status AddFolder(const std::string& folder, bool looks, FoundFiles* found);

bool IsFolder(const std::string& path);

// Returns success for a regular file or a directory. The error of any other
// path says what it is, and where it leads if it is a link.
Status CheckInput(const std::string& path);

// Returns kNotFound for a file that does not exist, kIo for one that may not be
// read.
Status CheckReadable(const std::string& path);

// Says why a file with these first bytes is left out of a folder: it begins
// like TFRecord but has another name, or it is something else. 4096 bytes
// suffice for most files. Does not open `path`, but recognizes an event file by
// its name.
Result<LeftOutFile> JudgeFirstBytes(const std::string& path,
                                    std::span<const uint8_t> head);

// Whether a name is hidden: hidden files are unfinished outputs, or markers
// such as _SUCCESS and _temporary of Spark.
inline bool IsHiddenName(std::string_view name) {
  return name.empty() || name[0] == '.' || name[0] == '_';
}

// Whether this is the name of an index, of headrace or DALI, for a file that
// HasTfrecordName accepts.
bool IsIndexName(std::string_view name);

// Whether this is an event file of TensorBoard, such as
// events.out.tfevents.1700000000.host.
bool IsEventFile(std::string_view path);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_FOLDER_H_
