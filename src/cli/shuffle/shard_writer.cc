#include "src/cli/shuffle/shard_writer.h"

#include <memory>
#include <span>
#include <utility>

#include "headrace/output_sink.h"
#include "headrace/record_reader.h"
#include "src/cli/output/commit_all.h"
#include "src/cli/process/signals.h"

namespace headrace::cli {
namespace {

// A writer has a compressor and a buffer, which should be freed when its shard
// is finished; the file has to stay, without its name, until all are finished.
class FileSink : public OutputSink {
 public:
  explicit FileSink(OutputFile* file) : file_(file) {}
  Status Write(std::span<const uint8_t> bytes) override {
    return file_->Write(bytes.data(), bytes.size());
  }
  Status Close() override { return file_->Finish(); }

 private:
  OutputFile* file_;
};

}  // namespace

Result<ShardWriter> ShardWriter::Open(std::vector<std::string> paths,
                                      const RecordWriterOptions& stored) {
  ShardWriter writer(std::move(paths), stored);
  if (Status status = writer.OpenShard(); !status.ok()) return status;
  return writer;
}

Status ShardWriter::OpenShard() {
  const std::string& path = paths_[files_.size()];
  OutputFileOptions options;
  options.temporaries = Temporaries();
  options.buffer_bytes = 1;  // the RecordWriter has a buffer
  Result<OutputFile> file = OutputFile::Open(path, options);
  if (!file) return file.status();
  files_.push_back(*std::move(file));
  Result<RecordWriter> writer =
      RecordWriter::ToSink(std::make_unique<FileSink>(&files_.back()),
                           files_.back().name(), stored_);
  if (!writer) return writer.status();
  writer_ = *std::move(writer);
  return Status();
}

Status ShardWriter::FinishShard() {
  const Status status = writer_->Close();
  writer_.reset();
  return status;
}

Status ShardWriter::Write(std::string_view payload) {
  // Shards are empty where there are more of them than records.
  while (next_record_ ==
         PartOf(num_records_, files_.size() - 1, paths_.size()).end) {
    if (Status status = FinishShard(); !status.ok()) return status;
    if (Status status = OpenShard(); !status.ok()) return status;
  }
  ++next_record_;
  return writer_->Write(payload);
}

Status ShardWriter::Close() {
  for (;;) {
    if (Status status = FinishShard(); !status.ok()) return status;
    if (files_.size() == paths_.size()) break;
    if (Status status = OpenShard(); !status.ok()) return status;
  }
  for (const std::string& path : paths_) {
    if (path != "-") RemoveStaleIndexes(path);
  }
  return CommitAll(paths_, &files_);
}

}  // namespace headrace::cli
