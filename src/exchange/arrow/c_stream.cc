#include "src/exchange/arrow/c_stream.h"

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "headrace/batch.h"
#include "headrace/reader.h"
#include "src/base/out_of_memory.h"
#include "src/exchange/arrow/array.h"
#include "src/exchange/arrow/c_export.h"
#include "src/exchange/arrow/column_batch.h"

namespace headrace {
namespace arrow {
namespace {

struct Stream {
  std::unique_ptr<ArraySource> source;
  bool at_end = false;
  Status status = {};  // the error that ended the stream early
  std::string last_error = {};
};

Stream* StreamOf(ArrowArrayStream* stream) {
  return static_cast<Stream*>(stream->private_data);
}

// Arrow's libraries distinguish three errors: no memory, bad input (EINVAL),
// and all others, which they treat as I/O errors.
int ErrnoOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return 0;
    case ErrorCode::kOutOfMemory:
      return ENOMEM;
    case ErrorCode::kNotFound:
      return ENOENT;
    case ErrorCode::kIo:
      return EIO;
    default:
      return EINVAL;
  }
}

int Finish(const Status& status, Stream* stream) {
  const Status told = CatchOutOfMemory([&] {
    stream->last_error = status.ok() ? "" : status.ToString();
    return status;
  });
  return ErrnoOf(told.code());
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  Stream* const state = StreamOf(stream);
  *out = {};
  return Finish(CatchOutOfMemory([&] { return state->source->Schema(out); }),
                state);
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  Stream* const state = StreamOf(stream);
  *out = {};
  if (state->status.ok() && !state->at_end) {
    state->status = CatchOutOfMemory([&] { return state->source->Next(out); });
    // An array without a release callback is the end of the stream.
    state->at_end = out->release == nullptr;
  }
  return Finish(state->status, state);
}

const char* GetLastError(ArrowArrayStream* stream) {
  const std::string& text = StreamOf(stream)->last_error;
  return text.empty() ? nullptr : text.c_str();
}

void ReleaseStream(ArrowArrayStream* stream) {
  delete StreamOf(stream);
  stream->release = nullptr;
}

class RestOfReader : public ArraySource {
 public:
  RestOfReader(Reader reader, const ArrowOptions& options)
      : reader_(std::move(reader)), options_(options) {}

  Status Schema(ArrowSchema* out) const override {
    return ExportSchema(reader_.plan(), options_, out);
  }

  Status Next(ArrowArray* out) override {
    const Result<std::optional<Batch>> batch = reader_.Next();
    if (!batch) return batch.status();
    ColumnBatch columns = ColumnsOf(*batch);
    columns.files = reader_.files();
    return ExportColumns(columns, *batch, options_, out);
  }

 private:
  Reader reader_;
  const ArrowOptions options_;
};

}  // namespace

Status ExportArrays(std::unique_ptr<ArraySource> source,
                    ArrowArrayStream* out) {
  *out = {};
  return CatchOutOfMemory([&]() -> Status {
    // Reports an error of the schema now, not in a callback.
    ArrowSchema schema;
    Status status = source->Schema(&schema);
    if (!status.ok()) return status;
    schema.release(&schema);
    *out = {.get_schema = &GetSchema,
            .get_next = &GetNext,
            .get_last_error = &GetLastError,
            .release = &ReleaseStream,
            .private_data = new Stream{.source = std::move(source)}};
    return Status();
  });
}

}  // namespace arrow

Status ExportStream(Reader reader, const ArrowOptions& options,
                    ArrowArrayStream* out) {
  *out = {};
  return CatchOutOfMemory([&] {
    return arrow::ExportArrays(
        std::make_unique<arrow::RestOfReader>(std::move(reader), options), out);
  });
}

}  // namespace headrace
