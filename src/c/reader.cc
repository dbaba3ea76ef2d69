// The C functions of headrace_reader.

#include "headrace/reader.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "headrace/arrow.h"
#include "headrace/c.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/base/out_of_memory.h"
#include "src/c/allocator.h"
#include "src/c/arguments.h"
#include "src/c/error.h"
#include "src/c/handles.h"
#include "src/c/opening.h"
#include "src/c/report.h"
#include "src/exchange/arrow/c_stream.h"
#include "src/read/reader/given_options.h"

namespace headrace::c {

// SharedReader is a reader that a handle and its streams share.
// Any number of threads may use it together.
class SharedReader {
 public:
  static Result<std::shared_ptr<SharedReader>> Open(
      Opening<ReadOptions> opening);

  const Plan& plan() const { return reader_.plan(); }
  const ArrowOptions& arrow() const { return arrow_; }

  // Exports the next batch; at the end leaves `array` and `schema` unchanged.
  // `schema` may be null. An error is final.
  Status Next(ArrowArray* array, ArrowSchema* schema);
  Status SetAllocator(const headrace_allocator* allocator);
  std::string ReportJson();
  void Cancel() { *is_cancelled_ = true; }

 private:
  using Flag = std::shared_ptr<std::atomic<bool>>;
  SharedReader(Reader reader, ArrowOptions arrow, Flag is_cancelled)
      : reader_(std::move(reader)),
        arrow_(std::move(arrow)),
        is_cancelled_(std::move(is_cancelled)) {}
  Status NextOfReader(ArrowArray* array, ArrowSchema* schema);

  std::mutex mutex_;  // guards reader_ and status_
  Reader reader_;
  const ArrowOptions arrow_;
  const Flag is_cancelled_;
  Status status_;  // the error that ended the reading early
};

Result<std::shared_ptr<SharedReader>> SharedReader::Open(
    Opening<ReadOptions> opening) {
  const auto is_cancelled = std::make_shared<std::atomic<bool>>(false);
  opening.options.interrupted = [is_cancelled] { return is_cancelled->load(); };
  Result<Reader> reader = opening.Open<Reader>();
  if (!reader) return reader.status();
  // Errors of rows name their files.
  opening.arrow.files = reader->files();
  return std::shared_ptr<SharedReader>(new SharedReader(
      *std::move(reader), std::move(opening.arrow), is_cancelled));
}

Status SharedReader::Next(ArrowArray* array, ArrowSchema* schema) {
  const std::lock_guard lock(mutex_);
  if (status_.ok()) {
    status_ = CatchOutOfMemory([&] { return NextOfReader(array, schema); });
  }
  return status_;
}

Status SharedReader::NextOfReader(ArrowArray* array, ArrowSchema* schema) {
  // The reader checks once per window, and may already have read everything.
  if (*is_cancelled_) return Cancelled();
  const Result<std::optional<Batch>> batch = reader_.Next();
  if (!batch) return batch.status();
  return GiveBatch(*batch, plan(), arrow_, array, schema);
}

Status SharedReader::SetAllocator(const headrace_allocator* allocator) {
  const auto made = Allocator::From(allocator);
  if (!made.ok()) return made.status();
  const std::lock_guard lock(mutex_);
  Status status = reader_.SetAllocator(*made);
  if (status.ok()) (*made)->Own();
  return status;
}

std::string SharedReader::ReportJson() {
  const std::lock_guard lock(mutex_);
  return c::ReportJson(reader_.report());
}

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

int32_t headrace_reader_set_allocator(headrace_reader* reader,
                                      const headrace_allocator* allocator,
                                      headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (reader == nullptr) return headrace::c::IsNull("reader");
    return reader->shared->SetAllocator(allocator);
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
