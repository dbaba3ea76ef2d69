// The C functions of headrace_reader.

#include <memory>
#include <utility>

#include "headrace/c.h"
#include "src/c/arguments.h"
#include "src/c/error.h"
#include "src/c/handles.h"
#include "src/c/opening.h"
#include "src/c/shared_reader.h"
#include "src/exchange/arrow/c_stream.h"
#include "src/read/reader/given_options.h"

namespace headrace::c {
namespace {

Status OpenReader(const char* const* paths, size_t n, const char* json,
                  headrace_reader** out) {
  auto opening = Opening<ReadOptions>::From(paths, n, json);
  if (!opening) return opening.status();
  auto reader = SharedReader::Open(*std::move(opening));
  if (!reader) return reader.status();
  *out = new headrace_reader{*std::move(reader)};
  return Status();
}

class RestOfShared : public arrow::ArraySource {
 public:
  explicit RestOfShared(std::shared_ptr<SharedReader> reader)
      : reader_(std::move(reader)) {}

  Status Schema(ArrowSchema* out) const override {
    return ExportSchema(reader_->plan(), reader_->arrow(), out);
  }
  Status Next(ArrowArray* out) override { return reader_->Next(out, nullptr); }

 private:
  const std::shared_ptr<SharedReader> reader_;
};

}  // namespace
}  // namespace headrace::c

int32_t headrace_open(const char* const* paths, size_t n,
                      const char* options_json, headrace_reader** reader,
                      headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (reader == nullptr) return headrace::c::IsNull("reader");
    *reader = nullptr;
    return headrace::c::OpenReader(paths, n, options_json, reader);
  });
}

int32_t headrace_reader_plan(const headrace_reader* reader,
                             headrace_plan** plan, headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (plan == nullptr) return headrace::c::IsNull("plan");
    *plan = nullptr;
    if (reader == nullptr) return headrace::c::IsNull("reader");
    *plan = new headrace_plan{reader->shared->plan()};
    return headrace::Status();
  });
}

int32_t headrace_next(headrace_reader* reader, struct ArrowArray* array,
                      struct ArrowSchema* schema, headrace_error** error) {
  return headrace::c::Call(error, [&] {
    headrace::c::Empty(schema);
    if (array == nullptr) return headrace::c::IsNull("array");
    headrace::c::Empty(array);
    if (reader == nullptr) return headrace::c::IsNull("reader");
    return reader->shared->Next(array, schema);
  });
}

int32_t headrace_stream(headrace_reader* reader,
                        struct ArrowArrayStream* stream,
                        headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (stream == nullptr) return headrace::c::IsNull("stream");
    *stream = {};
    if (reader == nullptr) return headrace::c::IsNull("reader");
    return headrace::arrow::ExportArrays(
        std::make_unique<headrace::c::RestOfShared>(reader->shared), stream);
  });
}

int32_t headrace_report(const headrace_reader* reader, char** json,
                        headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (json == nullptr) return headrace::c::IsNull("json");
    *json = nullptr;
    if (reader == nullptr) return headrace::c::IsNull("reader");
    return headrace::c::GiveText(reader->shared->ReportJson(), json);
  });
}

void headrace_cancel(headrace_reader* reader) {
  if (reader != nullptr) reader->shared->Cancel();
}

void headrace_close(headrace_reader* reader) { delete reader; }
