// Builds the index of a file: from the headers of its records, or while the
// file is read.

#ifndef HEADRACE_SRC_INPUT_INDEX_INDEX_BUILDER_H_
#define HEADRACE_SRC_INPUT_INDEX_INDEX_BUILDER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/status.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/image.h"
#include "src/input/record/framer.h"
#include "src/input/source/source.h"

namespace headrace::index {

// Builds the index of a file and returns its bytes, which Image reads.
Result<std::vector<uint8_t>> BuildImage(const std::string& path,
                                        const IndexOptions& options);

// IndexRecorder builds the index of a file while the file is read.
class IndexRecorder {
 public:
  // Returns null if the file cannot have an index or already has a valid one.
  // The index is beside the file or, if `directory` is not empty, in that
  // directory.
  static Result<std::unique_ptr<IndexRecorder>> Begin(
      const std::string& file, const std::string& directory,
      const IndexOptions& options);

  // For the source that reads the file from its beginning, which must not
  // outlive this.
  compression::SeekTableBuilder* points() { return &points_; }
  // Adds the next records of the file.
  void Add(std::span<const record::RecordSpan> records);
  // Writes the index of a file that has only records and was read to its end.
  // Fails with kIo if the file has changed or the index cannot be written.
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

#endif  // HEADRACE_SRC_INPUT_INDEX_INDEX_BUILDER_H_
