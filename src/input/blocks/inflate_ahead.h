// InflateAhead inflates the blocks of a file on several threads, ahead of the
// caller, which takes them in order.

#ifndef HEADRACE_SRC_INPUT_BLOCKS_INFLATE_AHEAD_H_
#define HEADRACE_SRC_INPUT_BLOCKS_INFLATE_AHEAD_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "headrace/status.h"
#include "src/base/memory/buffer.h"
#include "src/input/blocks/block_inflater.h"
#include "src/input/compression/stored_cursor.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::compression {

// Maximum number of bytes that all threads together inflate ahead.
inline constexpr uint64_t kMaxAhead = uint64_t{1} << 30;

// The threads start with the first Take. One thread at a time may call Take,
// Begin and the destructor.
class InflateAhead {
 public:
  // Each thread keeps a block, and the caller one more. These blocks together
  // must have at most kMaxAhead bytes.
  InflateAhead(std::shared_ptr<const SeekTable> table,
               std::shared_ptr<SharedStored> stored, size_t threads);
  InflateAhead(const InflateAhead&) = delete;
  InflateAhead& operator=(const InflateAhead&) = delete;
  ~InflateAhead();

  // Makes Take continue with this block, and drops what was inflated.
  void Begin(size_t block);

  struct Piece {
    uint64_t offset = 0;  // of its first byte in the inflated file
    std::span<const uint8_t> bytes = {};
  };
  // Waits for the next blocks and returns their bytes, which are valid until
  // the next call. There must be blocks left. After a failure only Begin and
  // the destructor may follow. After the first piece nothing depends on the
  // table: the place and window of a piece are compared with the bytes before
  // it.
  Result<Piece> Take();
  size_t next_block() const { return next_block_; }
  bool ended() const { return next_block_ == table_->points().size(); }
  // The stored bytes before the next block to be taken.
  uint64_t stored_position() const;

 private:
  struct Job {
    size_t first = 0;  // blocks [first, end)
    size_t end = 0;
    Buffer bytes;
    size_t size = 0;
    Status status;
    bool is_done = false;
  };

  void StartThreads();
  void Stop();
  void Work();
  bool HasWork() const {
    return !stops_ && begun_ < taken_ + jobs_.size() && !all_begun_;
  }
  Job* WaitForJob();
  Status CheckWindow(const Job& job);
  void KeepLast(std::span<const uint8_t> bytes);
  void Plan(Job* job);
  void Inflate(Job* job, BlockInflater* inflater) const;

  const std::shared_ptr<const SeekTable> table_;
  const std::shared_ptr<SharedStored> stored_;
  const size_t num_threads_;
  std::vector<std::thread> threads_;
  size_t next_block_ = 0;  // the next that Take returns
  // The last bytes taken since Begin, at most kDeflateWindow.
  std::vector<uint8_t> last_;
  std::vector<uint8_t> compared_;
  std::unique_ptr<BlockInflater> comparer_;

  std::mutex mutex_;
  // mutex_ guards the members below, but not the bytes of a job: those belong
  // to the job's thread until the job is done, and then to the taker.
  std::condition_variable wake_workers_;
  std::condition_variable wake_taker_;
  // Job n is jobs_[n % jobs_.size()]. Jobs [taken_, begun_) are in work or
  // done; the first of them may be lent to the caller.
  std::vector<Job> jobs_;
  uint64_t begun_ = 0;
  uint64_t taken_ = 0;
  bool is_lent_ = false;
  size_t plan_block_ = 0;  // the next job begins with it
  bool all_begun_ = false;
  bool stops_ = false;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_BLOCKS_INFLATE_AHEAD_H_
