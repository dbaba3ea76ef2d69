#include "src/read/reader/batch_pipeline.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/plan/compile/program.h"

namespace headrace::reader {
namespace {

// Jobs per thread: one that is being made, and one that waits for the caller,
// so that threads go on while the caller pauses.
constexpr size_t kJobsPerThread = 2;

// Locks the mutex. Tries again and again at first, because the mutex is mostly
// held for less time than a thread needs to fall asleep and wake up. Returns
// false, without the lock, if the interrupt is set.
bool LockSoon(std::timed_mutex* mutex, Interrupt* interrupt) {
  constexpr auto kPatience = std::chrono::microseconds(100);
  if (mutex->try_lock()) return true;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < 16; ++i) {
      if (mutex->try_lock()) return true;
      std::this_thread::yield();
    }
  } while (std::chrono::steady_clock::now() < end);
  if (interrupt == nullptr) {
    mutex->lock();
    return true;
  }
  // Timed locks support the system clock everywhere.
  while (!mutex->try_lock_until(std::chrono::system_clock::now() + kAskEvery)) {
    if (interrupt->Ask()) return false;
  }
  return true;
}

}  // namespace

void BatchJob::Clear() {
  if (storage != nullptr) std::exchange(storage, nullptr)->Unref();
  spans.clear();
  pieces.clear();
  payload_bytes = 0;
  num_rows = 0;
  row_bytes = 0;
  bad_rows.clear();
  is_judged = false;
  refusal = Status();
  left_out.Clear();
  at_end = false;
  status = Status();
  late.Clear();
  is_done = false;
}

BatchPipeline::BatchPipeline(const ReadOptions& options, const Plan& plan,
                             RecordStream* stream,
                             std::shared_ptr<BatchPool> pool, size_t most_rows,
                             Interrupt* interrupt)
    : options_(options),
      plan_(plan),
      stream_(stream),
      pool_(std::move(pool)),
      most_rows_(most_rows),
      interrupt_(interrupt) {}

BatchPipeline::~BatchPipeline() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_workers_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  DropStorages();  // those that are left where GiveBackJobs ran out of memory
}

void BatchPipeline::StartThreads() {
  const size_t most_jobs = kJobsPerThread * options_.threads;
  free_.reserve(most_jobs);
  jobs_.reserve(most_jobs);
  dropped_.reserve(most_jobs);
  // The caller's thread counts, too.
  while (threads_.size() + 1 < options_.threads) {
    try {
      threads_.emplace_back([this] { Run(); });
    } catch (const std::system_error&) {
      break;  // fewer threads will do
    }
  }
  if (threads_.empty()) return;
  const std::lock_guard lock(mutex_);
  while (free_.size() < kJobsPerThread * (threads_.size() + 1)) {
    free_.push_back(std::make_unique<BatchJob>());
  }
}

void BatchPipeline::AwaitJob(std::unique_lock<std::mutex>* lock) {
  if (interrupt_ == nullptr) {
    wake_caller_.wait(*lock);
  } else if (wake_caller_.wait_for(*lock, kAskEvery) ==
             std::cv_status::timeout) {
    lock->unlock();
    static_cast<void>(interrupt_->Ask());
    lock->lock();
  }
}

const BatchJob* BatchPipeline::Take() {
  if (threads_.empty()) StartThreads();
  if (threads_.empty()) return nullptr;
  std::unique_lock lock(mutex_);
  if (is_stopped_) {
    is_stopped_ = false;
    stream_ended_ = false;
    wake_workers_.notify_all();
  }
  while (jobs_.empty() || !jobs_.front()->is_done) {
    if (IsInterrupted()) return nullptr;
    if (HasWork()) {
      MakeOne(&lock, &order_);
    } else {
      AwaitJob(&lock);
    }
  }
  return jobs_.front().get();
}

BatchStorage* BatchPipeline::Finish(Skipped* left_out,
                                    infer::LateFeatures* late) {
  std::unique_ptr<BatchJob> job;
  {
    const std::lock_guard lock(mutex_);
    job = std::move(jobs_.front());
    jobs_.erase(jobs_.begin());
  }
  const size_t max_regions = options_.limits.max_reported;
  for (BatchJob::Piece& piece : job->pieces) {
    left_out->Add(std::move(piece.left_out), max_regions);
  }
  left_out->Add(std::move(job->left_out), max_regions);
  late->Add(job->late);
  BatchStorage* const storage = std::exchange(job->storage, nullptr);
  job->Clear();
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(job));
  }
  wake_workers_.notify_one();
  return storage;
}

void BatchPipeline::Stop() {
  {
    std::unique_lock lock(mutex_);
    if (AwaitAllJobs(&lock)) GiveBackJobs();
  }
  DropStorages();
}

void BatchPipeline::DropStorages() {
  for (BatchStorage* const storage : dropped_) storage->Unref();
  dropped_.clear();
}

// Keeps the threads from beginning more jobs, and waits for the jobs that they
// have begun. Returns false if the interrupt is set.
bool BatchPipeline::AwaitAllJobs(std::unique_lock<std::mutex>* lock) {
  is_stopped_ = true;
  wake_workers_.notify_all();
  // A job is in jobs_, and undone, before it takes its first record.
  while (num_undone_ > 0) {
    if (IsInterrupted()) return false;
    AwaitJob(lock);
  }
  return true;
}

bool BatchPipeline::StopJudged() {
  std::unique_lock lock(mutex_);
  while (HasWork() && !IsInterrupted()) MakeOne(&lock, &order_);
  if (!AwaitAllJobs(&lock)) return false;
  size_t good = 0;
  for (const std::unique_ptr<BatchJob>& job : jobs_) {
    if (job->storage == nullptr && !job->is_judged) break;
    good += job->spans.size() - job->bad_rows.size();
    for (const decode::BadRow& bad : job->bad_rows) {
      job->spans[bad.index].row_error = bad.code;
    }
  }
  GiveBackJobs();
  lock.unlock();
  DropStorages();
  return good >= options_.batch_size;
}

void BatchPipeline::GiveBackJobs() {
  for (; !jobs_.empty(); jobs_.pop_back()) {
    BatchJob* const job = jobs_.back().get();
    // The stream first returns the block that it got back last, so jobs and
    // pieces are given back in reverse.
    if (job->left_out.count > 0) {
      stream_->GiveBack(FileBlock(), std::move(job->left_out));
    }
    for (size_t i = job->pieces.size(); i-- > 0;) {
      BatchJob::Piece& piece = job->pieces[i];
      piece.block.block.records =
          std::span(job->spans).subspan(piece.begin, piece.size);
      stream_->GiveBack(piece.block, std::move(piece.left_out));
    }
    if (job->storage != nullptr) {
      dropped_.push_back(std::exchange(job->storage, nullptr));
    }
    job->Clear();
    free_.push_back(std::move(jobs_.back()));
  }
}

void BatchPipeline::Run() {
  decode::EntryOrder order;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_workers_.wait(lock, [this] { return is_over_ || HasWork(); });
    if (is_over_) return;
    MakeOne(&lock, &order);
  }
}

// Makes one job: takes its records from the stream and decodes them. The lock
// is held on entry and on return, but not in between.
void BatchPipeline::MakeOne(std::unique_lock<std::mutex>* lock,
                            decode::EntryOrder* order) {
  std::unique_ptr<BatchJob> free = std::move(free_.back());
  free_.pop_back();
  lock->unlock();
  BatchJob* const job = Queue(&free);
  if (job != nullptr) Decode(job, order);
  lock->lock();
  if (job == nullptr) {
    free_.push_back(std::move(free));
    return;
  }
  job->is_done = true;
  --num_undone_;
  if (jobs_.front()->is_done) wake_caller_.notify_one();
}

// Moves the job `free` to the end of the queue and fills it with records. If
// there is nothing more to do, leaves it in `free` and returns null.
BatchJob* BatchPipeline::Queue(std::unique_ptr<BatchJob>* free) {
  if (!LockSoon(&stream_mutex_, interrupt_)) return nullptr;
  const std::lock_guard stream_lock(stream_mutex_, std::adopt_lock);
  BatchJob* const job = free->get();
  {
    const std::lock_guard lock(mutex_);
    if (is_over_ || is_stopped_ || stream_ended_) return nullptr;
    jobs_.push_back(std::move(*free));
    ++num_undone_;
  }
  const Status formed = CatchOutOfMemory([&] {
    Form(job);
    return Status();
  });
  if (!formed.ok()) {
    // The records taken for this job are lost, so the stream must not return
    // any later ones.
    job->Clear();
    job->status = formed;
    stream_->Fail(formed);
  }
  if (job->at_end || !job->status.ok()) {
    const std::lock_guard lock(mutex_);
    stream_ended_ = true;
  }
  return job;
}

// Takes the records of one batch from the stream, up to options.batch_size rows
// and limits.max_batch_bytes of payloads.
void BatchPipeline::Form(BatchJob* job) {
  while (job->num_rows < options_.batch_size) {
    Skipped left_out;
    auto block = stream_->Next(options_.batch_size - job->num_rows, &left_out);
    if (block && AddPiece(*block, std::move(left_out), job)) continue;
    if (!block) {
      job->left_out = std::move(left_out);
      job->status = block.status();
      job->at_end = block.ok();
    }
    break;
  }
  job->stored_position = stream_->stored_position();
  job->stored_size = stream_->stored_size();
}

// Adds the records of a block that fit the batch and returns the others to the
// stream. Returns whether all fit.
bool BatchPipeline::AddPiece(const FileBlock& block, Skipped&& left_out,
                             BatchJob* job) {
  const auto records = block.block.records;
  const size_t count =
      CountThatFit(records, job->row_bytes, options_.limits.max_batch_bytes,
                   job->num_rows == 0);
  for (const record::RecordSpan& span : records.first(count)) {
    job->payload_bytes += span.size;
    if (span.row_error != ErrorCode::kOk) continue;
    job->row_bytes += span.size;
    ++job->num_rows;
  }
  if (count > 0) {
    job->pieces.push_back(
        {block, job->spans.size(), count, std::move(left_out)});
    left_out = Skipped();
    job->spans.insert(job->spans.end(), records.begin(),
                      records.begin() + static_cast<ptrdiff_t>(count));
  }
  if (count == records.size()) return true;
  stream_->GiveBack(block.After(count), std::move(left_out));
  return false;
}

// Decodes the records of a job. If that fails, the job gets no storage: the
// caller decodes the records again and handles the failure.
void BatchPipeline::Decode(BatchJob* job, decode::EntryOrder* order) {
  if (job->spans.empty()) return;
  const Status status = CatchOutOfMemory([&]() -> Status {
    job->storage = pool_->Acquire(plan_);
    if (Status asked = job->storage->AskForMemory(most_rows_); !asked.ok()) {
      return asked;
    }
    if (DecodePieces(job, order)) return job->storage->Seal();
    std::exchange(job->storage, nullptr)->Unref();
    return Status();
  });
  if (status.ok() || job->storage == nullptr) return;
  if (job->storage->is_refused()) job->refusal = status;
  std::exchange(job->storage, nullptr)->Unref();
}

// Decodes neighbouring pieces together where possible, because each call of
// DecodeBlock has a fixed cost.
bool BatchPipeline::DecodePieces(BatchJob* job, decode::EntryOrder* order) {
  const auto is_unverified = [](const BatchJob::Piece& piece) {
    return piece.block.block.payloads_unverified;
  };
  for (size_t i = 0; i < job->pieces.size();) {
    const bool unverified = is_unverified(job->pieces[i]);
    const size_t begin = job->pieces[i].begin;
    while (i < job->pieces.size() &&
           is_unverified(job->pieces[i]) == unverified) {
      ++i;
    }
    const size_t end =
        i < job->pieces.size() ? job->pieces[i].begin : job->spans.size();
    if (!DecodeRecords(begin, end, unverified, job, order)) return false;
  }
  job->is_judged = job->spans.size() - job->bad_rows.size() != job->num_rows;
  if (job->is_judged) return false;
  auto bad = job->bad_rows.begin();
  for (const BatchJob::Piece& piece : job->pieces) {
    const record::Block& block = piece.block.block;
    const size_t end = piece.begin + piece.size;
    for (size_t i = piece.begin; i < end;) {
      const bool has_bad = bad != job->bad_rows.end() && bad->index < end;
      const size_t next = has_bad ? bad->index : end;
      job->storage->AddRecords(
          std::span(job->spans).subspan(i, next - i),
          record::NumberAfter(block.first_record, i - piece.begin),
          piece.block.file, block.pin);
      i = next + has_bad;
      bad += has_bad;
    }
  }
  return true;
}

// Returns false unless each record is good, or is a bad row that may be
// skipped.
bool BatchPipeline::DecodeRecords(size_t begin, size_t end, bool verify_payload,
                                  BatchJob* job, decode::EntryOrder* order) {
  const bool skips = options_.on_row_error == OnRowError::kSkip;
  const size_t known = job->bad_rows.size();
  const decode::BlockEnd block_end =
      job->storage->Decode(std::span(job->spans).subspan(begin, end - begin),
                           {.verify_payload = verify_payload,
                            .verify_unselected = options_.verify_unselected,
                            .strict_columns = options_.strict_columns,
                            .order = order,
                            .bad_rows = skips ? &job->bad_rows : nullptr},
                           &job->late);
  for (decode::BadRow& bad : std::span(job->bad_rows).subspan(known)) {
    bad.index += begin;
  }
  return block_end.code == ErrorCode::kOk;
}

}  // namespace headrace::reader
