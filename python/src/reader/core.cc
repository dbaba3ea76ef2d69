#include "python/src/reader/core.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace headrace::python {

ReaderCore::ReaderCore(ReaderArguments arguments)
    : arguments_(std::move(arguments)),
      process_(getpid()),
      calls_python_(arguments_.options.open_input ||
                    arguments_.options.allocator) {}

ReaderCore::~ReaderCore() {
  // In a forked child the threads do not exist, and waiting for them would
  // never end, so the reader is leaked.
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
  // Later epochs use the columns of the first.
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
  has_resumed_ = position_.last.has_value();
  teller_.BeginAnother();
  Tell(/*at_end=*/false);
  return Status();
}

bool ReaderCore::reads_part() const {
  const ReadOptions& options = arguments_.options;
  return !options.subshards.empty() || options.range != ByteRange() ||
         !options.record_ranges.empty();
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
    Tell(/*at_end=*/!batch);
    if (batch && !(arguments_.drop_remainder &&
                   batch->num_rows() < arguments_.options.batch_size)) {
      position_.last = batch->origins().back();
      position_.num_rows += batch->num_rows();
      return batch;
    }
    if (batch) continue;  // a remainder
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

#ifndef HEADRACE_LEAVES_OUT_STATS
Result<FeatureStats> ReaderCore::Count(const CountOptions& options) {
  if (!reader_) {
    return Status(ErrorCode::kInvalidArgument, "the reader is closed");
  }
  return CountRecords(&*reader_, options);
}
#endif

// Reports late features at the end of an epoch or of the reading.
void ReaderCore::Tell(bool at_end) {
  const ReadReport& report = reader_->report();
  if (teller_.HasTold(report)) return;
  ReadReport now;
  now.notices = report.notices;
  now.late = report.late;
  if (at_end) now.num_late = report.num_late;
  if (has_resumed_) {
    // The earlier rows may have had these features.
    std::erase_if(now.notices, [](const Notice& notice) {
      return notice.kind == NoticeKind::kAbsent;
    });
  }
  now = teller_.Take(now);
  if (now.notices.empty() && now.num_late == 0) return;
  if (!warning_) warning_.emplace();
  warning_->notices.insert(warning_->notices.end(), now.notices.begin(),
                           now.notices.end());
  if (now.num_late > 0) {
    warning_->late = std::move(now.late);
    warning_->num_late = now.num_late;
  }
}

void ReaderCore::Close() {
  if (!reader_) return;
  Tell(/*at_end=*/true);
  last_report_ = reader_->report();
  reader_.reset();
  arguments_.options.open_input = nullptr;
  arguments_.options.allocator = nullptr;
}

const ReadReport& ReaderCore::report() const {
  return reader_ ? reader_->report() : last_report_;
}

}  // namespace headrace::python
