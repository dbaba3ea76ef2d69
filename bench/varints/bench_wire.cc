// Cycles per value of packed varints are measured by the mix of widths and the
// length of the lists, on every SIMD target of this machine, beside a loop over
// bytes.
//
// Names read OPERATION/TARGET/MIX/LENGTH. Each mix has 2^20 random values, so
// that the branch predictor cannot learn them; what is written stays in cache.
// After the rows comes a table per target.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "bench/run_benchmarks.h"
#include "bench/varints/varint_kernels.h"
#include "bench/varints/varint_table.h"
#include "src/sample/random.h"
#include "tests/support/target_sweep.h"
#include "tests/support/wire_writer.h"
#include "wire/wire.h"

namespace headrace::bench {
namespace {

constexpr size_t kValues = size_t{1} << 20;
constexpr size_t kInputSlack = 64;

constexpr size_t kLengths[] = {1, 4, 16, 64, 4096};

constexpr char kByteLoop[] = "ByteLoop";
constexpr char kDecode[] = "Decode";

// The varint has `size` bytes, 1 to 10.
uint64_t ValueOfSize(size_t size, sample::Random* random) {
  if (size == 10) return random->Next() | uint64_t{1} << 63;
  const uint64_t low = size == 1 ? 0 : uint64_t{1} << (7 * (size - 1));
  const uint64_t span = (uint64_t{1} << (7 * size)) - low;
  return low + random->Next() % span;
}

struct Mix {
  std::string name;
  std::function<uint64_t(sample::Random*)> draw;
};

std::vector<Mix> Mixes() {
  const auto of_size = [](size_t size) {
    return [size](sample::Random* random) { return ValueOfSize(size, random); };
  };
  const auto up_to = [](size_t size) {
    return [size](sample::Random* random) {
      return ValueOfSize(1 + random->Below(size), random);
    };
  };
  // One in ten values has another width.
  const auto mostly_one = [](size_t size) {
    return [size](sample::Random* random) {
      return ValueOfSize(random->Below(10) == 0 ? size : 1, random);
    };
  };
  const auto mostly_one_else_minus_one = [](sample::Random* random) {
    return random->Below(10) == 0 ? ~uint64_t{0} : random->Below(128);
  };
  return {
      {"1B", of_size(1)},
      {"2B", of_size(2)},
      {"3B", of_size(3)},
      {"5B", of_size(5)},
      {"8B", of_size(8)},
      {"10B", of_size(10)},
      {"90%1B+10%2B", mostly_one(2)},
      {"1-2B", up_to(2)},
      {"1-3B", up_to(3)},
      {"1-5B", up_to(5)},
      {"ids",
       [](sample::Random* random) { return random->LogUniform(1'000'000); }},
      {"hashes", [](sample::Random* random) { return random->Next(); }},
      {"90%1B+10%-1", mostly_one_else_minus_one},
      {"1-10B", up_to(10)},
  };
}

// The lists of one mix stand one after another, as in a file.
struct Lists {
  std::string bytes;
  std::vector<wire::Span> runs;
};

Lists MakeLists(const Mix& mix, size_t length) {
  sample::Random random(1, 0);
  Lists lists;
  std::vector<size_t> ends;
  for (size_t i = 0; i < kValues; ++i) {
    lists.bytes += testing::Varint(mix.draw(&random));
    if ((i + 1) % length == 0) ends.push_back(lists.bytes.size());
  }
  lists.bytes.append(kInputSlack, '\0');
  size_t begin = 0;
  for (size_t end : ends) {
    lists.runs.push_back(
        {reinterpret_cast<const uint8_t*>(lists.bytes.data()) + begin,
         end - begin});
    begin = end;
  }
  return lists;
}

// The last mix and length are kept: rows of one mix stand together.
const Lists& ListsOf(const Mix& mix, size_t length) {
  static std::string made_for;
  static Lists made;
  std::string key = mix.name + "/" + std::to_string(length);
  if (key != made_for) {
    made = MakeLists(mix, length);
    made_for = std::move(key);
  }
  return made;
}

using Kernel = uint64_t (*)(std::span<const wire::Span>, int64_t*);

struct Row {
  std::string operation;
  Kernel kernel;
  const testing::Target* target;  // null: same on all targets
  Mix mix;
  size_t length;
  // The longest runs count: shorter ones only find out how long to run.
  int64_t iterations = 0;
  std::vector<double> cycles_per_value = {};
  double bytes_per_value = 0;

  std::string TargetName() const { return target ? target->name : "any"; }
};

// They stand in the order in which they run, and never move.
std::deque<Row>& Rows() {
  static std::deque<Row> rows;
  return rows;
}

void RunRow(benchmark::State& state, Row* row) {
  std::optional<testing::ScopedTarget> scope;
  if (row->target != nullptr) scope.emplace(*row->target);
  const Lists& lists = ListsOf(row->mix, row->length);
  std::vector<int64_t> out(row->length + VarintSlackValues());
  const double clock = MeasureClock();
  const double start = CpuSeconds();
  for (auto _ : state) {
    if (row->kernel(lists.runs, out.data()) != kValues) {
      state.SkipWithError("values are missing");
      return;
    }
    benchmark::ClobberMemory();
  }
  const double cycles = (CpuSeconds() - start) * clock /
                        static_cast<double>(state.iterations()) / kValues;
  const size_t bytes = lists.bytes.size() - kInputSlack;
  if (state.iterations() > row->iterations) row->cycles_per_value.clear();
  if (state.iterations() >= row->iterations) {
    row->iterations = state.iterations();
    row->cycles_per_value.push_back(cycles);
  }
  row->bytes_per_value = static_cast<double>(bytes) / kValues;
  state.counters["cycles/value"] = cycles;
  state.counters["bytes/cycle"] = row->bytes_per_value / cycles;
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kValues));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

void Register(Row row) {
  Row* const kept = &Rows().emplace_back(std::move(row));
  const std::string name = kept->operation + "/" + kept->TargetName() + "/" +
                           kept->mix.name + "/" + std::to_string(kept->length);
  benchmark::RegisterBenchmark(name.c_str(), [kept](benchmark::State& state) {
    RunRow(state, kept);
  })->Unit(benchmark::kMicrosecond);
}

// This machine has these, and the kernels are compiled for them.
std::vector<testing::Target> KernelTargets() {
  const std::vector<std::string> compiled = VarintTargets();
  std::vector<testing::Target> targets = testing::RunnableTargets();
  std::erase_if(targets, [&](const testing::Target& target) {
    return std::find(compiled.begin(), compiled.end(), target.name) ==
           compiled.end();
  });
  return targets;
}

uint64_t CountOnly(std::span<const wire::Span> runs, int64_t*) {
  return CountLists(runs);
}

void RegisterAll() {
  static const std::vector<testing::Target> targets = KernelTargets();
  for (const Mix& mix : Mixes()) {
    for (size_t length : kLengths) {
      Register({kByteLoop, DecodeListsByteLoop, nullptr, mix, length});
      for (const testing::Target& target : targets) {
        Register({kDecode, DecodeLists, &target, mix, length});
        // Counting is for lists that might not fit.
        if (length < 4096) continue;
        Register({"Count", CountOnly, &target, mix, length});
        Register({"CountAndDecode", CountAndDecodeLists, &target, mix, length});
      }
    }
  }
}

int Main(int argc, char** argv) {
  RegisterAll();
  if (const int code = RunBenchmarks(argc, argv); code != 0) return code;
  std::vector<VarintFigure> figures;
  for (const Row& row : Rows()) {
    if (row.cycles_per_value.empty()) continue;
    if (row.operation != kDecode && row.operation != kByteLoop) continue;
    figures.push_back(
        {.target = row.target ? row.target->name : "",
         .mix = row.mix.name,
         .length = row.length,
         .cycles_per_value = SpreadOf(row.cycles_per_value).median,
         .bytes_per_value = row.bytes_per_value});
  }
  PrintVarintTables(figures);
  return 0;
}

}  // namespace
}  // namespace headrace::bench

int main(int argc, char** argv) { return headrace::bench::Main(argc, argv); }
