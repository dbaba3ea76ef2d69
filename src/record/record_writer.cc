#include "headrace/record_writer.h"

#include <utility>

#include "headrace/record_reader.h"
#include "src/base/little_endian.h"
#include "src/base/out_of_memory.h"
#include "src/base/output_file.h"
#include "src/base/record_header.h"
#include "src/base/without_content.h"
#include "src/record/crc32c.h"
#include "src/record/encoder.h"

namespace headrace {
namespace {

// protobuf's ceiling, and what readers accept.
constexpr uint64_t kMaxPayload = (uint64_t{1} << 31) - 1;

}  // namespace

class RecordWriter::Impl {
 public:
  explicit Impl(OutputFile file) : file_(std::move(file)) {}

  Status Init(Compression compression) {
    auto encoder = record::MakeEncoder(compression, &file_);
    if (!encoder.ok()) return encoder.status();
    encoder_ = *std::move(encoder);
    return Status();
  }

  Status Write(std::string_view payload) {
    if (!status_.ok()) return status_;
    return status_ = CatchOutOfMemory([&] { return WriteRecord(payload); });
  }

  Status Close() {
    return CatchOutOfMemory(&status_, [this] { return CloseFile(); });
  }

  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }

 private:
  Status CloseFile() {
    if (status_.ok() && !closed_) status_ = encoder_->Finish();
    if (!status_.ok()) return status_;
    closed_ = true;
    return status_ = file_.Close();
  }
  Status WriteRecord(std::string_view payload);

  OutputFile file_;
  std::unique_ptr<record::Encoder> encoder_;
  Status status_;
  bool closed_ = false;
  uint64_t num_records_ = 0;
  uint64_t num_bytes_ = 0;
};

Status RecordWriter::Impl::WriteRecord(std::string_view payload) {
  if (closed_) {
    return Status(ErrorCode::kInvalidArgument, "write after Close");
  }
  if (payload.size() > kMaxPayload) {
    return Status(ErrorInfo{
        .code = ErrorCode::kTooLarge,
        .message = "a payload of " + std::to_string(payload.size()) +
                   " bytes, the limit is " + std::to_string(kMaxPayload),
        .file = file_.name(),
        .record = num_records_,
        .offset = num_bytes_});
  }
  uint8_t header[kRecordHeaderBytes];
  uint8_t footer[4];
  StoreLittle64(header, payload.size());
  StoreLittle32(header + 8, MaskCrc32c(record::Crc32c(header, 8)));
  StoreLittle32(footer,
                MaskCrc32c(record::Crc32c(payload.data(), payload.size())));
  const auto* const data = reinterpret_cast<const uint8_t*>(payload.data());
  if (Status s = encoder_->Write(header, sizeof(header)); !s.ok()) return s;
  if (Status s = encoder_->Write(data, payload.size()); !s.ok()) return s;
  if (Status s = encoder_->Write(footer, sizeof(footer)); !s.ok()) return s;
  ++num_records_;
  num_bytes_ += kRecordOverhead + payload.size();
  return Status();
}

Result<RecordWriter> RecordWriter::Open(const std::string& path,
                                        const RecordWriterOptions& options) {
  return CatchOutOfMemory([&]() -> Result<RecordWriter> {
    OutputFileOptions file_options;
    file_options.fsync = options.fsync;
    file_options.temporaries = options.temporaries;
    Result<OutputFile> file = OutputFile::Open(path, file_options);
    if (!file.ok()) return file.status();
    auto impl = std::make_unique<Impl>(*std::move(file));
    if (Status s = impl->Init(options.compression); !s.ok()) return s;
    return RecordWriter(std::move(impl));
  });
}

RecordWriter::RecordWriter(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
RecordWriter::RecordWriter(RecordWriter&&) noexcept = default;
RecordWriter& RecordWriter::operator=(RecordWriter&&) noexcept = default;
RecordWriter::~RecordWriter() = default;

Status RecordWriter::Write(std::string_view payload) {
  return impl_ ? impl_->Write(payload) : WithoutContent("RecordWriter");
}
Status RecordWriter::Close() {
  return impl_ ? impl_->Close() : WithoutContent("RecordWriter");
}
uint64_t RecordWriter::num_records() const {
  return impl_ ? impl_->num_records() : 0;
}
uint64_t RecordWriter::num_bytes() const {
  return impl_ ? impl_->num_bytes() : 0;
}

}  // namespace headrace
