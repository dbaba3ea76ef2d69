// Compressed files: how fast they are written, level by level, and how small
// they are beside one stream of zlib's level 6, as gzip(1) makes it.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/bench_data.h"
#include "headrace/record_writer.h"

namespace headrace::bench {
namespace {

constexpr size_t kFileBytes = size_t{16} << 20;
constexpr std::string_view kShapes[] = {"criteo", "floats", "ids", "people"};

// Counts the bytes that a file would have.
class CountingSink : public OutputSink {
 public:
  explicit CountingSink(uint64_t* size) : size_(size) {}
  Status Write(std::span<const uint8_t> bytes) override {
    *size_ += bytes.size();
    return Status();
  }
  Status Close() override { return Status(); }

 private:
  uint64_t* const size_;
};

// The size of the file.
Result<uint64_t> WriteAll(const std::vector<std::string_view>& payloads,
                          const RecordWriterOptions& options) {
  uint64_t size = 0;
  auto writer = RecordWriter::ToSink(std::make_unique<CountingSink>(&size),
                                     "sink", options);
  if (!writer.ok()) return writer.status();
  for (const std::string_view payload : payloads) {
    if (Status status = writer->Write(payload); !status.ok()) return status;
  }
  if (Status status = writer->Close(); !status.ok()) return status;
  return size;
}

struct Records {
  Data data;
  std::vector<std::string_view> payloads;
  uint64_t zlib_size = 0;
};

const Records& RecordsOf(std::string_view sample) {
  // The records of the last shape are kept, as its benchmarks follow one
  // another.
  static std::string_view made_of;
  static Records made;
  if (made_of != sample) {
    const Shape shape{.name = sample, .sample = sample};
    auto data = MakeData(shape, kFileBytes, /*seed=*/1);
    if (data.ok()) made.data = *std::move(data);
    made.payloads = Payloads(made.data.file);
    const auto size =
        WriteAll(made.payloads, {.compression = Compression::kZlib});
    if (size.ok()) made.zlib_size = *size;
    made_of = sample;
  }
  return made;
}

void Write(benchmark::State& state, std::string_view shape,
           const RecordWriterOptions& options) {
  const Records& records = RecordsOf(shape);
  uint64_t size = 0;
  for (auto _ : state) {
    const auto written = WriteAll(records.payloads, options);
    if (!written.ok()) {
      state.SkipWithError("nothing was written");
      return;
    }
    size = *written;
  }
  const auto plain = static_cast<double>(records.data.file.size());
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(records.data.file.size()));
  state.counters["of_plain"] = static_cast<double>(size) / plain;
  state.counters["of_zlib6"] =
      static_cast<double>(size) / static_cast<double>(records.zlib_size);
}

void Add(std::string_view shape, Compression compression, int level,
         size_t threads) {
  std::string name("Write/");
  name += shape;
  name += '/';
  name += CompressionName(compression);
  name += ':' + std::to_string(level);
  if (threads > 1) name += "/threads:" + std::to_string(threads);
  const RecordWriterOptions options{
      .compression = compression, .level = level, .threads = threads};
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) { Write(state, shape, options); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

// zlib's files have one stream each, by zlib itself.
const bool kRegistered = [] {
  for (const std::string_view shape : kShapes) {
    for (const Compression compression :
         {Compression::kZlib, Compression::kGzip}) {
      for (const int level : {1, 2, 3, 4, 6, 7, 9}) {
        Add(shape, compression, level, /*threads=*/1);
      }
    }
    for (const int level : {1, 3, 9, 19}) {
      Add(shape, Compression::kZstd, level, /*threads=*/1);
    }
    Add(shape, Compression::kGzip, 6, /*threads=*/2);
    Add(shape, Compression::kGzip, 6, /*threads=*/4);
  }
  return true;
}();

}  // namespace
}  // namespace headrace::bench
