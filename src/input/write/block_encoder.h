// BlockEncoder writes files of blocks of whole records. Each block is
// compressed separately, so that readers can begin at any of them.

#ifndef HEADRACE_SRC_INPUT_WRITE_BLOCK_ENCODER_H_
#define HEADRACE_SRC_INPUT_WRITE_BLOCK_ENCODER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "headrace/output_file.h"
#include "headrace/record_writer.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/input/write/block_compressor.h"
#include "src/input/write/encoder.h"

namespace headrace::record {

// With several threads, others compress while the caller continues; only the
// caller writes, in order. So the file is the same for any number of threads,
// and so are errors, except for the record at which they are reported. Each
// block starts a thread until there are enough, so that small files cost none.
class BlockEncoder final : public Encoder {
 public:
  // `out` must outlive the encoder. Fails with kOutOfMemory.
  static Result<std::unique_ptr<Encoder>> Make(
      const RecordWriterOptions& options, int level, OutputFile* out);
  ~BlockEncoder() override;

  Status Write(const uint8_t* data, size_t size) override;
  Status EndRecord() override;
  Status Finish() override;

 private:
  struct Job {
    std::vector<uint8_t> plain;
    uint32_t num_records = 0;
    std::vector<uint8_t> stored;
    Status status;
    bool is_done = false;  // guarded by mutex_
  };
  struct Frame {
    uint32_t stored = 0;
    uint32_t plain = 0;
  };

  BlockEncoder(const RecordWriterOptions& options, int level,
               size_t num_threads, OutputFile* out);
  Job& open_job() { return jobs_[filled_ % jobs_.size()]; }
  Status EndBlock();
  Status WriteOldest();
  Status WriteAll();
  Status WriteZstdTable();
  Status MakeCompressor();
  Status StartThread();
  void Work(BlockCompressor* compressor);

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
  std::vector<Frame> frames_;  // of zstd
  std::mutex mutex_;
  std::condition_variable wake_workers_;
  std::condition_variable wake_caller_;
  uint64_t filled_ = 0;  // guarded by mutex_, like begun_
  uint64_t begun_ = 0;
  bool stops_ = false;
};

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_WRITE_BLOCK_ENCODER_H_
