// headrace_write: writes the rows of an Arrow stream to a TFRecord file.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/c.h"
#include "headrace/example_encoder.h"
#include "headrace/record_writer.h"
#include "src/c/error.h"
#include "src/read/reader/given_options.h"

namespace headrace::c {
namespace {

// Releases its Arrow structure when it goes out of scope.
template <class T>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
  T value = {};
};

struct WriteOptions {
  RecordWriterOptions file = {};
  EncodeOptions encode = {};
};

Result<WriteOptions> TakeWriteOptions(const char* json, const char* path) {
  Result<GivenOptions> options = GivenOptions::Parse(json);
  if (!options) return options.status();
  WriteOptions out;
  out.file.compression = Compression::kAuto;
  uint16_t level = 0;
  options->Take("compression", &out.file.compression);
  options->Take("level", &level, {.least = 1});
  options->Take("block_bytes", &out.file.block_bytes, {.least = 1});
  options->Take("threads", &out.file.threads);
  options->Take("fsync", &out.file.fsync);
  options->Take("cast", &out.encode.allow_narrowing);
  if (Status status = options->Finish(); !status.ok()) return status;
  if (level > 0) out.file.level = level;
  if (out.file.compression == Compression::kAuto) {
    out.file.compression = CompressionOfName(path).value_or(Compression::kNone);
  }
  return out;
}

Status StreamFailed(ArrowArrayStream* stream, int code) {
  const char* const text = stream->get_last_error(stream);
  return Status(
      ErrorInfo{.code = ErrorCode::kIo,
                .message = std::string("the Arrow stream failed: ") +
                           (text != nullptr ? text : "it does not say why"),
                .system_error = code});
}

Status WriteRows(ArrowArrayStream* stream, const EncodeOptions& options,
                 RecordWriter* writer) {
  Owned<ArrowSchema> schema;
  if (const int code = stream->get_schema(stream, &schema.value)) {
    return StreamFailed(stream, code);
  }
  if (schema.value.release == nullptr) {
    return InvalidArgument("the Arrow stream has a released schema");
  }
  while (true) {
    Owned<ArrowArray> batch;
    if (const int code = stream->get_next(stream, &batch.value)) {
      return StreamFailed(stream, code);
    }
    if (batch.value.release == nullptr) return Status();
    const auto records = EncodeExamples(schema.value, batch.value, options);
    if (!records) return records.status();
    for (const std::string& record : *records) {
      if (Status status = writer->Write(record); !status.ok()) return status;
    }
  }
}

Status WriteStream(ArrowArrayStream* stream, const char* path,
                   const char* json) {
  const Result<WriteOptions> options = TakeWriteOptions(json, path);
  if (!options) return options.status();
  Result<RecordWriter> writer = RecordWriter::Open(path, options->file);
  if (!writer) return writer.status();
  Status status = WriteRows(stream, options->encode, &*writer);
  return status.ok() ? writer->Close() : status;
}

}  // namespace
}  // namespace headrace::c

int32_t headrace_write(struct ArrowArrayStream* stream, const char* path,
                       const char* options_json, headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (stream == nullptr) return headrace::c::IsNull("stream");
    headrace::c::Owned<ArrowArrayStream> owned;
    std::swap(owned.value, *stream);
    if (owned.value.release == nullptr) {
      return headrace::c::InvalidArgument("the stream is released already");
    }
    if (path == nullptr) return headrace::c::IsNull("path");
    return headrace::c::WriteStream(&owned.value, path, options_json);
  });
}
