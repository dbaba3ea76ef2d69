#include "src/c/shared_reader.h"

#include <optional>
#include <utility>

#include "src/base/interrupt.h"
#include "src/base/out_of_memory.h"
#include "src/c/arguments.h"
#include "src/c/report.h"

namespace headrace::c {

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

std::string SharedReader::ReportJson() {
  const std::lock_guard lock(mutex_);
  return c::ReportJson(reader_.report());
}

}  // namespace headrace::c
