// Judges files by their names.

#ifndef HEADRACE_SRC_READ_FILES_TFRECORD_NAME_H_
#define HEADRACE_SRC_READ_FILES_TFRECORD_NAME_H_

#include <string_view>

namespace headrace::reader {

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

#endif  // HEADRACE_SRC_READ_FILES_TFRECORD_NAME_H_
