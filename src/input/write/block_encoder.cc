#include "src/input/write/block_encoder.h"

#include <algorithm>
#include <array>
#include <string>
#include <system_error>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/out_of_memory.h"
#include "src/input/compression/zstd_seek_table.h"

namespace headrace::record {
namespace {

constexpr size_t kMaxThreads = 1024;

// A buffer may have this many times the bytes of a block.
constexpr size_t kMaxSlack = 4;

}  // namespace

Result<std::unique_ptr<Encoder>> BlockEncoder::Make(
    const RecordWriterOptions& options, int level, OutputFile* out) {
  const size_t wanted = options.threads > 0
                            ? options.threads
                            : std::thread::hardware_concurrency();
  const size_t num_threads = std::clamp<size_t>(wanted, 1, kMaxThreads);
  std::unique_ptr<BlockEncoder> encoder(
      new BlockEncoder(options, level, num_threads, out));
  if (Status status = encoder->MakeCompressor(); !status.ok()) return status;
  return std::unique_ptr<Encoder>(std::move(encoder));
}

BlockEncoder::BlockEncoder(const RecordWriterOptions& options, int level,
                           size_t num_threads, OutputFile* out)
    : compression_(options.compression),
      level_(level),
      block_bytes_(options.block_bytes),
      out_(out),
      most_threads_(num_threads == 1 ? 0 : num_threads),
      jobs_(num_threads == 1 ? 1 : 2 * num_threads) {}

BlockEncoder::~BlockEncoder() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  wake_workers_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Status BlockEncoder::Write(const uint8_t* data, size_t size) {
  std::vector<uint8_t>& plain = open_job().plain;
  plain.insert(plain.end(), data, data + size);
  return Status();
}

Status BlockEncoder::EndRecord() {
  Job& job = open_job();
  ++job.num_records;
  if (job.plain.size() < block_bytes_) return Status();
  if (threads_.size() < most_threads_) {
    if (Status status = StartThread(); !status.ok()) return status;
  }
  return EndBlock();
}

Status BlockEncoder::EndBlock() {
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
Status BlockEncoder::WriteOldest() {
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

// A file without records has one block without records.
Status BlockEncoder::Finish() {
  if (open_job().num_records > 0 || filled_ == 0) {
    if (Status status = EndBlock(); !status.ok()) return status;
  }
  while (written_ < filled_) {
    if (Status status = WriteOldest(); !status.ok()) return status;
  }
  return compression_ == Compression::kZstd ? WriteZstdTable() : Status();
}

// Readers that do not know the table skip it like any skippable frame.
Status BlockEncoder::WriteZstdTable() {
  if (frames_.size() > compression::kMaxSeekFrames) return Status();
  const size_t size = frames_.size() * compression::kSeekEntryBytes +
                      compression::kSeekFooterBytes;
  std::vector<uint8_t> table(compression::kSeekHeadBytes + size);
  StoreLittle32(table.data(), compression::kSeekTableMagic);
  StoreLittle32(&table[4], static_cast<uint32_t>(size));
  uint8_t* entry = table.data() + compression::kSeekHeadBytes;
  for (const Frame& frame : frames_) {
    StoreLittle32(entry, frame.stored);
    StoreLittle32(entry + 4, frame.plain);
    entry += compression::kSeekEntryBytes;
  }
  StoreLittle32(entry, static_cast<uint32_t>(frames_.size()));
  StoreLittle32(entry + compression::kSeekFooterMagicAt,
                compression::kSeekFooterMagic);
  return out_->Write(table.data(), table.size());
}

Status BlockEncoder::MakeCompressor() {
  auto compressor = MakeBlockCompressor(compression_, level_);
  if (!compressor.ok()) return compressor.status();
  compressors_.push_back(*std::move(compressor));
  return Status();
}

// If the system allows no more threads, the existing ones do the work, or the
// caller if there are none.
Status BlockEncoder::StartThread() {
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

void BlockEncoder::Work(BlockCompressor* compressor) {
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

}  // namespace headrace::record
