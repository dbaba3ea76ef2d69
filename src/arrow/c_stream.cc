// ExportStream gives a reader as a stream of the C data interface.

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "headrace/arrow.h"
#include "headrace/batch.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/arrow/array.h"
#include "src/arrow/c_export.h"
#include "src/arrow/column_batch.h"
#include "src/base/out_of_memory.h"

namespace headrace {
namespace arrow {
namespace {

struct Stream {
  Reader reader;
  ArrowOptions options;
  Status status;  // ended the stream early
  std::string last_error;
};

Stream* StreamOf(ArrowArrayStream* stream) {
  return static_cast<Stream*>(stream->private_data);
}

// Arrow's libraries tell three errors apart: no memory, bad input (EINVAL), and
// all others, which they take for I/O.
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

Status Next(Stream* stream, ArrowArray* out) {
  Result<std::optional<Batch>> batch = stream->reader.Next();
  if (!batch.ok()) return batch.status();
  // An array without a release callback is the end of the stream.
  if (!batch) return Status();
  ColumnBatch columns = ColumnsOf(*batch);
  columns.files = stream->reader.files();
  return ExportColumns(columns, *batch, stream->options, out);
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  Stream* const state = StreamOf(stream);
  return Finish(ExportSchema(state->reader.plan(), state->options, out), state);
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  Stream* const state = StreamOf(stream);
  *out = {};
  if (state->status.ok()) state->status = Next(state, out);
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

}  // namespace
}  // namespace arrow

Status ExportStream(Reader reader, const ArrowOptions& options,
                    ArrowArrayStream* out) {
  *out = {};
  return CatchOutOfMemory([&]() -> Status {
    // What the schema cannot carry is an error now, not in a callback.
    ArrowSchema schema;
    Status status = ExportSchema(reader.plan(), options, &schema);
    if (!status.ok()) return status;
    schema.release(&schema);
    *out = {.get_schema = &arrow::GetSchema,
            .get_next = &arrow::GetNext,
            .get_last_error = &arrow::GetLastError,
            .release = &arrow::ReleaseStream,
            .private_data = new arrow::Stream{std::move(reader), options,
                                              Status(), std::string()}};
    return Status();
  });
}

}  // namespace headrace
