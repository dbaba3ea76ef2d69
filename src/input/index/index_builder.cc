#include "src/input/index/index_builder.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "headrace/output_file.h"
#include "src/base/byte_stream.h"
#include "src/base/interrupt.h"
#include "src/base/system_error.h"
#include "src/input/compression/detect.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/index_beside.h"
#include "src/input/index/points.h"
#include "src/input/record/header_walk.h"
#include "src/input/record/scanner.h"
#include "src/input/source/source.h"

namespace headrace::index {
namespace {

constexpr size_t kRecordsPerBlock = 256;

constexpr uint64_t kMinCheckpoint = uint64_t{64} << 10;
constexpr size_t kMaxThreads = 1024;

// Reads the stored bytes of a source as a ByteStream.
class StoredBytes : public ByteStream {
 public:
  explicit StoredBytes(std::unique_ptr<source::Source> source)
      : source_(std::move(source)) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    const Result<size_t> got = source_->ReadAt(position_, out);
    if (got.ok()) position_ += *got;
    return got;
  }
  bool can_read_at() const override { return true; }
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override {
    return source_->ReadAt(position, out);
  }
  uint64_t stored_position() const override { return position_; }

 private:
  const std::unique_ptr<source::Source> source_;
  uint64_t position_ = 0;
};

// Returns the error kIo, which says that the file has changed; `how` adds
// details.
Status ChangedMeanwhile(const std::string& file, const std::string& how) {
  return Status(ErrorInfo{.code = ErrorCode::kIo,
                          .message = "changed while its index was made" + how,
                          .file = file});
}

// Returns the bytes of the index of a file that `source` has read to its end
// and whose records `writer` has. `points` has found the seek table if the
// source does not have one. Returns no bytes for a compression without points.
Result<std::vector<uint8_t>> FinishImage(const source::Source& source,
                                         const FileIdentity& identity,
                                         compression::SeekTableBuilder* points,
                                         ImageWriter* writer) {
  const Compression compression = source.compression();
  if (compression == Compression::kNone) {
    if (writer->stream_bytes() == identity.size) {
      return writer->Finish(identity);
    }
    return ChangedMeanwhile(source.name(),
                            ": it had " + std::to_string(identity.size) +
                                " bytes, its records end at " +
                                std::to_string(writer->stream_bytes()));
  }
  if (!HasPoints(compression)) return std::vector<uint8_t>();
  // The file's own seek table is not used if it turned out to be wrong.
  std::shared_ptr<const compression::SeekTable> table = source.seek_table();
  if (table == nullptr || points->has_points()) {
    auto found = points->Finish(compression, identity.size);
    if (!found.ok()) return NameFile(found.status(), source.name());
    table = *std::move(found);
  }
  if (table == nullptr || table->plain_size() != writer->stream_bytes()) {
    return ChangedMeanwhile(source.name(), "");
  }
  return writer->Finish(identity, table.get());
}

class Builder {
 public:
  Builder(std::unique_ptr<source::Source> source, const IndexOptions& options)
      : source_(std::move(source)),
        name_(source_->name()),
        options_(options),
        max_payload_(std::min<uint64_t>(options.limits.max_record_bytes,
                                        std::numeric_limits<uint32_t>::max())) {
  }

  // `points` finds the seek table of a compressed file, if the source does not
  // have it.
  Result<std::vector<uint8_t>> Build(const FileIdentity& identity,
                                     compression::SeekTableBuilder* points);

 private:
  Status Walk();
  Status Scan(record::Scanner* scanner);
  Status Report(uint64_t done, bool at_end = false);

  uint64_t at() const { return writer_.stream_bytes(); }

  std::unique_ptr<source::Source> source_;
  const std::string name_;
  const IndexOptions& options_;
  uint64_t size_ = 0;  // of the stored file
  const uint64_t max_payload_;
  ImageWriter writer_;
  std::chrono::steady_clock::time_point reported_ = {};
};

Result<std::vector<uint8_t>> Builder::Build(
    const FileIdentity& identity, compression::SeekTableBuilder* points) {
  size_ = identity.size;
  const bool is_plain = source_->compression() == Compression::kNone;
  if (is_plain && !options_.verify) {
    if (Status status = Walk(); !status.ok()) return status;
  }
  record::Scanner scanner(
      std::move(source_),
      {.verify_payload = options_.verify, .limits = options_.limits});
  if (!is_plain || at() < size_) {
    if (Status status = Scan(&scanner); !status.ok()) return status;
  }
  auto image = FinishImage(scanner.source(), identity, points, &writer_);
  if (!image.ok()) return image.status();
  Status status = Report(size_, /*at_end=*/true);
  if (!status.ok()) return status;
  return image;
}

// Goes from header to header. Stops, with success, before anything odd, which
// Scan then reports.
Status Builder::Walk() {
  record::HeaderWalk walk(source_.get(), at(), size_, max_payload_);
  while (at() < size_) {
    if (Status status = Report(at()); !status.ok()) return status;
    const auto lengths = walk.Next(kRecordsPerBlock);
    if (!lengths.ok()) return lengths.status();
    if (lengths->empty()) break;
    for (const uint32_t length : *lengths) writer_.Add(length);
  }
  return Status();
}

// Reads the rest with a Scanner, as every reader does.
Status Builder::Scan(record::Scanner* scanner) {
  const source::Source& source = scanner->source();
  const bool compressed = source.compression() != Compression::kNone;
  if (writer_.num_records() > 0) {
    Status status = scanner->ResumeAfter(
        {.record = writer_.num_records() - 1, .offset = writer_.last_offset()});
    if (!status.ok()) return status;
  }
  while (true) {
    Status status = Report(compressed ? source.stored_position() : at());
    if (!status.ok()) return status;
    Result<record::Block> block = scanner->NextBlock(kRecordsPerBlock);
    if (!block.ok()) return block.status();
    if (block->records.empty()) return Status();
    for (const record::RecordSpan& span : block->records) {
      writer_.Add(span.size);
    }
  }
}

Status Builder::Report(uint64_t done, bool at_end) {
  if (!options_.progress) return Status();
  const auto now = std::chrono::steady_clock::now();
  if (!at_end && now - reported_ < kAskEvery) return Status();
  reported_ = now;
  if (!options_.progress(done, size_)) return Status();
  return NameFile(Cancelled(), name_);
}

// Detects the compression: an index always goes by the file's first bytes.
Result<Compression> CompressionOf(source::Source* stored) {
  std::array<uint8_t, compression::kDetectBytes> head;
  if (!stored->can_read_at()) return Compression::kNone;
  const Result<size_t> got = stored->ReadAt(0, head);
  if (!got.ok()) return got.status();
  return compression::DetectCompression(std::span(head).first(*got));
}

Result<std::vector<uint8_t>> BuildCompressed(
    const std::string& path, const IndexOptions& options,
    std::unique_ptr<source::Source> stored, const FileIdentity& identity) {
  compression::SeekTableBuilder points(
      std::max(options.checkpoint_bytes, kMinCheckpoint),
      std::make_unique<StoredBytes>(std::move(stored)));
  Result<std::unique_ptr<source::Source>> source =
      source::OpenNamed(path, options.open_input,
                        {.threads = std::min(options.threads, kMaxThreads),
                         // An input may be far away; its members are found
                         // while it is inflated.
                         .hops_members = options.open_input == nullptr,
                         .table_builder = &points,
                         .limits = options.limits});
  if (!source.ok()) return source.status();
  return Builder(*std::move(source), options).Build(identity, &points);
}

Result<std::vector<uint8_t>> Build(const std::string& path,
                                   const IndexOptions& options,
                                   const FileIdentity& identity,
                                   std::unique_ptr<source::Source> stored) {
  const Result<Compression> compression = CompressionOf(stored.get());
  if (!compression.ok()) {
    return NameFile(compression.status(), path);
  }
  if (*compression == Compression::kNone) {
    return Builder(std::move(stored), options).Build(identity, nullptr);
  }
  if (!HasPoints(*compression)) {
    return Unfit(path, "is compressed with " +
                           std::string(CompressionName(*compression)));
  }
  return BuildCompressed(path, options, std::move(stored), identity);
}

bool HasValidIndex(const std::string& file, const std::string& directory,
                   const IndexOptions& options) {
  const auto index = OpenBeside(file, directory, options);
  return index && index->CheckIsOf(file, options).ok();
}

}  // namespace

Result<std::vector<uint8_t>> BuildImage(const std::string& path,
                                        const IndexOptions& options) {
  Result<std::unique_ptr<source::Source>> stored = OpenStored(path, options);
  if (!stored.ok()) return stored.status();
  const Result<FileIdentity> identity = Identify(stored->get(), path, options);
  if (!identity.ok()) return identity.status();
  Result<std::vector<uint8_t>> image =
      Build(path, options, *identity, *std::move(stored));
  if (image.ok() && TimeOf(path, options) != identity->time) {
    return ChangedMeanwhile(path, "");
  }
  return image;
}

Result<std::unique_ptr<IndexRecorder>> IndexRecorder::Begin(
    const std::string& file, const std::string& directory,
    const IndexOptions& options) {
  if (HasValidIndex(file, directory, options)) return {nullptr};
  auto stored = OpenStored(file, options);
  if (!stored.ok()) return {nullptr};  // its reader reports why
  const auto identity = Identify(stored->get(), file, options);
  if (!identity.ok()) return identity.status();
  return std::unique_ptr<IndexRecorder>(new IndexRecorder(
      file, NameBeside(file, directory, options) + ".hri", options, *identity,
      std::make_unique<StoredBytes>(*std::move(stored))));
}

IndexRecorder::IndexRecorder(const std::string& file, std::string index_path,
                             const IndexOptions& options,
                             const FileIdentity& identity,
                             std::unique_ptr<ByteStream> stored)
    : file_(file),
      index_path_(std::move(index_path)),
      options_(options),
      identity_(identity),
      points_(options.checkpoint_bytes, std::move(stored)) {}

void IndexRecorder::Add(std::span<const record::RecordSpan> records) {
  for (const record::RecordSpan& span : records) writer_.Add(span.size);
}

Status IndexRecorder::Finish(const source::Source& source) {
  auto image = FinishImage(source, identity_, &points_, &writer_);
  if (!image.ok()) return image.status();
  if (image->empty()) return Status();
  if (TimeOf(file_, options_) != identity_.time) {
    return ChangedMeanwhile(file_, "");
  }
  Result<OutputFile> out =
      OutputFile::Open(index_path_, {.stays_in_folder = true});
  if (!out) return out.status();
  Status status = out->Write(image->data(), image->size());
  return status.ok() ? out->Close() : status;
}

}  // namespace headrace::index
