#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/out_of_memory.h"
#include "src/input/blocks/member_hops.h"
#include "src/input/write/block_compressor.h"
#include "src/input/write/encoder.h"

namespace headrace::record {
namespace {

constexpr size_t kMaxThreads = 1024;

// Maximum capacity of a buffer that is kept, as a multiple of the block size.
constexpr size_t kMaxSlack = 4;

// BlockEncoder writes files of blocks of whole records. Each block is
// compressed separately, so that readers can begin at any of them.
//
// With several threads, others compress while the caller continues; only the
// caller writes, in order. So the file is the same for any number of threads,
// and so are errors, except for the record at which they are reported. Each
// block starts a thread until there are enough, so that small files cost none.
class BlockEncoder final : public Encoder {
 public:
  BlockEncoder(const RecordWriterOptions& options, int level,
               size_t num_threads, OutputFile* out)
      : compression_(options.compression),
        level_(level),
        block_bytes_(options.block_bytes),
        out_(out),
        most_threads_(num_threads == 1 ? 0 : num_threads),
        jobs_(num_threads == 1 ? 1 : 2 * num_threads) {}

  ~BlockEncoder() override {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    wake_workers_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  Status Write(const uint8_t* data, size_t size) override {
    std::vector<uint8_t>& plain = open_job().plain;
    plain.insert(plain.end(), data, data + size);
    return Status();
  }

  Status EndRecord() override {
    Job& job = open_job();
    ++job.num_records;
    if (job.plain.size() < block_bytes_) return Status();
    if (threads_.size() < most_threads_) {
      if (Status status = StartThread(); !status.ok()) return status;
    }
    return EndBlock();
  }

  // A file without records has one block without records.
  Status Finish() override {
    if (open_job().num_records > 0 || filled_ == 0) {
      if (Status status = EndBlock(); !status.ok()) return status;
    }
    while (written_ < filled_) {
      if (Status status = WriteOldest(); !status.ok()) return status;
    }
    if (compression_ != Compression::kZstd) return Status();
    const std::vector<uint8_t> table = compression::MakeZstdTable(frames_);
    return out_->Write(table.data(), table.size());
  }

  Status MakeCompressor() {
    auto compressor = MakeBlockCompressor(compression_, level_);
    if (!compressor.ok()) return compressor.status();
    compressors_.push_back(*std::move(compressor));
    return Status();
  }

 private:
  struct Job {
    std::vector<uint8_t> plain;
    uint32_t num_records = 0;
    std::vector<uint8_t> stored;
    Status status;
    bool is_done = false;  // guarded by mutex_
  };

  Job& open_job() { return jobs_[filled_ % jobs_.size()]; }

  Status EndBlock() {
    if (threads_.empty()) {
      Job& job = open_job();
      job.status =
          compressors_[0]->Compress(job.plain, job.num_records, &job.stored);
      job.is_done = true;
      ++filled_;
      return WriteOldest();
    }
    {
      const std::lock_guard lock(mutex_);
      ++filled_;
    }
    wake_workers_.notify_one();
    return filled_ - written_ < jobs_.size() ? Status() : WriteOldest();
  }

  // Waits for the oldest block, writes it, and empties its job.
  Status WriteOldest() {
    Job& job = jobs_[written_ % jobs_.size()];
    if (!threads_.empty()) {
      std::unique_lock lock(mutex_);
      wake_caller_.wait(lock, [&job] { return job.is_done; });
    }
    if (!job.status.ok()) return job.status;
    Status status = out_->Write(job.stored.data(), job.stored.size());
    if (!status.ok()) return status;
    if (compression_ == Compression::kZstd) {
      frames_.push_back({.stored = static_cast<uint32_t>(job.stored.size()),
                         .plain = static_cast<uint32_t>(job.plain.size())});
    }
    // Frees the memory of a record that is much larger than a block.
    if (job.plain.capacity() / kMaxSlack > block_bytes_) job = Job();
    job.plain.clear();
    job.num_records = 0;
    job.is_done = false;
    ++written_;
    return Status();
  }

  // If the system allows no more threads, the existing ones do the work, or the
  // caller if there are none.
  Status StartThread() {
    if (threads_.size() == compressors_.size()) {
      if (Status status = MakeCompressor(); !status.ok()) return status;
    }
    BlockCompressor* const compressor = compressors_[threads_.size()].get();
    try {
      threads_.emplace_back([this, compressor] { Work(compressor); });
    } catch (const std::system_error&) {
      most_threads_ = threads_.size();
    }
    return Status();
  }

  void Work(BlockCompressor* compressor) {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_workers_.wait(lock, [this] { return stops_ || begun_ < filled_; });
      if (stops_) return;
      Job& job = jobs_[begun_ % jobs_.size()];
      ++begun_;
      lock.unlock();
      job.status = CatchOutOfMemory([&] {
        return compressor->Compress(job.plain, job.num_records, &job.stored);
      });
      lock.lock();
      job.is_done = true;
      wake_caller_.notify_one();
    }
  }

  const Compression compression_;
  const int level_;
  const uint64_t block_bytes_;
  OutputFile* const out_;
  // One per thread; the caller uses the first if there are no threads.
  std::vector<std::unique_ptr<BlockCompressor>> compressors_;
  std::vector<std::thread> threads_;
  size_t most_threads_;

  // Job n is jobs_[n % jobs_.size()]. Jobs before written_ are in the file;
  // jobs before begun_ belong to a thread until they are done; jobs before
  // filled_ wait for a thread; the caller fills the next job.
  std::vector<Job> jobs_;
  uint64_t written_ = 0;
  std::vector<compression::ZstdSizes> frames_;  // of zstd
  std::mutex mutex_;
  std::condition_variable wake_workers_;
  std::condition_variable wake_caller_;
  uint64_t filled_ = 0;  // guarded by mutex_, like begun_
  uint64_t begun_ = 0;
  bool stops_ = false;
};

}  // namespace

Result<std::unique_ptr<Encoder>> MakeBlockEncoder(
    const RecordWriterOptions& options, int level, OutputFile* out) {
  const size_t wanted = options.threads > 0
                            ? options.threads
                            : std::thread::hardware_concurrency();
  const size_t num_threads = std::clamp<size_t>(wanted, 1, kMaxThreads);
  auto encoder =
      std::make_unique<BlockEncoder>(options, level, num_threads, out);
  if (Status status = encoder->MakeCompressor(); !status.ok()) return status;
  return std::unique_ptr<Encoder>(std::move(encoder));
}

}  // namespace headrace::record
