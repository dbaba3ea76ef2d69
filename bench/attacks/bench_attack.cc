// This compares what inputs made to cost much do cost with ordinary ones that
// ask for the same job: how fast they are, and how the time grows.
// docs/performance.md says how to read it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "bench/attacks/attack.h"
#include "bench/measure.h"
#include "bench/table.h"

namespace headrace::bench {
namespace {

// --require holds every attack to this.
constexpr double kMinRatio = 1.0 / 20;
// The exponent may exceed 1, or that of the ordinary input, by this.
constexpr double kExcessExponent = 0.2;
// Shorter times are too inexact for an exponent.
constexpr double kMinSeconds = 0.002;

constexpr char kUsage[] =
    R"(usage: bench_attack [--filter REGEX] [--kib N] [--rounds N] [--require]

  --filter   of names
  --kib      size of the smallest of three inputs; the others have two and four
             times as much
  --rounds   how often each is run; the fastest counts
  --require  fail when an attack is slower than a twentieth of its ordinary
             input, or its time grows faster than n^1.2 where that of the
             ordinary input does not
)";

struct Options {
  std::regex filter = std::regex("");
  size_t kib = 1024;
  size_t rounds = 5;
  bool require = false;
};

struct Measured {
  size_t bytes = 0;
  double seconds = 0;
};

// There are inputs of n, 2n and 4n.
using Sizes = std::array<Measured, 3>;

double MbPerSecond(const Sizes& sizes) {
  return static_cast<double>(sizes[2].bytes) / sizes[2].seconds / 1e6;
}

// Time grows with this power of n, from the smallest to the largest input.
double Exponent(const Sizes& sizes) {
  return std::log(sizes[2].seconds / sizes[0].seconds) /
         std::log(static_cast<double>(sizes[2].bytes) /
                  static_cast<double>(sizes[0].bytes));
}

Measured MeasureSize(MakeWork make, size_t bytes, size_t rounds,
                     std::string_view name) {
  const Work work = make(bytes);
  Measured measured{.bytes = work.bytes, .seconds = 1e9};
  // The first round also grows memory that is kept.
  for (size_t round = 0; round <= rounds; ++round) {
    const double start = CpuSeconds();
    const Status status = work.run();
    const double seconds = CpuSeconds() - start;
    if (!status.ok()) {
      std::fprintf(stderr, "bench_attack: %.*s: %s\n",
                   static_cast<int>(name.size()), name.data(),
                   status.ToString().c_str());
      std::exit(1);
    }
    measured.seconds = std::min(measured.seconds, seconds);
  }
  return measured;
}

Sizes Measure(MakeWork make, std::string_view name, const Options& options) {
  Sizes sizes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = MeasureSize(make, options.kib << (10 + i), options.rounds, name);
  }
  return sizes;
}

struct AttackResult {
  std::string name;
  std::string ordinary;
  Sizes sizes;
  Sizes beside;

  double Ratio() const { return MbPerSecond(sizes) / MbPerSecond(beside); }
  // Larger inputs leave the caches, ordinary ones as well.
  bool Grows() const {
    const double most = std::max(1.0, Exponent(beside)) + kExcessExponent;
    return sizes[2].seconds > kMinSeconds && Exponent(sizes) > most;
  }
  bool Holds() const { return Ratio() >= kMinRatio && !Grows(); }
};

std::vector<AttackResult> MeasureAll(const Options& options) {
  std::vector<AttackResult> results;
  std::map<std::string_view, Sizes> ordinary;
  for (const auto attacks : {RecordAttacks(), ShapeAttacks(), RowAttacks(),
                             KeyAttacks(), FileAttacks(), TextAttacks()}) {
    for (const Attack& attack : attacks) {
      const std::string name(attack.name);
      if (!std::regex_search(name, options.filter)) continue;
      const auto [beside, is_new] = ordinary.try_emplace(attack.ordinary);
      if (is_new) {
        beside->second =
            Measure(attack.make_ordinary, attack.ordinary, options);
      }
      results.push_back({name, std::string(attack.ordinary),
                         Measure(attack.make, name, options), beside->second});
    }
  }
  return results;
}

void Print(const std::vector<AttackResult>& results) {
  std::vector<std::vector<std::string>> rows = {{"attack", "MB/s", "beside",
                                                 "MB/s", "ratio", "ms at n",
                                                 "2n", "4n", "grows as", ""}};
  for (const AttackResult& result : results) {
    std::vector<std::string> row = {
        result.name, Decimals(MbPerSecond(result.sizes), 0), result.ordinary,
        Decimals(MbPerSecond(result.beside), 0), Decimals(result.Ratio(), 2)};
    for (const Measured& size : result.sizes) {
      row.push_back(Decimals(size.seconds * 1e3, 2));
    }
    row.push_back("n^" + Decimals(Exponent(result.sizes), 2));
    row.push_back(result.Holds() ? "" : "BROKEN");
    rows.push_back(std::move(row));
  }
  PrintMarkdown(rows);
}

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (name == "--require") {
      options->require = true;
      continue;
    }
    // Flags of Google Benchmark are taken so that all programs can be called
    // alike; only its filter means something here.
    const bool foreign = name.starts_with("--benchmark_");
    if (foreign && name != "--benchmark_filter") continue;
    if (equals == std::string::npos && i + 1 == argc) return false;
    const std::string value =
        equals == std::string::npos ? argv[++i] : argument.substr(equals + 1);
    if (name == "--filter" || name == "--benchmark_filter") {
      options->filter = std::regex(value);
    } else if (name == "--kib") {
      options->kib = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--rounds") {
      options->rounds = std::strtoull(value.c_str(), nullptr, 10);
    } else {
      return false;
    }
  }
  return options->kib > 0;
}

int Main(int argc, char** argv) {
  Options options;
  if (!ParseOptions(argc, argv, &options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const std::vector<AttackResult> results = MeasureAll(options);
  Print(results);
  const auto broken =
      std::count_if(results.begin(), results.end(),
                    [](const AttackResult& r) { return !r.Holds(); });
  std::printf("%zu attacks, %td broken\n", results.size(), broken);
  return options.require && broken > 0 ? 1 : 0;
}

}  // namespace
}  // namespace headrace::bench

int main(int argc, char** argv) { return headrace::bench::Main(argc, argv); }
