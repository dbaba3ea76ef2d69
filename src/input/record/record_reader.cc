#include "headrace/record_reader.h"

#include <utility>

#include "src/base/out_of_memory.h"
#include "src/base/progress.h"
#include "src/base/without_content.h"
#include "src/input/record/scanner.h"
#include "src/input/source/interruptible_source.h"

namespace headrace {
namespace {

// Records per block: enough that framing runs in its tight loop, and few enough
// to stay in cache until they are asked for.
constexpr size_t kBlockRecords = 256;

}  // namespace

class RecordReader::Impl {
 public:
  Impl(source::InterruptibleSource source, const RecordReaderOptions& options)
      : interrupt_(std::move(source.interrupt)),
        scanner_(std::move(source.source),
                 {.on_corrupt = options.on_corrupt,
                  .verify_payload = options.verify_payload,
                  .limits = options.limits}) {}

  // `open` makes the source from SourceOptions.
  template <class Open>
  static Result<RecordReader> Begin(const RecordReaderOptions& options,
                                    Open open) {
    return CatchOutOfMemory([&]() -> Result<RecordReader> {
      auto source = source::OpenInterruptible(options, open);
      if (!source.ok()) return source.status();
      auto impl = std::make_unique<Impl>(*std::move(source), options);
      Status status = impl->ReadRange(options.range);
      if (!status.ok()) return status;
      impl->stored_position_ = impl->scanner_.source().stored_position();
      return RecordReader(std::move(impl));
    });
  }

  Result<std::optional<Record>> Next() {
    // Most records are at hand: calling Fill for each one would cost too much.
    if (next_ == block_.records.size()) {
      if (Status status = Fill(); !status.ok()) return status;
      if (next_ == block_.records.size()) return std::optional<Record>();
    }
    return std::optional<Record>(Give());
  }

  Result<std::span<const Record>> NextBlock() {
    if (Status status = Fill(); !status.ok()) return status;
    return CatchOutOfMemory(&status_, [this] {
      given_.clear();
      given_.reserve(block_.records.size() - next_);
      while (next_ < block_.records.size()) given_.push_back(Give());
      return Result<std::span<const Record>>(given_);
    });
  }

  Status ReadRange(const ByteRange& range) {
    if (Status status = record::Check(range); !status.ok()) return status;
    if (range == ByteRange()) return Status();
    const Status status = scanner_.ReadRange(range);
    position_ = scanner_.position();
    return status;
  }

  const record::Scanner& scanner() const { return scanner_; }
  const Status& status() const { return status_; }
  uint64_t position() const { return position_; }
  uint64_t stored_position() const { return stored_position_; }

 private:
  // Ensures that block_ has a next record, unless the file has ended.
  Status Fill() {
    if (next_ < block_.records.size()) return Status();
    Result<record::Block> block = Scan();
    if (!block.ok()) status_ = block.status();
    stored_position_ = scanner_.source().stored_position();
    block_ = block.ok() ? *std::move(block) : record::Block();
    next_ = 0;
    if (block_.records.empty()) position_ = scanner_.position();
    return block.ok() ? Status() : block.status();
  }

  Record Give() {
    const record::RecordSpan& span = block_.records[next_];
    position_ = span.end();
    return {.payload = {reinterpret_cast<const char*>(span.payload), span.size},
            .number = record::NumberAfter(block_.first_record, next_++),
            .offset = span.offset,
            .recovered = span.recovered};
  }

  Result<record::Block> Scan() {
    if (!status_.ok()) return status_;
    interrupt_->EnterCaller();
    return CatchOutOfMemory(
        &status_, [this] { return scanner_.NextBlock(kBlockRecords); });
  }

  Status status_;
  const std::unique_ptr<Interrupt> interrupt_;  // must outlive the scanner
  record::Scanner scanner_;
  record::Block block_;
  size_t next_ = 0;  // index in block_.records
  Progress position_;
  Progress stored_position_;
  std::vector<Record> given_;  // returned by the last NextBlock
};

Result<RecordReader> RecordReader::Open(const std::string& path,
                                        const RecordReaderOptions& options) {
  return Impl::Begin(options, [&](source::SourceOptions source_options) {
    source_options.hops_members = options.range != ByteRange();
    return source::OpenFile(path, source_options);
  });
}

Result<RecordReader> RecordReader::FromInput(
    std::unique_ptr<InputFile> input, const std::string& name,
    const RecordReaderOptions& options) {
  return Impl::Begin(options, [&](const source::SourceOptions& source_options) {
    return source::OpenInput(std::move(input), name, source_options);
  });
}

Result<RecordReader> RecordReader::FromMemory(
    std::string_view file, const RecordReaderOptions& options) {
  return Impl::Begin(options, [&](const source::SourceOptions& source_options) {
    return source::OpenMemory(file.data(), file.size(), source_options);
  });
}

RecordReader::RecordReader(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

Result<std::optional<Record>> RecordReader::Next() {
  if (impl_ == nullptr) return WithoutContent("RecordReader");
  return impl_->Next();
}

Result<std::span<const Record>> RecordReader::NextBlock() {
  if (impl_ == nullptr) return WithoutContent("RecordReader");
  return impl_->NextBlock();
}

const std::vector<SkippedRegion>& RecordReader::skipped() const {
  return impl_ ? impl_->scanner().regions()
               : Empty<std::vector<SkippedRegion>>();
}
uint64_t RecordReader::num_skipped() const {
  return impl_ ? impl_->scanner().num_regions() : 0;
}
Status RecordReader::status() const {
  return impl_ ? impl_->status() : WithoutContent("RecordReader");
}
uint64_t RecordReader::position() const {
  return impl_ ? impl_->position() : 0;
}
uint64_t RecordReader::stored_position() const {
  return impl_ ? impl_->stored_position() : 0;
}
Compression RecordReader::compression() const {
  return impl_ ? impl_->scanner().source().compression() : Compression::kNone;
}

}  // namespace headrace
