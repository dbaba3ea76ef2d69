#include "src/cli/output/record_output.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "headrace/output_file.h"
#include "src/base/json/json_text.h"
#include "src/cli/process/python_filter.h"
#include "src/cli/text/display_text.h"
#include "src/exchange/json/json_lines.h"

namespace headrace::cli {

namespace {

class JsonlSink : public RecordSink {
 public:
  JsonlSink(OutputFile out, bool to_terminal, Projection* projection)
      : out_(std::move(out)),
        to_terminal_(to_terminal),
        projection_(projection) {}

  Status WritePayload(std::string_view payload) override {
    line_.clear();
    AppendJsonBytes(payload, &line_);
    return WriteLine();
  }
  Status WriteRecord(std::string_view payload, MessageType type) override;
  Status Close() override { return out_.Close(); }
  Status Flush() override { return out_.Flush(); }
  uint64_t num_bytes() const override { return out_.size(); }

 private:
  Status WriteLine() {
    if (to_terminal_) line_ = Printable(line_);
    line_ += '\n';
    return out_.Write(line_);
  }

  OutputFile out_;
  bool to_terminal_;
  Projection* projection_;
  std::optional<JsonLineWriter> writer_;  // of the type of all records
  std::string line_;
};

Status JsonlSink::WriteRecord(std::string_view payload, MessageType type) {
  if (!writer_) {
    writer_.emplace(type, [this](std::string_view name) {
      return projection_->Keeps(name);
    });
  }
  line_.clear();
  const Status status = writer_->Append(payload, &line_);
  return status.ok() ? WriteLine() : status;
}

class TfrecordSink : public RecordSink {
 public:
  // Adds a file. The writer owns `filter`, if it has one.
  Status Add(const std::string& path, Result<RecordWriter> writer,
             FilteredSink* filter = nullptr) {
    if (!writer) return writer.status();
    writers_.push_back(*std::move(writer));
    paths_.push_back(path);
    filter_ = filter;
    return Status();
  }

  Status WritePayload(std::string_view payload) override {
    RecordWriter& writer = writers_[next_];
    next_ = next_ + 1 == writers_.size() ? 0 : next_ + 1;
    return writer.Write(payload);
  }
  Status WriteRecord(std::string_view payload, MessageType) override {
    return WritePayload(payload);
  }
  Status Close() override;
  // A compressed stream on standard output is complete only with its end.
  Status Flush() override { return Close(); }
  uint64_t num_bytes() const override;

 private:
  FilteredSink* filter_ = nullptr;
  std::vector<RecordWriter> writers_;
  std::vector<std::string> paths_;
  size_t next_ = 0;
};

Status TfrecordSink::Close() {
  if (filter_) filter_->ExpectRows(writers_.front().num_records());
  // If a file cannot be finished, existing files with the names of the outputs
  // stay.
  for (RecordWriter& writer : writers_) {
    if (Status status = writer.Finish(); !status.ok()) return status;
  }
  return CommitAll(paths_, &writers_);
}

// Shards are written at the same time, so they share the threads.
size_t ThreadsOfShard(size_t threads, uint64_t shards) {
  if (threads == 0) threads = std::thread::hardware_concurrency();
  return std::max<size_t>(threads / std::max<uint64_t>(shards, 1), 1);
}

uint64_t TfrecordSink::num_bytes() const {
  if (filter_) return filter_->num_bytes();
  uint64_t bytes = 0;
  for (const RecordWriter& writer : writers_) bytes += writer.num_bytes();
  return bytes;
}

}  // namespace

RecordWriterOptions RecordOutput::WriterOptions(const std::string& path) const {
  RecordWriterOptions options;
  options.compression =
      compression == Compression::kAuto
          ? CompressionOfName(path).value_or(Compression::kNone)
          : compression;
  options.level = level;
  if (block_bytes) options.block_bytes = *block_bytes;
  options.threads = static_cast<size_t>(threads);
  options.temporaries = Temporaries();
  return options;
}

void WarnOfStaleIndexes(std::span<const std::string> paths,
                        const Console& console) {
  for (const std::string& path : paths) {
    if (path == "-") continue;
    for (const std::string& index : RemoveStaleIndexes(path)) {
      console.Warn("warning: " + index + " is an index of the old content of " +
                   path + "; write it again or remove it");
    }
  }
}

Result<std::unique_ptr<RecordSink>> OpenJsonlSink(const std::string& path,
                                                  Projection* projection) {
  Result<OutputFile> out = OpenOutput(path);
  if (!out) return out.status();
  return std::make_unique<JsonlSink>(*std::move(out), IsTerminal(path),
                                     projection);
}

Result<std::unique_ptr<RecordSink>> OpenTfrecordSink(
    const std::vector<std::string>& paths, const RecordWriterOptions& stored) {
  auto sink = std::make_unique<TfrecordSink>();
  RecordWriterOptions of_shard = stored;
  if (paths.size() > 1) {
    of_shard.threads = ThreadsOfShard(stored.threads, paths.size());
  }
  for (const std::string& path : paths) {
    Status status = sink->Add(path, RecordWriter::Open(path, of_shard));
    if (!status.ok()) return status;
  }
  return sink;
}

Result<std::unique_ptr<RecordSink>> OpenWebdatasetSink(
    const std::string& path) {
  auto file = FilteredSink::Open(path, "WebDataset is written by Python",
                                 {"webdataset"});
  if (!file) return file.status();
  FilteredSink* const filter = file->get();
  auto sink = std::make_unique<TfrecordSink>();
  Status status =
      sink->Add(path, RecordWriter::ToSink(*std::move(file), path, {}), filter);
  if (!status.ok()) return status;
  return sink;
}

}  // namespace headrace::cli
