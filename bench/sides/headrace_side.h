
#ifndef HEADRACE_BENCH_SIDES_HEADRACE_SIDE_H_
#define HEADRACE_BENCH_SIDES_HEADRACE_SIDE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench_data.h"
#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/decode/example/entry_order.h"
#include "src/read/batch/batch_storage.h"

namespace headrace::bench {

// Bytes in memory become batches of columns by source, scanner and decoder.
// This is the loop of Reader without files; batches are dropped at once, so
// that their memory is used again.
class ColumnDecoder {
 public:
  ColumnDecoder(const Data& data, Plan plan, size_t batch_size);

  // Makes one pass over the file; `sink`, if any, sees each batch. Gives the
  // rows.
  using Sink = std::function<void(const Batch&)>;
  Result<uint64_t> Run(bool verify_payload, const Sink& sink = nullptr);

 private:
  const Data& data_;
  const Plan plan_;
  const size_t batch_size_;
  const std::shared_ptr<reader::BatchPool> pool_;
  decode::EntryOrder order_;
};

// Reader reads this file, which has no place in any folder.
class AnonymousFile {
 public:
  explicit AnonymousFile(std::string_view bytes);
  AnonymousFile(const AnonymousFile&) = delete;
  AnonymousFile& operator=(const AnonymousFile&) = delete;
  ~AnonymousFile();

  // Empty where the system has no such files.
  const std::string& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::string path_;
};

// The public Reader makes one pass over a file in the page cache.
Result<uint64_t> ReadFile(const std::string& path, const Plan& plan,
                          size_t batch_size);

// Framing checks every CRC, and nothing else happens.
Result<uint64_t> FrameAll(const Data& data);

// Compares the payloads' CRCs, and gives how many are right.
uint64_t CheckPayloads(std::span<const std::string_view> payloads);

// Payloads go one after another into a buffer that stays in cache.
uint64_t CopyPayloads(std::span<const std::string_view> payloads,
                      std::vector<char>* buffer);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_SIDES_HEADRACE_SIDE_H_
