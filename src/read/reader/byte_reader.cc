#include "src/read/reader/byte_reader.h"

#include <utility>

#include "src/base/out_of_memory.h"
#include "src/base/progress.h"
#include "src/base/without_content.h"
#include "src/input/source/interruptible_source.h"

namespace headrace {

class ByteReader::Impl {
 public:
  explicit Impl(source::InterruptibleSource source)
      : interrupt_(std::move(source.interrupt)),
        source_(std::move(source.source)) {}

  Result<std::optional<std::string_view>> Next() {
    if (!status_.ok()) return status_;
    interrupt_->EnterCaller();
    // The bytes returned last are no longer valid for the caller, so the memory
    // of their window can be reused.
    window_ = source::Window();
    Result<source::Window> next = source_->Next(position_, 1);
    if (!next.ok()) return Fail(next.status());
    window_ = *std::move(next);
    if (window_.size == 0) {
      if (window_.tail == source::Tail::kFailed) {
        return Fail(source_->failure());
      }
      return std::optional<std::string_view>();
    }
    position_ = window_.end();
    return std::optional(std::string_view(
        reinterpret_cast<const char*>(window_.data), window_.size));
  }

  Status* final_status() { return &status_; }
  const Status& status() const { return status_; }
  uint64_t position() const { return position_; }
  Compression compression() const { return source_->compression(); }

 private:
  Status Fail(const Status& error) {
    ErrorInfo info = *error.info();
    info.offset = position_;
    return status_ = Status(std::move(info));
  }

  const std::unique_ptr<Interrupt> interrupt_;  // must outlive the source
  const std::unique_ptr<source::Source> source_;
  source::Window window_;  // returned last
  Progress position_;
  Status status_;
};

Result<ByteReader> ByteReader::Open(const std::string& path,
                                    const ByteReaderOptions& options) {
  return CatchOutOfMemory([&]() -> Result<ByteReader> {
    auto source = source::OpenInterruptible(
        options, [&](const source::SourceOptions& source_options) {
          return source::OpenFile(path, source_options);
        });
    if (!source.ok()) return source.status();
    return ByteReader(std::make_unique<Impl>(*std::move(source)));
  });
}

Result<ByteReader> ByteReader::FromInput(std::unique_ptr<InputFile> input,
                                         const std::string& name,
                                         const ByteReaderOptions& options) {
  return CatchOutOfMemory([&]() -> Result<ByteReader> {
    auto source = source::OpenInterruptible(
        options, [&](const source::SourceOptions& source_options) {
          return source::OpenInput(std::move(input), name, source_options);
        });
    if (!source.ok()) return source.status();
    return ByteReader(std::make_unique<Impl>(*std::move(source)));
  });
}

ByteReader::ByteReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ByteReader::ByteReader(ByteReader&&) noexcept = default;
ByteReader& ByteReader::operator=(ByteReader&&) noexcept = default;
ByteReader::~ByteReader() = default;

Result<std::optional<std::string_view>> ByteReader::Next() {
  if (impl_ == nullptr) return WithoutContent("ByteReader");
  return CatchOutOfMemory(impl_->final_status(),
                          [this] { return impl_->Next(); });
}

Status ByteReader::status() const {
  return impl_ ? impl_->status() : WithoutContent("ByteReader");
}

uint64_t ByteReader::position() const { return impl_ ? impl_->position() : 0; }
Compression ByteReader::compression() const {
  return impl_ ? impl_->compression() : Compression::kNone;
}

}  // namespace headrace
