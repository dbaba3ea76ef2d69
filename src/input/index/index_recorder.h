// IndexRecorder makes the index of a file while somebody reads it.

#ifndef HEADRACE_SRC_INPUT_INDEX_INDEX_RECORDER_H_
#define HEADRACE_SRC_INPUT_INDEX_INDEX_RECORDER_H_

#include <memory>
#include <span>
#include <string>

#include "headrace/index.h"
#include "headrace/status.h"
#include "src/input/deflate/seek_table_builder.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/image_writer.h"
#include "src/input/record/record_span.h"
#include "src/input/source/source.h"

namespace headrace::index {

class IndexRecorder {
 public:
  // Null where the file can have no index, or has a valid one, beside it or in
  // `directory` if that is not empty.
  static Result<std::unique_ptr<IndexRecorder>> Begin(
      const std::string& file, const std::string& directory,
      const IndexOptions& options);

  // For the source that reads the file from its beginning. It must not outlive
  // this.
  compression::SeekTableBuilder* points() { return &points_; }
  // The next records of the file.
  void Add(std::span<const record::RecordSpan> records);
  // Writes the index. All of the file was read, and it was records alone. kIo
  // if the file has changed, or the index cannot be written.
  Status Finish(const source::Source& source);

 private:
  IndexRecorder(const std::string& file, std::string index_path,
                const IndexOptions& options, const FileIdentity& identity,
                std::unique_ptr<ByteStream> stored);

  const std::string file_;
  const std::string index_path_;
  const IndexOptions options_;
  const FileIdentity identity_;
  compression::SeekTableBuilder points_;
  ImageWriter writer_;
};

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_INDEX_RECORDER_H_
