// ShardWriter writes records to a file, or to the files of a shard set one
// after another.

#ifndef HEADRACE_SRC_CLI_SHUFFLE_SHARD_WRITER_H_
#define HEADRACE_SRC_CLI_SHUFFLE_SHARD_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/output_file.h"
#include "headrace/record_writer.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::cli {

// Of n records shard k of N has [n k / N, n (k + 1) / N). One file is open at a
// time. Without Close there is no output.
class ShardWriter {
 public:
  // Opens the first file.
  static Result<ShardWriter> Open(std::vector<std::string> paths,
                                  const RecordWriterOptions& stored);

  // Must be called before the first record is written.
  void set_num_records(uint64_t records) { num_records_ = records; }
  Status Write(std::string_view payload);
  // Gives all files their names, or none.
  Status Close();

 private:
  ShardWriter(std::vector<std::string> paths, const RecordWriterOptions& stored)
      : paths_(std::move(paths)), stored_(stored) {
    files_.reserve(paths_.size());
  }
  Status OpenShard();
  Status FinishShard();

  std::vector<std::string> paths_;
  RecordWriterOptions stored_;
  // The files that are written or finished. They do not move: `writer_` has a
  // pointer to the last.
  std::vector<OutputFile> files_;
  std::optional<RecordWriter> writer_;
  uint64_t num_records_ = 0;
  uint64_t next_record_ = 0;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_SHUFFLE_SHARD_WRITER_H_
