// The least that reading records by number takes: loops that know where each
// record lies, and do nothing but get its bytes.

#ifndef HEADRACE_BENCH_SIDES_RECORD_LOOPS_H_
#define HEADRACE_BENCH_SIDES_RECORD_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"

namespace headrace::bench {

class RecordLoops {
 public:
  // `stream` is what the file at `path` holds; it is not kept.
  static Result<std::unique_ptr<RecordLoops>> Open(const std::string& path,
                                                   std::string_view stream);
  RecordLoops(const RecordLoops&) = delete;
  RecordLoops& operator=(const RecordLoops&) = delete;
  ~RecordLoops();

  // Both copy the records of these rows, framing included, one after another
  // into one buffer that has the size of the largest, and give how many.
  Result<uint64_t> Pread(std::span<const uint64_t> rows);
  // The bytes come from a mapping, and are asked for eight records before.
  Result<uint64_t> CopyMapped(std::span<const uint64_t> rows);

 private:
  struct Place {
    uint64_t offset = 0;
    uint64_t size = 0;
  };

  RecordLoops() = default;

  int descriptor_ = -1;
  const uint8_t* mapped_ = nullptr;
  size_t mapped_size_ = 0;
  std::vector<Place> places_;
  std::vector<uint8_t> buffer_;
};

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_SIDES_RECORD_LOOPS_H_
