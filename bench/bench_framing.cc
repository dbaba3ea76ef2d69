// Records in memory are framed with and without the payload's CRC, beside
// memcpy of the same bytes: to a buffer that stays in cache and to one as large
// as the file.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "bench/bench_data.h"
#include "headrace/record_reader.h"
#include "src/input/record/scanner.h"
#include "src/input/source/source.h"

namespace headrace::bench {
namespace {

constexpr size_t kFileBytes = size_t{64} << 20;
constexpr size_t kHotBytes = size_t{256} << 10;
constexpr size_t kBlockRecords = 256;

const Data& FileOf(int64_t payload_size) {
  // One file is kept, as benchmarks of one size follow one another.
  static int64_t made_size = -1;
  static Data made;
  if (made_size != payload_size) {
    made = Data();
    made = MakeRawData(static_cast<size_t>(payload_size), kFileBytes);
    made_size = payload_size;
  }
  return made;
}

void SetRates(benchmark::State& state, const Data& data) {
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(data.file.size()));
  state.SetItemsProcessed(state.iterations() *
                          static_cast<int64_t>(data.num_records));
}

Result<uint64_t> ScanAll(const Data& data, bool verify_payload) {
  auto source = source::OpenMemory(data.file.data(), data.file.size(),
                                   {.compression = Compression::kNone});
  if (!source.ok()) return source.status();
  record::Scanner scanner(*std::move(source),
                          {.verify_payload = verify_payload});
  uint64_t count = 0;
  for (;;) {
    auto block = scanner.NextBlock(kBlockRecords);
    if (!block.ok()) return block.status();
    if (block->records.empty()) return count;
    benchmark::DoNotOptimize(block->records.data());
    count += block->records.size();
  }
}

Result<uint64_t> ReadAll(const Data& data) {
  auto reader =
      RecordReader::FromMemory(data.file, {.compression = Compression::kNone});
  if (!reader.ok()) return reader.status();
  uint64_t count = 0;
  for (;;) {
    auto record = reader->Next();
    if (!record.ok()) return record.status();
    if (!record) return count;
    benchmark::DoNotOptimize(record->payload.data());
    ++count;
  }
}

template <class Pass>
void RunPasses(benchmark::State& state, Pass pass) {
  const Data& data = FileOf(state.range(0));
  for (auto _ : state) {
    const Result<uint64_t> count = pass(data);
    if (!count.ok() || *count != data.num_records) {
      state.SkipWithError("records are missing");
      break;
    }
  }
  SetRates(state, data);
}

void ScannerHeaders(benchmark::State& state) {
  RunPasses(state, [](const Data& data) { return ScanAll(data, false); });
}

void ScannerPayloads(benchmark::State& state) {
  RunPasses(state, [](const Data& data) { return ScanAll(data, true); });
}

void RecordReaderPayloads(benchmark::State& state) {
  RunPasses(state, [](const Data& data) { return ReadAll(data); });
}

void MemcpyHot(benchmark::State& state) {
  const Data& data = FileOf(state.range(0));
  std::string copy(kHotBytes, '\0');
  for (auto _ : state) {
    for (size_t i = 0; i < data.file.size(); i += kHotBytes) {
      std::memcpy(copy.data(), data.file.data() + i,
                  std::min(kHotBytes, data.file.size() - i));
      benchmark::DoNotOptimize(copy.data());
      benchmark::ClobberMemory();
    }
  }
  SetRates(state, data);
}

void MemcpyCold(benchmark::State& state) {
  const Data& data = FileOf(state.range(0));
  std::string copy(data.file.size(), '\0');
  for (auto _ : state) {
    std::memcpy(copy.data(), data.file.data(), data.file.size());
    benchmark::DoNotOptimize(copy.data());
    benchmark::ClobberMemory();
  }
  SetRates(state, data);
}

// Ordered by size, a file is made once and its rows stand together.
const bool kRegistered = [] {
  for (int64_t size : {100, 2048, 100 << 10}) {
    const auto add = [size](const char* name, void (*body)(benchmark::State&)) {
      benchmark::RegisterBenchmark(name, body)->Arg(size);
    };
    add("ScannerHeaders", ScannerHeaders);
    add("ScannerPayloads", ScannerPayloads);
    add("RecordReaderPayloads", RecordReaderPayloads);
    add("MemcpyHot", MemcpyHot);
    add("MemcpyCold", MemcpyCold);
  }
  return true;
}();

}  // namespace
}  // namespace headrace::bench
