// Records to columns, end to end from memory, beside libprotobuf and what the
// memory itself allows. Prints ratios of sides that ran in turns in the same
// process; docs/performance.md says how to read them.

#include <google/protobuf/stubs/common.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/bench_data.h"
#include "bench/decode_options.h"
#include "bench/decode_report.h"
#include "bench/fingerprint.h"
#include "bench/headrace_side.h"
#include "bench/measure.h"
#include "bench/protobuf_side.h"
#include "headrace/build_info.h"
#include "headrace/plan.h"
#include "tests/support/target_sweep.h"

namespace headrace::bench {
namespace {

// A pass over the whole file; gives the number of records that it went over.
struct Side {
  std::string name;
  std::function<Result<uint64_t>()> pass;
};

// A pass that fails measures nothing: the program ends.
void RunPass(const Side& side, uint64_t num_records) {
  const Result<uint64_t> count = side.pass();
  if (count.ok() && *count == num_records) return;
  std::fprintf(
      stderr, "bench_decode: %s: %s\n", side.name.c_str(),
      count.ok() ? "records are missing" : count.status().ToString().c_str());
  std::exit(1);
}

// All sides in turns, each long enough to be timed.
void RunRounds(const std::vector<Side>& sides,
               const DecodeBenchOptions& options, ShapeResult* result) {
  std::vector<size_t> passes;
  for (const Side& side : sides) {
    result->sides.push_back({side.name, {}});
    RunPass(side, result->num_records);  // grows what is kept
    const double start = CpuSeconds();
    RunPass(side, result->num_records);
    const double seconds = CpuSeconds() - start;
    passes.push_back(
        std::max<size_t>(1, static_cast<size_t>(options.min_time / seconds)));
  }
  std::vector<double> clocks;
  double wall = 0;
  double busy = 0;
  for (size_t round = 0; round < options.rounds; ++round) {
    clocks.push_back(MeasureClock());
    for (size_t turn = 0; turn < sides.size(); ++turn) {
      // Nobody always comes after the same one.
      const size_t i = (turn + round) % sides.size();
      const double start = CpuSeconds();
      wall += SecondsOf([&] {
        for (size_t pass = 0; pass < passes[i]; ++pass) {
          RunPass(sides[i], result->num_records);
        }
      });
      const double seconds = CpuSeconds() - start;
      busy += seconds;
      result->sides[i].seconds.push_back(seconds /
                                         static_cast<double>(passes[i]));
    }
  }
  result->clock = SpreadOf(std::move(clocks)).median;
  result->cpu_share = busy / wall;
}

// Both sides must have read the same values, or the race means nothing.
bool ReadsTheSame(ColumnDecoder* headrace, ProtobufSide* protobuf,
                  std::span<const std::string_view> payloads,
                  size_t num_columns) {
  std::vector<Fingerprint> ours(num_columns);
  const auto add = [&](const Batch& batch) {
    for (size_t i = 0; i < num_columns; ++i) ours[i].AddAll(batch.columns()[i]);
  };
  std::vector<Fingerprint> theirs;
  return headrace->Run(true, add).ok() &&
         protobuf->ParseAndFill(payloads, &theirs) == payloads.size() &&
         ours == theirs;
}

std::optional<ShapeResult> RunShape(Shape shape,
                                    const DecodeBenchOptions& options) {
  const Data data = MakeData(shape, options.file_bytes, options.seed);
  const std::vector<std::string_view> payloads = Payloads(data.file);
  const AnonymousFile file(data.file);
  const auto plan = Plan::ForColumns(data.columns);
  if (!plan.ok()) return std::nullopt;
  ColumnDecoder headrace(data, *plan, options.batch_size);
  ProtobufSide protobuf(data.columns, options.batch_size);
  std::vector<char> hot(size_t{256} << 10);

  ShapeResult result{.shape = std::string(ShapeName(shape)),
                     .file_bytes = data.file.size(),
                     .num_records = data.num_records,
                     .num_features = data.num_features};
  if (!ReadsTheSame(&headrace, &protobuf, payloads, data.columns.size())) {
    std::fprintf(stderr, "bench_decode: %s: libprotobuf reads other values\n",
                 result.shape.c_str());
    return std::nullopt;
  }
  std::vector<Side> sides = {
      {"headrace", [&] { return headrace.Run(true); }},
      {"no CRC", [&] { return headrace.Run(false); }},
      {"libprotobuf",
       [&]() -> Result<uint64_t> { return protobuf.Parse(payloads); }},
      {"libprotobuf+fill",
       [&]() -> Result<uint64_t> { return protobuf.ParseAndFill(payloads); }},
      {"memcpy",
       [&]() -> Result<uint64_t> { return CopyPayloads(payloads, &hot); }},
      {"CRC only",
       [&]() -> Result<uint64_t> { return CheckPayloads(payloads); }},
      {"framing", [&] { return FrameAll(data); }},
  };
  if (!file.path().empty()) {
    sides.push_back({"Reader", [&] {
                       return ReadFile(file.path(), *plan, options.batch_size);
                     }});
  }
  RunRounds(sides, options, &result);
  return result;
}

// As if the CPU had nothing better; null, and a message, for a name that this
// machine does not have.
const testing::Target* FindTarget(const std::string& name) {
  static const std::vector<testing::Target> targets =
      testing::RunnableTargets();
  for (const testing::Target& target : targets) {
    if (target.name == name) return &target;
  }
  std::fprintf(stderr, "bench_decode: no target %s here, but", name.c_str());
  for (const testing::Target& target : targets) {
    std::fprintf(stderr, " %s", target.name.c_str());
  }
  std::fprintf(stderr, "\n");
  return nullptr;
}

int Main(int argc, char** argv) {
  const std::optional<DecodeBenchOptions> options =
      ParseDecodeOptions(argc, argv);
  if (!options) return 2;
  std::optional<testing::ScopedTarget> scope;
  if (!options->target.empty()) {
    const testing::Target* const target = FindTarget(options->target);
    if (target == nullptr) return 2;
    scope.emplace(*target);
  }
  const BuildInfo info = GetBuildInfo();
  const MachineFacts facts = {
      .version = info.version,
      .compiler = info.compiler,
      .target = info.target,
      .crc = info.crc,
      .protobuf =
          google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION),
      .batch_size = options->batch_size};
  std::printf(
      "headrace %s (%s), target %s, CRC %s, libprotobuf %s, batches of %zu\n",
      facts.version.c_str(), facts.compiler.c_str(), facts.target.c_str(),
      facts.crc.c_str(), facts.protobuf.c_str(), facts.batch_size);

  std::vector<ShapeResult> results;
  for (Shape shape : options->shapes) {
    std::optional<ShapeResult> result = RunShape(shape, *options);
    if (!result) return 1;
    PrintShape(*result);
    results.push_back(*std::move(result));
  }
  PrintTable(results);
  const bool holds = PrintRequirements(results);
  if (!options->json.empty() && !WriteJson(options->json, facts, results)) {
    std::fprintf(stderr, "bench_decode: cannot write %s\n",
                 options->json.c_str());
    return 1;
  }
  return options->require && !holds ? 1 : 0;
}

}  // namespace
}  // namespace headrace::bench

int main(int argc, char** argv) { return headrace::bench::Main(argc, argv); }
