// Functions of values: fingerprints by the size of strings, lookups by the size
// of the vocabulary, how long a vocabulary takes to be read, and numbers.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/plan/function/fingerprint.h"
#include "src/plan/function/number_functions.h"
#include "src/plan/function/vocabulary.h"
#include "tests/support/temporary_file.h"

namespace headrace::bench {
namespace {

using function::Vocabulary;

// Values that a chain gets at a time when the rows of a batch are made.
constexpr size_t kBlock = 256;

// Words of 8 to 14 bytes, none twice.
std::string Word(uint64_t number) {
  return "word" + std::to_string(1000 + number * 7);
}

std::string Words(int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text.append(Word(static_cast<uint64_t>(i))) += '\n';
  }
  return text;
}

void Hash(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::vector<std::string> strings(kBlock);
  for (std::string& text : strings) {
    text.resize(static_cast<size_t>(state.range(0)));
    for (char& c : text) c = static_cast<char>('a' + random() % 26);
  }
  const std::vector<std::string_view> keys(strings.begin(), strings.end());
  std::vector<int64_t> buckets(kBlock);
  for (auto _ : state) {
    function::HashBuckets(keys, 1000003, buckets.data());
    benchmark::DoNotOptimize(buckets.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * int64_t{kBlock});
}

void ReadVocabulary(benchmark::State& state) {
  const std::string text = Words(state.range(0));
  const testing::TemporaryFile file(text);
  for (auto _ : state) {
    const auto made = Vocabulary::FromFile(file.path(), DType::kBytes);
    if (!made.ok()) {
      state.SkipWithError("the vocabulary cannot be read");
      return;
    }
    state.counters["bytes_beside_a_word"] =
        static_cast<double>((*made)->memory() - text.size()) /
        static_cast<double>(state.range(0));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// Four of five keys are words, in random order.
void LookUp(benchmark::State& state) {
  const testing::TemporaryFile file(Words(state.range(0)));
  const auto vocabulary = Vocabulary::FromFile(file.path(), DType::kBytes);
  if (!vocabulary.ok()) {
    state.SkipWithError("the vocabulary cannot be read");
    return;
  }
  // More keys than the caches hold words of a large vocabulary.
  constexpr size_t kKeys = kBlock << 12;
  std::mt19937_64 random(2);
  std::string bytes;
  std::vector<size_t> ends;
  for (size_t i = 0; i < kKeys; ++i) {
    const uint64_t most = static_cast<uint64_t>(state.range(0)) * 5 / 4;
    bytes += Word(random() % most);
    ends.push_back(bytes.size());
  }
  std::vector<std::string_view> keys;
  for (size_t begin = 0; const size_t end : ends) {
    keys.emplace_back(bytes.data() + begin, end - begin);
    begin = end;
  }
  std::vector<int64_t> lines(kBlock);
  size_t at = 0;
  for (auto _ : state) {
    (*vocabulary)->Find({keys.data() + at, kBlock}, lines.data());
    benchmark::DoNotOptimize(lines.data());
    benchmark::ClobberMemory();
    at = (at + kBlock) % kKeys;
  }
  state.SetItemsProcessed(state.iterations() * int64_t{kBlock});
}

std::vector<float> Numbers() {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> numbers(0.0f, 1000.0f);
  std::vector<float> values(kBlock);
  for (float& value : values) value = numbers(random);
  return values;
}

void Log1p(benchmark::State& state) {
  const std::vector<float> values = Numbers();
  std::vector<float> out(kBlock);
  for (auto _ : state) {
    function::Log1pFloats(values, out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * int64_t{kBlock});
}

void Bucketize(benchmark::State& state) {
  const std::vector<float> values = Numbers();
  std::vector<float> boundaries;
  for (int64_t i = 0; i < state.range(0); ++i) {
    boundaries.push_back(1000.0f * static_cast<float>(i + 1) /
                         static_cast<float>(state.range(0) + 1));
  }
  std::vector<int64_t> out(kBlock);
  for (auto _ : state) {
    function::BucketizeFloats(values, boundaries, out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * int64_t{kBlock});
}

BENCHMARK(Hash)->ArgName("bytes")->Arg(8)->Arg(20)->Arg(100);
BENCHMARK(ReadVocabulary)
    ->ArgName("words")
    ->Arg(1000)
    ->Arg(10000000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(LookUp)->ArgName("words")->Arg(1000)->Arg(100000)->Arg(10000000);
BENCHMARK(Log1p);
BENCHMARK(Bucketize)->ArgName("boundaries")->Arg(10)->Arg(64)->Arg(1000);

}  // namespace
}  // namespace headrace::bench
