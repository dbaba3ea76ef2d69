#include "src/input/blocks/inflate_ahead.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "src/base/out_of_memory.h"

namespace headrace::compression {
namespace {

// Inflated bytes per job. Smaller blocks are inflated several at a time, so
// that threads seldom wait for each other.
constexpr uint64_t kJobBytes = uint64_t{1} << 20;

}  // namespace

// There is one job for each thread, and one that is lent to the caller. More
// jobs would not fit into the caches that threads share.
InflateAhead::InflateAhead(std::shared_ptr<const SeekTable> table,
                           std::shared_ptr<SharedStored> stored, size_t threads)
    : table_(std::move(table)),
      stored_(std::move(stored)),
      num_threads_(std::max<size_t>(threads, 1)),
      jobs_(num_threads_ + 1) {}

InflateAhead::~InflateAhead() { Stop(); }

void InflateAhead::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  wake_workers_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void InflateAhead::Begin(size_t block) {
  Stop();
  stops_ = false;
  begun_ = taken_ = 0;
  is_lent_ = false;
  next_block_ = plan_block_ = block;
  last_.clear();
  all_begun_ = block == table_->points().size();
  for (Job& job : jobs_) job.is_done = false;
}

// With fewer threads than asked for, or none, inflating only takes longer.
void InflateAhead::StartThreads() {
  threads_.reserve(num_threads_);
  while (threads_.size() < num_threads_) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      return;
    }
  }
}

Result<InflateAhead::Piece> InflateAhead::Take() {
  if (threads_.empty()) StartThreads();
  const auto job = WaitForJob();
  next_block_ = job->end;
  if (!job->status.ok()) return job->status;
  if (Status status = CheckWindow(*job); !status.ok()) return status;
  const std::span<const uint8_t> bytes(job->bytes.data(), job->size);
  KeepLast(bytes);
  return Piece{.offset = table_->points()[job->first].plain, .bytes = bytes};
}

// Takes back the job that is lent, and lends the next one.
InflateAhead::Job* InflateAhead::WaitForJob() {
  std::unique_lock lock(mutex_);
  if (is_lent_) {
    jobs_[taken_ % jobs_.size()].is_done = false;
    ++taken_;
    is_lent_ = false;
    wake_workers_.notify_one();
  }
  Job* const job = &jobs_[taken_ % jobs_.size()];
  if (threads_.empty()) {
    Plan(job);
    ++begun_;
    BlockInflater inflater(table_, stored_, Access::kInOrder);
    Inflate(job, &inflater);
  } else {
    wake_taker_.wait(lock, [job] { return job->is_done; });
  }
  is_lent_ = true;
  return job;
}

// The table's window may belong to another file, and it lacks the bytes that
// nothing seems to refer to. Only the first bytes of a job refer to the window:
// if the true window yields the same first bytes, all bytes are right.
Status InflateAhead::CheckWindow(const Job& job) {
  const SeekPoint& point = table_->points()[job.first];
  if (!point.is_inside || last_.empty()) return Status();
  return CatchOutOfMemory([&]() -> Status {
    if (comparer_ == nullptr) {
      comparer_ =
          std::make_unique<BlockInflater>(table_, stored_, Access::kBeginnings);
    }
    compared_.resize(std::min(job.size, kDeflateWindow));
    Status status = comparer_->InflateAfter(job.first, last_, compared_);
    if (!status.ok()) return status;
    if (std::equal(compared_.begin(), compared_.end(), job.bytes.data())) {
      return Status();
    }
    return Status(ErrorCode::kBadIndex,
                  "the index expects different bytes before byte " +
                      std::to_string(point.plain));
  });
}

void InflateAhead::KeepLast(std::span<const uint8_t> bytes) {
  if (next_block_ == table_->points().size()) return;
  const auto kept = bytes.last(std::min(bytes.size(), kDeflateWindow));
  const size_t most = kDeflateWindow - kept.size();
  if (last_.size() > most) {
    last_.erase(last_.begin(), last_.end() - static_cast<ptrdiff_t>(most));
  }
  last_.insert(last_.end(), kept.begin(), kept.end());
}

uint64_t InflateAhead::stored_position() const {
  return ended() ? table_->stored_size()
                 : table_->points()[next_block_].stored_byte();
}

void InflateAhead::Work() {
  BlockInflater inflater(table_, stored_, Access::kInOrder);
  std::unique_lock lock(mutex_);
  while (true) {
    wake_workers_.wait(lock, [this] { return stops_ || HasWork(); });
    if (stops_) return;
    Job& job = jobs_[begun_ % jobs_.size()];
    Plan(&job);
    ++begun_;
    lock.unlock();
    Inflate(&job, &inflater);
    lock.lock();
    job.is_done = true;
    wake_taker_.notify_one();
  }
}

void InflateAhead::Plan(Job* job) {
  const auto points = table_->points();
  job->first = plan_block_;
  do {
    ++plan_block_;
  } while (plan_block_ < points.size() &&
           table_->PlainEnd(plan_block_) - points[job->first].plain <=
               kJobBytes);
  job->end = plan_block_;
  all_begun_ = job->end == points.size();
}

void InflateAhead::Inflate(Job* job, BlockInflater* inflater) const {
  job->status = CatchOutOfMemory([&]() -> Status {
    job->size = static_cast<size_t>(table_->PlainEnd(job->end - 1) -
                                    table_->points()[job->first].plain);
    if (!job->bytes.Grow(std::max<size_t>(job->size, 1))) {
      return Status::OutOfMemory();
    }
    return inflater->InflateBlocks(job->first, job->end,
                                   {job->bytes.data(), job->size});
  });
}

}  // namespace headrace::compression
