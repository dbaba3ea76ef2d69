// Rows of orders in runs of positions: by how many rows there are, and by block
// and window.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "headrace/order.h"

namespace headrace::bench {
namespace {

// These are the arguments of a benchmark: rows, block, window, length of a run.
void Rows(benchmark::State& state) {
  const auto argument = [&](size_t i) {
    return static_cast<uint64_t>(state.range(i));
  };
  const auto order = Order::Make({.rows = argument(0),
                                  .seed = 1,
                                  .block = argument(1),
                                  .window = argument(2)});
  if (!order.ok()) {
    state.SkipWithError("there is no such order");
    return;
  }
  std::vector<uint64_t> rows(argument(3));
  uint64_t position = 0;
  for (auto _ : state) {
    if (position > order->size() - rows.size()) position = 0;
    if (!order->Rows(position, rows).ok()) state.SkipWithError("no such rows");
    benchmark::DoNotOptimize(rows.data());
    benchmark::ClobberMemory();
    position += rows.size();
  }
  state.SetItemsProcessed(state.iterations() * state.range(3));
}

constexpr int64_t kBillion = 1000000000;

BENCHMARK(Rows)
    ->ArgNames({"rows", "block", "window", "run"})
    ->Args({60000, 1, 1, 4096})
    ->Args({kBillion, 1, 1, 256})
    ->Args({kBillion, 1, 1, 4096})
    // A network for the least rows that it takes four times as many numbers
    // for.
    ->Args({(1 << 28) + 1, 1, 1, 4096})
    // Windows are tables, then networks.
    ->Args({kBillion, 256, 16, 256})
    ->Args({kBillion, 256, 16, 4096})
    ->Args({kBillion, 256, 1024, 4096});

}  // namespace
}  // namespace headrace::bench
