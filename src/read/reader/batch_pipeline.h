// BatchPipeline decodes batches on several threads and returns them in file
// order.
//
// The caller's thread is one of them: while the batch that it waits for is not
// done, it makes another one itself. The other threads go on while the caller
// does something else. A job is the records of one batch and their outcome. Its
// thread takes the records from the stream, one thread at a time, so that
// reading, decompression and framing of the next job overlap with the decoding
// of others; then it decodes them alone. Locks are taken a few times per batch,
// never per record.
//
// Jobs are cut as if every record became a row. If one does not (a bad payload,
// no room), the caller stops the pipeline, which returns all records to the
// stream, and goes on alone. So batches are the same for every number of
// threads.
//
// If bad rows are skipped, all jobs are cut again as well. But by then each
// decoded record is known to be good or bad, so a record is decoded at most
// twice, and by all threads.

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
  // A piece is consecutive records of one window, and the regions before them.
  struct Piece {
    FileBlock block;  // its records are spans[begin, begin + size)
    size_t begin = 0;
    size_t size = 0;
    Skipped left_out;
  };
  std::vector<record::RecordSpan> spans;
  std::vector<Piece> pieces;
  uint64_t payload_bytes = 0;
  // Of the records that are not known to be bad rows.
  size_t num_rows = 0;
  uint64_t row_bytes = 0;
  uint64_t stored_position = 0;
  uint64_t stored_size = 0;
  // The regions, the end or the error that the stream returned after the
  // records.
  Skipped left_out;
  bool at_end = false;
  Status status;

  // Sealed and with one reference if every record that was not known to be bad
  // became a row; otherwise null.
  BatchStorage* storage = nullptr;
  // Records without a row, if bad rows are skipped.
  std::vector<decode::BadRow> bad_rows;
  // All records were decoded, but more of them are bad than was known before.
  bool is_judged = false;
  infer::LateFeatures late;
  bool is_done = false;  // guarded by the pipeline's mutex

  BatchJob() = default;
  BatchJob(const BatchJob&) = delete;
  BatchJob& operator=(const BatchJob&) = delete;
  ~BatchJob() { Clear(); }

  // Readies the job for its next records and keeps its memory.
  void Clear();
};

class BatchPipeline {
 public:
  // All arguments must outlive the pipeline; `interrupt` may be null. There are
  // options.threads threads, at least 2 and the caller's included; the others
  // start at the first Take.
  BatchPipeline(const ReadOptions& options, const Plan& plan,
                RecordStream* stream, std::shared_ptr<BatchPool> pool,
                Interrupt* interrupt);
  BatchPipeline(const BatchPipeline&) = delete;
  BatchPipeline& operator=(const BatchPipeline&) = delete;
  ~BatchPipeline();

  // Waits for the next job in order. Returns null if no thread can be started,
  // and once the interrupt is set. The pipeline owns the job; call Finish, Stop
  // or StopJudged next.
  const BatchJob* Take();
  // Ends the taken job. Adds what it skipped to `left_out` and its late
  // features to `late`, and returns its storage, whose reference the caller
  // then owns.
  BatchStorage* Finish(Skipped* left_out, infer::LateFeatures* late);
  // Returns the records of all jobs, the taken one included, to the stream,
  // which is the caller's until the next Take. Must not be called once the
  // interrupt is set.
  void Stop();
  // Does the same for a taken job that is_judged, but has all others decoded
  // first. Returns whether enough records for a batch are known to be good.
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

  const ReadOptions& options_;
  const Plan& plan_;
  RecordStream* const stream_;
  const std::shared_ptr<BatchPool> pool_;
  Interrupt* const interrupt_;
  std::vector<std::thread> threads_;

  decode::EntryOrder order_;  // the caller's
  // Held while a job gets its records; locked before mutex_.
  std::timed_mutex stream_mutex_;
  std::mutex mutex_;
  // mutex_ guards the members below.
  std::condition_variable wake_workers_;
  std::condition_variable wake_caller_;
  // Both have room for all jobs, so that moving a job allocates nothing.
  std::vector<std::unique_ptr<BatchJob>> free_;
  // In order. A deque would allocate as it moves on.
  std::vector<std::unique_ptr<BatchJob>> jobs_;
  size_t num_undone_ = 0;  // jobs that are not done
  bool stream_ended_ = false;
  bool is_stopped_ = true;
  bool is_over_ = false;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_BATCH_PIPELINE_H_
