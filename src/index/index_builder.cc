#include "src/index/index_builder.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "src/base/interrupt.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/index/file_identity.h"
#include "src/index/image_writer.h"
#include "src/record/framer.h"
#include "src/record/scanner.h"
#include "src/source/source.h"
#include "src/source/source_error.h"

namespace headrace::index {
namespace {

// Records that are small are read many at a time.
constexpr size_t kMostRead = size_t{256} << 10;
constexpr size_t kFirstRead = size_t{64} << 10;
// Of large records only a page with the header is read.
constexpr size_t kLeastRead = size_t{4} << 10;
constexpr uint64_t kWorthSkipping = uint64_t{32} << 10;

constexpr size_t kRecordsPerBlock = 256;

class Builder {
 public:
  Builder(std::unique_ptr<source::Source> source, const IndexOptions& options,
          uint64_t size)
      : source_(std::move(source)),
        name_(source_->name()),
        options_(options),
        size_(size),
        max_payload_(std::min<uint64_t>(options.limits.max_record_bytes,
                                        std::numeric_limits<uint32_t>::max())) {
  }

  Result<std::vector<uint8_t>> Build(const FileIdentity& identity);

 private:
  Status Walk();
  bool TakeRecords(std::span<const uint8_t> piece);
  bool StepOver(std::span<const uint8_t> piece);
  Status Scan();
  Status Report(bool at_end = false);

  uint64_t at() const { return writer_.stream_bytes(); }

  std::unique_ptr<source::Source> source_;
  const std::string name_;
  const IndexOptions& options_;
  const uint64_t size_;
  const uint64_t max_payload_;
  ImageWriter writer_;
  std::chrono::steady_clock::time_point reported_ = {};
};

Result<std::vector<uint8_t>> Builder::Build(const FileIdentity& identity) {
  if (!options_.verify) {
    if (Status status = Walk(); !status.ok()) return status;
  }
  if (at() < size_) {
    if (Status status = Scan(); !status.ok()) return status;
  }
  if (at() != size_) {
    return Status(ErrorInfo{
        .code = ErrorCode::kIo,
        .message = "changed while its index was made: it had " +
                   std::to_string(size_) + " bytes, its records end at " +
                   std::to_string(at()),
        .file = name_});
  }
  if (Status status = Report(/*at_end=*/true); !status.ok()) return status;
  return writer_.Finish(identity);
}

// Goes from header to header while all is well. It stops, with success, before
// anything odd, and leaves it to Scan to say what that is.
Status Builder::Walk() {
  std::vector<uint8_t> buffer(kMostRead + source::kSlack);
  size_t wanted = kFirstRead;
  while (at() < size_) {
    if (Status status = Report(); !status.ok()) return status;
    const auto piece = std::span(buffer).first(
        static_cast<size_t>(std::min<uint64_t>(wanted, size_ - at())));
    const uint64_t end = at() + piece.size();
    const Result<size_t> got = source_->ReadAt(at(), piece);
    if (!got.ok()) return got.status();
    if (*got < piece.size() || !TakeRecords(piece)) break;
    wanted = at() > end && at() - end > kWorthSkipping
                 ? kLeastRead
                 : std::min(2 * wanted, kMostRead);
  }
  return Status();
}

// The piece begins at(). Takes all records that begin in it, but for one whose
// header is cut. False if there is anything odd.
bool Builder::TakeRecords(std::span<const uint8_t> piece) {
  const uint64_t begin = at();
  std::array<record::RecordSpan, kRecordsPerBlock> spans;
  while (at() - begin < piece.size()) {
    const auto rest = piece.subspan(static_cast<size_t>(at() - begin));
    const size_t count = record::FrameRecords({.data = rest.data(),
                                               .size = rest.size(),
                                               .offset = at(),
                                               .max_payload = max_payload_,
                                               .verify_payload = false},
                                              spans);
    for (size_t i = 0; i < count; ++i) writer_.Add(spans[i].size);
    if (count > 0) continue;
    if (rest.size() < kRecordHeaderBytes) return at() > begin;
    if (!StepOver(rest)) return false;
  }
  return true;
}

// The record at the front of the piece is not whole there.
bool Builder::StepOver(std::span<const uint8_t> piece) {
  if (!IsRecordHeader(piece.data())) return false;
  const uint64_t length = LoadLittle64(piece.data());
  const uint64_t left = size_ - at();
  if (length > max_payload_ || left < kRecordOverhead ||
      length > left - kRecordOverhead) {
    return false;
  }
  writer_.Add(length);
  return true;
}

// Reads the rest as every reader does.
Status Builder::Scan() {
  record::Scanner scanner(
      std::move(source_),
      {.verify_payload = options_.verify, .limits = options_.limits});
  if (writer_.num_records() > 0) {
    Status status = scanner.ResumeAfter(
        {.record = writer_.num_records() - 1, .offset = writer_.last_offset()});
    if (!status.ok()) return status;
  }
  while (true) {
    if (Status status = Report(); !status.ok()) return status;
    Result<record::Block> block = scanner.NextBlock(kRecordsPerBlock);
    if (!block.ok()) return block.status();
    if (block->records.empty()) return Status();
    for (const record::RecordSpan& span : block->records) {
      writer_.Add(span.size);
    }
  }
}

Status Builder::Report(bool at_end) {
  if (!options_.progress) return Status();
  const auto now = std::chrono::steady_clock::now();
  if (!at_end && now - reported_ < kAskEvery) return Status();
  reported_ = now;
  if (!options_.progress(at(), size_)) return Status();
  return source::NameFile(Cancelled(), name_);
}

}  // namespace

Result<std::vector<uint8_t>> BuildImage(const std::string& path,
                                        const IndexOptions& options) {
  Result<std::unique_ptr<source::Source>> source = OpenIndexable(path, options);
  if (!source.ok()) return source.status();
  const Result<FileIdentity> identity = Identify(source->get(), path, options);
  if (!identity.ok()) return identity.status();
  Builder builder(*std::move(source), options, identity->size);
  Result<std::vector<uint8_t>> image = builder.Build(*identity);
  if (image.ok() && TimeOf(path, options) != identity->time) {
    return Status(ErrorInfo{.code = ErrorCode::kIo,
                            .message = "changed while its index was made",
                            .file = path});
  }
  return image;
}

}  // namespace headrace::index
