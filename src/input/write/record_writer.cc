#include "headrace/record_writer.h"

#include <utility>

#include "headrace/output_file.h"
#include "headrace/record_reader.h"
#include "src/base/framing.h"
#include "src/base/out_of_memory.h"
#include "src/base/progress.h"
#include "src/base/text/numbers.h"
#include "src/base/without_content.h"
#include "src/input/write/encoder.h"

namespace headrace {
namespace {

// The largest message that protobuf allows; readers accept it.
constexpr uint64_t kMaxPayload = (uint64_t{1} << 31) - 1;

}  // namespace

class RecordWriter::Impl {
 public:
  Impl(OutputFile file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  // `path` is empty for a sink.
  static Result<RecordWriter> Make(Result<OutputFile> file, std::string path,
                                   const RecordWriterOptions& options);

  Status Init(const RecordWriterOptions& options) {
    auto encoder = record::MakeEncoder(options, &file_);
    if (!encoder.ok()) return encoder.status();
    encoder_ = *std::move(encoder);
    return Status();
  }

  Status Write(std::string_view payload) {
    if (!status_.ok()) return status_;
    return status_ = CatchOutOfMemory([&] { return WriteRecord(payload); });
  }

  Status Finish() {
    return CatchOutOfMemory(&status_, [this] {
      if (Status status = FinishStream(); !status.ok()) return status;
      return status_ = file_.Finish();
    });
  }
  Status Close() {
    return CatchOutOfMemory(&status_, [this] {
      if (Status status = FinishStream(); !status.ok()) return status;
      if (!path_.empty()) RemoveStaleIndexes(path_);
      return status_ = file_.Close();
    });
  }

  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }

 private:
  Status FinishStream() {
    if (status_.ok() && !finished_) status_ = encoder_->Finish();
    finished_ = true;
    return status_;
  }
  Status WriteRecord(std::string_view payload);

  OutputFile file_;
  const std::string path_;
  std::unique_ptr<record::Encoder> encoder_;
  Status status_;
  bool finished_ = false;
  Progress num_records_;
  Progress num_bytes_;
};

Status RecordWriter::Impl::WriteRecord(std::string_view payload) {
  if (finished_) {
    return Status(ErrorCode::kInvalidArgument, "write after Finish or Close");
  }
  if (payload.size() > kMaxPayload) {
    return Status(ErrorInfo{.code = ErrorCode::kTooLarge,
                            .message = "a payload of " +
                                       Counted(payload.size(), "byte") +
                                       ", the limit is " + Grouped(kMaxPayload),
                            .file = file_.name(),
                            .record = num_records_,
                            .offset = num_bytes_});
  }
  const auto header = RecordHeader(payload.size());
  const auto footer = RecordFooter(payload);
  const auto* const data = reinterpret_cast<const uint8_t*>(payload.data());
  Status status = encoder_->Write(header.data(), header.size());
  if (status.ok()) status = encoder_->Write(data, payload.size());
  if (status.ok()) status = encoder_->Write(footer.data(), footer.size());
  if (status.ok()) status = encoder_->EndRecord();
  if (!status.ok()) return status;
  num_records_ += 1;
  num_bytes_ += kRecordOverhead + payload.size();
  return Status();
}

Result<RecordWriter> RecordWriter::Impl::Make(
    Result<OutputFile> file, std::string path,
    const RecordWriterOptions& options) {
  if (!file.ok()) return file.status();
  auto impl = std::make_unique<Impl>(*std::move(file), std::move(path));
  if (Status s = impl->Init(options); !s.ok()) return s;
  return RecordWriter(std::move(impl));
}

Result<RecordWriter> RecordWriter::Open(const std::string& path,
                                        const RecordWriterOptions& options) {
  return CatchOutOfMemory([&] {
    OutputFileOptions file_options;
    file_options.fsync = options.fsync;
    file_options.temporaries = options.temporaries;
    return Impl::Make(OutputFile::Open(path, file_options),
                      path == "-" ? "" : path, options);
  });
}

Result<RecordWriter> RecordWriter::ToSink(std::unique_ptr<OutputSink> sink,
                                          const std::string& name,
                                          const RecordWriterOptions& options) {
  return CatchOutOfMemory([&] {
    return Impl::Make(OutputFile::ToSink(std::move(sink), name), "", options);
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
Status RecordWriter::Finish() {
  return impl_ ? impl_->Finish() : WithoutContent("RecordWriter");
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
