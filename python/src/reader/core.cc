#include "python/src/reader/core.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace headrace::python {

ReaderCore::ReaderCore(ReaderArguments arguments)
    : arguments_(std::move(arguments)), process_(getpid()) {}

ReaderCore::~ReaderCore() {
  // A forked child has no threads to wait for: waiting would never end, so the
  // memory is given up.
  if (reader_ && !is_of_this_process()) {
    static_cast<void>(new Reader(*std::move(reader_)));
  }
}

bool ReaderCore::is_of_this_process() const { return getpid() == process_; }

Result<std::unique_ptr<ReaderCore>> ReaderCore::Open(
    ReaderArguments arguments) {
  std::unique_ptr<ReaderCore> core(new ReaderCore(std::move(arguments)));
  if (Status status = core->OpenReader(); !status.ok()) return status;
  core->files_ = core->reader_->files();
  // Later epochs have the columns of the first.
  core->arguments_.plan = core->reader_->plan();
  return core;
}

Status ReaderCore::OpenReader() {
  at_end_ = false;
  reader_.reset();
  arguments_.options.resume_after = position_.last;
  Result<Reader> reader =
      arguments_.plan
          ? Reader::Open(arguments_.paths, *arguments_.plan, arguments_.options)
          : Reader::Open(arguments_.paths, arguments_.options);
  if (!reader.ok()) return reader.status();
  reader_ = *std::move(reader);
  reads_all_ = !position_.last && arguments_.options.subshards.empty();
  return Status();
}

Result<std::optional<Batch>> ReaderCore::Next() {
  auto batch = NextBatch();
  if (!batch.ok()) NoteFailure(batch.status());
  return batch;
}

Status ReaderCore::failure() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

void ReaderCore::NoteFailure(const Status& failure) {
  const std::lock_guard lock(failure_mutex_);
  failure_ = failure;
}

Result<std::optional<Batch>> ReaderCore::NextBatch() {
  if (!reader_) {
    return Status(ErrorCode::kInvalidArgument, "the reader is closed");
  }
  while (true) {
    Result<std::optional<Batch>> batch = reader_->Next();
    if (!batch.ok()) return batch;
    if (batch && !(arguments_.drop_remainder &&
                   batch->num_rows() < arguments_.options.batch_size)) {
      position_.last = batch->origins().back();
      position_.num_rows += batch->num_rows();
      return batch;
    }
    if (batch) continue;  // a remainder
    EndReading(/*at_end=*/true);
    const bool is_last =
        arguments_.epochs != 0 && position_.epoch + 1 >= arguments_.epochs;
    // Epochs without rows would never end.
    if (is_last || position_.num_rows == 0) {
      at_end_ = true;
      return std::optional<Batch>();
    }
    position_ = {.epoch = position_.epoch + 1};
    if (Status status = OpenReader(); !status.ok()) return status;
  }
}

Status ReaderCore::Restart(const ReaderPosition& position) {
  position_ = position;
  return OpenReader();
}

Result<FeatureStats> ReaderCore::Count(const CountOptions& options) {
  if (!reader_) {
    return Status(ErrorCode::kInvalidArgument, "the reader is closed");
  }
  return CountRecords(&*reader_, options);
}

void ReaderCore::EndReading(bool at_end) {
  const ReadReport& report = reader_->report();
  ReadReport warning;
  warning.late = report.late;
  warning.num_late = report.num_late;
  if (at_end && reads_all_) {
    std::copy_if(
        report.absent.begin(), report.absent.end(),
        std::back_inserter(warning.absent),
        [](const AbsentFeature& absent) { return absent.has_default; });
  }
  if (warning.num_late == 0 && warning.absent.empty()) return;
  if (!std::exchange(has_warned_, true)) warning_ = std::move(warning);
}

void ReaderCore::Close() {
  if (!reader_) return;
  EndReading(/*at_end=*/false);
  last_report_ = reader_->report();
  reader_.reset();
  arguments_.options.open_input = nullptr;
}

const ReadReport& ReaderCore::report() const {
  return reader_ ? reader_->report() : last_report_;
}

}  // namespace headrace::python
