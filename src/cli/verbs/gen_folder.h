// Writes records as a folder that TFDS (TensorFlow Datasets) reads.

#ifndef HEADRACE_SRC_CLI_VERBS_GEN_FOLDER_H_
#define HEADRACE_SRC_CLI_VERBS_GEN_FOLDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "src/cli/output/record_sink.h"

namespace headrace::cli {

// The folder has one split, "train", to whose files the records are written in
// turn. Without Close it has no files.
class FolderWriter {
 public:
  // Makes the folder; kInvalidArgument if it exists and is not empty. `name` is
  // that of the dataset, `features` the text of features.json.
  static Result<FolderWriter> Open(const std::string& folder,
                                   const std::string& name,
                                   const std::string& features,
                                   uint64_t shards);

  Status Write(std::string_view payload);
  Status Close();
  uint64_t num_bytes() const { return records_->num_bytes(); }

 private:
  FolderWriter() = default;
  std::string InfoText() const;

  std::string folder_;
  std::string name_;
  std::string features_;
  uint64_t shards_ = 1;
  std::unique_ptr<RecordSink> records_;
  uint64_t num_records_ = 0;
  uint64_t payload_bytes_ = 0;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_GEN_FOLDER_H_
