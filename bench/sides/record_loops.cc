#include "bench/sides/record_loops.h"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bench/bench_data.h"
#include "headrace/record_reader.h"
#include "src/base/record_header.h"
#include "src/base/system_error.h"

namespace headrace::bench {
namespace {

constexpr size_t kRecordsAhead = 8;
constexpr uint64_t kLine = 64;

}  // namespace

Result<std::unique_ptr<RecordLoops>> RecordLoops::Open(
    const std::string& path, std::string_view stream) {
  std::unique_ptr<RecordLoops> loops(new RecordLoops);
  uint64_t largest = 0;
  for (const std::string_view payload : Payloads(stream)) {
    const auto begin = static_cast<uint64_t>(payload.data() - stream.data());
    loops->places_.push_back({.offset = begin - kRecordHeaderBytes,
                              .size = payload.size() + kRecordOverhead});
    largest = std::max(largest, loops->places_.back().size);
  }
  loops->buffer_.resize(static_cast<size_t>(largest));
  loops->descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (loops->descriptor_ < 0) return SystemError("cannot open", errno, path);
  void* const address = mmap(nullptr, stream.size(), PROT_READ, MAP_SHARED,
                             loops->descriptor_, 0);
  if (address == MAP_FAILED) return SystemError("cannot map", errno, path);
  loops->mapped_ = static_cast<const uint8_t*>(address);
  loops->mapped_size_ = stream.size();
  return loops;
}

RecordLoops::~RecordLoops() {
  if (mapped_ != nullptr) {
    munmap(const_cast<uint8_t*>(mapped_), mapped_size_);
  }
  if (descriptor_ >= 0) close(descriptor_);
}

Result<uint64_t> RecordLoops::Pread(std::span<const uint64_t> rows) {
  for (const uint64_t row : rows) {
    const Place& place = places_[static_cast<size_t>(row)];
    const ssize_t got =
        pread(descriptor_, buffer_.data(), static_cast<size_t>(place.size),
              static_cast<off_t>(place.offset));
    if (got < 0 || static_cast<uint64_t>(got) < place.size) {
      return Status(ErrorCode::kIo, "pread gave fewer bytes than it should");
    }
  }
  return uint64_t{rows.size()};
}

Result<uint64_t> RecordLoops::CopyMapped(std::span<const uint64_t> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i + kRecordsAhead < rows.size()) {
      const Place& ahead =
          places_[static_cast<size_t>(rows[i + kRecordsAhead])];
      for (uint64_t at = 0; at < ahead.size; at += kLine) {
        __builtin_prefetch(mapped_ + ahead.offset + at);
      }
    }
    const Place& place = places_[static_cast<size_t>(rows[i])];
    std::memcpy(buffer_.data(), mapped_ + place.offset,
                static_cast<size_t>(place.size));
    // Otherwise the compiler might see that nobody reads the copy.
    benchmark::ClobberMemory();
  }
  return uint64_t{rows.size()};
}

}  // namespace headrace::bench
