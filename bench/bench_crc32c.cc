// CRC32C is measured by size: ours, ISA-L's, a table loop, and memcpy as the
// yardstick.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bench/bench_data.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c.h"

#if HEADRACE_HAVE_ISAL
#include <isa-l/crc.h>
#endif

namespace headrace::bench {
namespace {

// Payloads begin 12 bytes into a record: they are not aligned.
constexpr size_t kOffset = 12;

// A benchmark runs several times, so the bytes of the last size are kept.
uint8_t* BytesOf(size_t size) {
  static std::string bytes;
  if (bytes.size() != size + kOffset) bytes = RandomBytes(size + kOffset, 1);
  return reinterpret_cast<uint8_t*>(bytes.data()) + kOffset;
}

void SetRates(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

template <class Checksum>
void RunChecksum(benchmark::State& state, Checksum checksum) {
  const auto size = static_cast<size_t>(state.range(0));
  uint8_t* const bytes = BytesOf(size);
  for (auto _ : state) {
    benchmark::DoNotOptimize(checksum(bytes, size));
  }
  SetRates(state);
}

void Headrace(benchmark::State& state) {
  RunChecksum(state, [](const uint8_t* data, size_t size) {
    return headrace::Crc32c(data, size);
  });
}

#if HEADRACE_HAVE_ISAL
void IsaL(benchmark::State& state) {
  RunChecksum(state, [](uint8_t* data, size_t size) {
    return ~crc32_iscsi(data, static_cast<int>(size), ~0u);
  });
}
#endif

void Table(benchmark::State& state) {
  RunChecksum(state, [](const uint8_t* data, size_t size) {
    return ScalarCrc32c(data, size);
  });
}

void Memcpy(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  const uint8_t* const bytes = BytesOf(size);
  std::vector<uint8_t> copy(size);
  for (auto _ : state) {
    std::memcpy(copy.data(), bytes, size);
    benchmark::DoNotOptimize(copy.data());
    benchmark::ClobberMemory();
  }
  SetRates(state);
}

// These are sizes of a length, a key, a small record, rows of many scalars, a
// row of floats, a page of blobs, and of what fits no cache.
void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (int64_t size : {8, 64, 200, 512, 1800, 8192, 64 << 10, 1 << 20}) {
    benchmark->Arg(size);
  }
  benchmark->Arg(256 << 20);
}

void SmallSizes(benchmark::internal::Benchmark* benchmark) {
  for (int64_t size : {8, 512, 8192, 1 << 20}) benchmark->Arg(size);
}

BENCHMARK(Headrace)->Apply(Sizes);
#if HEADRACE_HAVE_ISAL
BENCHMARK(IsaL)->Apply(Sizes);
#endif
BENCHMARK(Table)->Apply(SmallSizes);
BENCHMARK(Memcpy)->Apply(Sizes);

}  // namespace
}  // namespace headrace::bench
