#include "src/exchange/arrow/ipc_writer.h"

#include <array>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/base/without_content.h"
#include "src/exchange/arrow/array.h"
#include "src/exchange/arrow/export_memory.h"

namespace headrace {
namespace arrow {
namespace {

// A file starts with this, padded to 8 bytes, and ends with it.
constexpr std::string_view kMagic = "ARROW1";
constexpr std::string_view kPaddedMagic{"ARROW1\0\0", 8};

// Precedes the size of a message's metadata; a size of 0 ends the stream.
constexpr std::string_view kContinuation = "\xFF\xFF\xFF\xFF";
constexpr size_t kPrefixSize = 8;

std::array<char, 4> LittleEndian(uint32_t value) {
  return {static_cast<char>(value), static_cast<char>(value >> 8),
          static_cast<char>(value >> 16), static_cast<char>(value >> 24)};
}

uint64_t PaddingFor(uint64_t position, uint64_t alignment) {
  return (alignment - position % alignment) % alignment;
}

Status OtherColumns(std::string_view name) {
  return Status(ErrorInfo{
      .code = ErrorCode::kInvalidArgument,
      .message = "the batch's columns are not those the writer was opened with",
      .feature = std::string(name)});
}

}  // namespace

IpcWriter::IpcWriter(OutputFile file, ArrowFormat format,
                     const PlanFields& fields, const ArrowOptions& options,
                     Field schema)
    : file_(std::move(file)),
      format_(format),
      bytes_as_(options.bytes_as),
      columns_(fields.columns.begin(), fields.columns.end()),
      tensors_(fields.tensors.begin(), fields.tensors.end()),
      has_sequence_struct_(fields.has_sequence_struct),
      is_raw_(fields.is_raw),
      schema_(std::move(schema)) {}

Result<IpcWriter> IpcWriter::Open(const std::string& path, ArrowFormat format,
                                  const PlanFields& fields,
                                  const ArrowOptions& options) {
  OutputFileOptions file_options;
  file_options.temporaries = options.temporaries;
  return Open([&] { return OutputFile::Open(path, file_options); }, format,
              fields, options);
}

Result<IpcWriter> IpcWriter::Open(const OpenOutput& open_output,
                                  ArrowFormat format, const PlanFields& fields,
                                  const ArrowOptions& options) {
  Result<Field> schema = MakeSchema(fields, options);
  if (!schema) return schema.status();
  Result<OutputFile> file = open_output();
  if (!file) return file.status();
  IpcWriter writer(*std::move(file), format, fields, options,
                   *std::move(schema));
  Status status = writer.WriteStart();
  if (!status.ok()) return status;
  return writer;
}

Status IpcWriter::WriteStart() {
  Result<flatbuffers::DetachedBuffer> message = SchemaMessage(schema_);
  if (!message) return message.status();
  if (format_ == ArrowFormat::kFile) {
    Status status = file_.Write(kPaddedMagic);
    if (!status.ok()) return status;
  }
  return WriteMetadata(*message);
}

Status IpcWriter::PadTo(uint64_t alignment) {
  static constexpr char kZeros[kIpcAlignment] = {};
  const uint64_t padding = PaddingFor(file_.size(), alignment);
  return file_.Write(kZeros, static_cast<size_t>(padding));
}

// Pads the metadata, so that what follows is aligned in the file. IPC counts
// the padding as metadata.
Status IpcWriter::WriteMetadata(const flatbuffers::DetachedBuffer& metadata) {
  const uint64_t end = file_.size() + kPrefixSize + metadata.size();
  const uint64_t padded = metadata.size() + PaddingFor(end, kIpcAlignment);
  const auto size = LittleEndian(static_cast<uint32_t>(padded));
  Status status = file_.Write(kContinuation);
  if (status.ok()) status = file_.Write(size.data(), size.size());
  if (status.ok()) status = file_.Write(metadata.data(), metadata.size());
  if (status.ok()) status = PadTo(kIpcAlignment);
  return status;
}

Status IpcWriter::WriteBuffer(const Buffer& buffer) {
  if (buffer.gathered()) {
    return file_.Write(buffer.data, static_cast<size_t>(buffer.size));
  }
  for (const std::string_view value : buffer.values) {
    if (value.size() < buffer.shortest) continue;
    Status status = file_.Write(value);
    if (!status.ok()) return status;
  }
  return Status();
}

Status IpcWriter::WriteBody() {
  for (const Buffer* buffer : layout_.buffers) {
    Status status = WriteBuffer(*buffer);
    if (status.ok()) status = PadTo(kIpcAlignment);
    if (!status.ok()) return status;
  }
  return Status();
}

Status IpcWriter::CheckFields(const ColumnBatch& batch) const {
  if (batch.columns.size() != columns_.size() ||
      batch.fields.size() != tensors_.size() ||
      batch.has_sequence_struct != has_sequence_struct_ ||
      batch.is_raw != is_raw_) {
    return OtherColumns({});
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = batch.columns[i];
    if (column.name != columns_[i].name || column.kind != columns_[i].kind ||
        column.in_sequence != columns_[i].in_sequence) {
      return OtherColumns(column.name);
    }
  }
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const TensorField& field = batch.fields[i];
    // Features that differ, say, in their defaults still have the same type.
    if (field.in_sequence != tensors_[i].in_sequence ||
        TensorType(field, bytes_as_) != TensorType(tensors_[i], bytes_as_)) {
      return OtherColumns(field.feature.name);
    }
  }
  return Status();
}

Status IpcWriter::WriteBatch(const ColumnBatch& batch) {
  Status status = CheckFields(batch);
  if (!status.ok()) return status;
  ExportMemory memory;
  Array root;
  status = BuildArray(batch, bytes_as_, Purpose::kWrite, &memory, &root);
  if (!status.ok()) return status;
  LayOut(root, &layout_);
  Result<flatbuffers::DetachedBuffer> message = RecordBatchMessage(layout_);
  if (!message) return message.status();

  const uint64_t start = file_.size();
  status = WriteMetadata(*message);
  if (!status.ok()) return status;
  const uint64_t body = file_.size();
  if (format_ == ArrowFormat::kFile) {
    blocks_.push_back({.offset = static_cast<int64_t>(start),
                       .metadata_length = static_cast<int32_t>(body - start),
                       .padding = 0,
                       .body_length = layout_.size});
  }
  status = WriteBody();
  // A reader of a stream gets each batch when it is complete.
  if (status.ok() && format_ == ArrowFormat::kStream) status = file_.Flush();
  return status;
}

Status IpcWriter::Write(const ColumnBatch& batch) {
  if (closed_) return Status(ErrorCode::kInvalidArgument, "write after Close");
  if (status_.ok()) status_ = WriteBatch(batch);
  return status_;
}

Status IpcWriter::WriteEnd() {
  Status status = file_.Write(kContinuation);
  const auto no_more = LittleEndian(0);
  if (status.ok()) status = file_.Write(no_more.data(), no_more.size());
  if (!status.ok() || format_ == ArrowFormat::kStream) return status;
  Result<flatbuffers::DetachedBuffer> footer = Footer(schema_, blocks_);
  if (!footer) return footer.status();
  const auto size = LittleEndian(static_cast<uint32_t>(footer->size()));
  status = file_.Write(footer->data(), footer->size());
  if (status.ok()) status = file_.Write(size.data(), size.size());
  if (status.ok()) status = file_.Write(kMagic);
  return status;
}

Status IpcWriter::Close() {
  if (std::exchange(closed_, true)) {
    return Status(ErrorCode::kInvalidArgument, "Close called twice");
  }
  if (status_.ok()) status_ = WriteEnd();
  if (status_.ok()) status_ = file_.Close();
  return status_;
}

}  // namespace arrow

class ArrowWriter::Impl {
 public:
  Impl(arrow::IpcWriter writer, std::vector<std::string> files)
      : writer_(std::move(writer)), files_(std::move(files)) {}

  Status Write(const Batch& batch) {
    return CatchOutOfMemory(writer_.final_status(), [&] {
      arrow::ColumnBatch columns = arrow::ColumnsOf(batch);
      columns.files = files_;
      return writer_.Write(columns);
    });
  }
  Status Close() {
    return CatchOutOfMemory(writer_.final_status(),
                            [this] { return writer_.Close(); });
  }
  uint64_t num_bytes() const { return writer_.num_bytes(); }

 private:
  arrow::IpcWriter writer_;
  const std::vector<std::string> files_;
};

Result<ArrowWriter> ArrowWriter::Open(const std::string& path,
                                      ArrowFormat format, const Plan& plan,
                                      const ArrowOptions& options) {
  return CatchOutOfMemory([&]() -> Result<ArrowWriter> {
    Result<arrow::IpcWriter> writer =
        arrow::IpcWriter::Open(path, format, arrow::FieldsOf(plan), options);
    if (!writer) return writer.status();
    return ArrowWriter(
        std::make_unique<Impl>(*std::move(writer), options.files));
  });
}

Result<ArrowWriter> ArrowWriter::ToSink(std::unique_ptr<OutputSink> sink,
                                        const std::string& name,
                                        ArrowFormat format, const Plan& plan,
                                        const ArrowOptions& options) {
  return CatchOutOfMemory([&]() -> Result<ArrowWriter> {
    Result<arrow::IpcWriter> writer = arrow::IpcWriter::Open(
        [&] { return OutputFile::ToSink(std::move(sink), name); }, format,
        arrow::FieldsOf(plan), options);
    if (!writer) return writer.status();
    return ArrowWriter(
        std::make_unique<Impl>(*std::move(writer), options.files));
  });
}

ArrowWriter::ArrowWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ArrowWriter::ArrowWriter(ArrowWriter&&) noexcept = default;
ArrowWriter& ArrowWriter::operator=(ArrowWriter&&) noexcept = default;
ArrowWriter::~ArrowWriter() = default;

Status ArrowWriter::Write(const Batch& batch) {
  return impl_ ? impl_->Write(batch) : WithoutContent("ArrowWriter");
}
Status ArrowWriter::Close() {
  return impl_ ? impl_->Close() : WithoutContent("ArrowWriter");
}
uint64_t ArrowWriter::num_bytes() const {
  return impl_ ? impl_->num_bytes() : 0;
}

}  // namespace headrace
