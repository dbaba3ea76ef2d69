// Packed varints: cycles a value, by the mix of widths and the length of the
// lists, on every SIMD target of this machine, beside a loop over bytes.
//
// Names read OPERATION/TARGET/MIX/LENGTH. 2^20 random values a mix, so that
// the branch predictor cannot learn them; what is written stays in cache.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/example_writer.h"
#include "bench/measure.h"
#include "bench/random.h"
#include "bench/varint_kernels.h"
#include "tests/support/target_sweep.h"
#include "wire/wire.h"

namespace headrace::bench {
namespace {

constexpr size_t kValues = size_t{1} << 20;
constexpr size_t kInputSlack = 64;

// A value whose varint has `size` bytes, 1 to 10.
uint64_t ValueOfSize(size_t size, Random* random) {
  if (size == 10) return random->Next() | uint64_t{1} << 63;
  const uint64_t low = size == 1 ? 0 : uint64_t{1} << (7 * (size - 1));
  const uint64_t span = (uint64_t{1} << (7 * size)) - low;
  return low + random->Next() % span;
}

struct Mix {
  std::string name;
  std::function<uint64_t(Random*)> draw;
  bool short_lists = false;  // measured at every length
};

std::vector<Mix> Mixes() {
  const auto of_size = [](size_t size) {
    return [size](Random* random) { return ValueOfSize(size, random); };
  };
  const auto up_to = [](size_t size) {
    return [size](Random* random) {
      return ValueOfSize(1 + random->Below(size), random);
    };
  };
  // One in ten of another width.
  const auto mostly_one = [](size_t size) {
    return [size](Random* random) {
      return ValueOfSize(random->Below(10) == 0 ? size : 1, random);
    };
  };
  const auto mostly_one_else_minus_one = [](Random* random) {
    return random->Below(10) == 0 ? ~uint64_t{0} : random->Below(128);
  };
  return {
      {"1B", of_size(1), true},
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
       [](Random* random) {
         return static_cast<uint64_t>(random->LogUniform(1000000));
       },
       true},
      {"hashes", [](Random* random) { return random->Next(); }, true},
      {"90%1B+10%-1", mostly_one_else_minus_one},
      {"1-10B", up_to(10)},
  };
}

// The lists of one mix, one after another as in a file.
struct Lists {
  std::string bytes;
  std::vector<wire::Span> runs;
};

Lists MakeLists(const Mix& mix, size_t length) {
  Random random(1);
  Lists lists;
  std::vector<size_t> ends;
  for (size_t i = 0; i < kValues; ++i) {
    AppendVarint(mix.draw(&random), &lists.bytes);
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

// Of the mix and length asked for last: rows of one mix stand together.
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

void RunKernel(benchmark::State& state, Kernel kernel,
               const testing::Target* target, const Mix& mix, size_t length) {
  std::optional<testing::ScopedTarget> scope;
  if (target != nullptr) scope.emplace(*target);
  const Lists& lists = ListsOf(mix, length);
  std::vector<int64_t> out(length + VarintSlackValues());
  const double clock = MeasureClock();
  const double start = CpuSeconds();
  for (auto _ : state) {
    if (kernel(lists.runs, out.data()) != kValues) {
      state.SkipWithError("values are missing");
      break;
    }
    benchmark::ClobberMemory();
  }
  const double cycles = (CpuSeconds() - start) * clock;
  state.counters["cycles/value"] =
      cycles / static_cast<double>(state.iterations()) / kValues;
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kValues));
  state.SetBytesProcessed(
      state.iterations() *
      static_cast<int64_t>(lists.bytes.size() - kInputSlack));
}

void Register(const std::string& operation, Kernel kernel,
              const testing::Target* target, const Mix& mix, size_t length) {
  const std::string name = operation + "/" +
                           (target != nullptr ? target->name : "any") + "/" +
                           mix.name + "/" + std::to_string(length);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    RunKernel(state, kernel, target, mix, length);
  })->Unit(benchmark::kMicrosecond);
}

// Of this machine, those that the kernels are compiled for.
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

const bool kRegistered = [] {
  static const std::vector<testing::Target> targets = KernelTargets();
  for (const Mix& mix : Mixes()) {
    std::vector<size_t> lengths = {4096};
    if (mix.short_lists) lengths = {1, 4, 16, 64, 4096};
    for (size_t length : lengths) {
      Register("ByteLoop", DecodeListsByteLoop, nullptr, mix, length);
      for (const testing::Target& target : targets) {
        Register("Count", CountOnly, &target, mix, length);
        Register("Decode", DecodeLists, &target, mix, length);
        Register("CountAndDecode", CountAndDecodeLists, &target, mix, length);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace headrace::bench
