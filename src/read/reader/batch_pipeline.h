// BatchPipeline decodes batches on several threads and returns them in file
// order.
//
// The caller's thread is one of them: while it waits for a batch, it makes
// another one itself. The other threads go on while the caller does something
// else.
//
// A job is the records of one batch and the outcome of decoding them. A thread
// first takes the records of its job from the stream. Only one thread at a time
// does so: meanwhile, the others decode. So reading, decompressing and framing
// overlap with decoding. Locks are taken a few times per batch, never per
// record.
//
// Jobs are cut as if every record became a row. If a record does not (its
// payload is bad, or the batch has no room for it), the caller stops the
// pipeline. The pipeline returns the records of all jobs to the stream, and the
// caller makes the next batch alone. So batches are the same for every number
// of threads.
//
// If bad rows are skipped, a job that has new bad rows makes the pipeline cut
// all jobs again. By then each decoded record is known to be good or bad, so no
// record is decoded more than twice, and all threads take part.

#ifndef HEADRACE_SRC_READ_READER_BATCH_PIPELINE_H_
#define HEADRACE_SRC_READ_READER_BATCH_PIPELINE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/decode/example/decode_block.h"
#include "src/read/batch/batch_storage.h"
#include "src/read/stream/record_stream.h"

namespace headrace::reader {

struct BatchJob {
  // Consecutive records of one window, and the regions left out before them.
  struct Piece {
    FileBlock block;  // its records are spans[begin, begin + size)
    size_t begin = 0;
    size_t size = 0;
    Skipped left_out;
  };
  std::vector<record::RecordSpan> spans;
  std::vector<Piece> pieces;
  uint64_t payload_bytes = 0;
  // The records that are not known to be bad rows, and the bytes of their
  // payloads.
  size_t num_rows = 0;
  uint64_t row_bytes = 0;
  uint64_t stored_position = 0;
  uint64_t stored_size = 0;
  // The answer of the stream after the records: regions left out, the end or an
  // error.
  Skipped left_out;
  bool at_end = false;
  Status status;

  // Null unless every record that was not known to be bad became a row. It is
  // then sealed and has one reference.
  BatchStorage* storage = nullptr;
  // If bad rows are skipped, the records that became no row.
  std::vector<decode::BadRow> bad_rows;
  // Whether all records were decoded, and some of them are bad rows that were
  // not known before.
  bool is_judged = false;
  // The error of an allocator that had no memory. It ends the reader, because
  // asking again would hide it.
  Status refusal;
  infer::LateFeatures late;
  bool is_done = false;  // guarded by the pipeline's mutex

  BatchJob() = default;
  BatchJob(const BatchJob&) = delete;
  BatchJob& operator=(const BatchJob&) = delete;
  ~BatchJob() { Clear(); }

  // Empties the job for its next records, but keeps its memory.
  void Clear();
};

class BatchPipeline {
 public:
  // All arguments must outlive the pipeline; `interrupt` may be null. Each
  // batch asks the pool's allocator for the memory of `most_rows` rows.
  // options.threads is at least 2 and includes the caller's thread. The other
  // threads start at the first Take.
  BatchPipeline(const ReadOptions& options, const Plan& plan,
                RecordStream* stream, std::shared_ptr<BatchPool> pool,
                size_t most_rows, Interrupt* interrupt);
  BatchPipeline(const BatchPipeline&) = delete;
  BatchPipeline& operator=(const BatchPipeline&) = delete;
  ~BatchPipeline();

  // Waits for the next job in order. Returns null if no thread can be started,
  // or if the interrupt is set. The pipeline owns the job; call Finish, Stop or
  // StopJudged next.
  const BatchJob* Take();
  // Ends the taken job. Adds the regions it left out to `left_out`, and its
  // late features to `late`. Returns its storage or null; the caller then owns
  // the reference to the storage.
  BatchStorage* Finish(Skipped* left_out, infer::LateFeatures* late);
  // Returns the records of all jobs, including the taken one, to the stream.
  // The threads then leave the stream to the caller until the next Take. If the
  // interrupt is set, records may stay in the jobs, and the stream must not be
  // used any more.
  void Stop();
  // Stops after a taken job that is_judged: first lets all jobs be decoded,
  // then marks the bad rows that they found and returns their records as Stop
  // does. Returns whether enough records for a batch are known to be good.
  bool StopJudged();

 private:
  void StartThreads();
  bool IsInterrupted() const {
    return interrupt_ != nullptr && interrupt_->is_set();
  }
  void AwaitJob(std::unique_lock<std::mutex>* lock);
  bool AwaitAllJobs(std::unique_lock<std::mutex>* lock);
  void Run();
  bool HasWork() const {
    return !is_stopped_ && !stream_ended_ && !free_.empty();
  }
  void MakeOne(std::unique_lock<std::mutex>* lock, decode::EntryOrder* order);
  BatchJob* Queue(std::unique_ptr<BatchJob>* free);
  void Form(BatchJob* job);
  bool AddPiece(const FileBlock& block, Skipped&& left_out, BatchJob* job);
  void Decode(BatchJob* job, decode::EntryOrder* order);
  bool DecodePieces(BatchJob* job, decode::EntryOrder* order);
  bool DecodeRecords(size_t begin, size_t end, bool verify_payload,
                     BatchJob* job, decode::EntryOrder* order);
  void GiveBackJobs();
  void DropStorages();

  const ReadOptions& options_;
  const Plan& plan_;
  RecordStream* const stream_;
  const std::shared_ptr<BatchPool> pool_;
  const size_t most_rows_;
  Interrupt* const interrupt_;
  std::vector<std::thread> threads_;

  decode::EntryOrder order_;  // the caller's
  // Storages of jobs that were given back. The caller releases them without the
  // lock, because the allocator may wait.
  std::vector<BatchStorage*> dropped_;
  // Held while a job gets its records; locked before mutex_.
  std::timed_mutex stream_mutex_;
  std::mutex mutex_;
  // mutex_ guards the members below.
  std::condition_variable wake_workers_;
  std::condition_variable wake_caller_;
  // free_ and jobs_ have room for all jobs, so that moving a job allocates
  // nothing.
  std::vector<std::unique_ptr<BatchJob>> free_;
  // In the order of batches. Not a deque, which would allocate memory as jobs
  // pass through it.
  std::vector<std::unique_ptr<BatchJob>> jobs_;
  size_t num_undone_ = 0;  // jobs that are not done
  bool stream_ended_ = false;
  bool is_stopped_ = true;
  bool is_over_ = false;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_BATCH_PIPELINE_H_
