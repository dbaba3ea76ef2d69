// Records in memory become columns, beside libprotobuf, a parser by hand, and
// what the memory itself allows. The ratios are of sides that ran in turns in
// the same process; docs/performance.md says how to read them.

#include <google/protobuf/stubs/common.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/bench_data.h"
#include "bench/decode/decode_options.h"
#include "bench/decode/fingerprint.h"
#include "bench/decode_report.h"
#include "bench/race.h"
#include "bench/sides/byte_loop_side.h"
#include "bench/sides/gzip_side.h"
#include "bench/sides/headrace_side.h"
#include "bench/sides/protobuf_side.h"
#include "bench/sides/shape_loops.h"
#include "headrace/plan.h"
#include "src/read/reader/build_info.h"
#include "tests/support/target_sweep.h"

namespace headrace::bench {
namespace {

// These sides all make columns of Examples or SequenceExamples.
struct Decoders {
  Decoders(const Data& data, const Plan& plan, size_t batch_size)
      : is_sequence(plan.message() == MessageType::kSequence),
        payloads(Payloads(data.file)),
        headrace(data, plan, batch_size),
        protobuf(data.columns, batch_size),
        byte_loop(data.columns, batch_size) {}

  const bool is_sequence;
  const std::vector<std::string_view> payloads;
  ColumnDecoder headrace;
  ProtobufSide protobuf;
  ByteLoopSide byte_loop;  // knows Examples alone
};

template <class OtherSide>
Status CheckSide(const char* name, const std::vector<Fingerprint>& ours,
                 std::span<const std::string_view> payloads, OtherSide* side) {
  std::vector<Fingerprint> theirs;
  if (side->ParseAndFill(payloads, &theirs) == payloads.size() &&
      theirs == ours) {
    return Status();
  }
  return Status(ErrorCode::kMalformed,
                std::string(name) + " reads other values");
}

// All sides must read the same values, or the race means nothing.
Status CheckAgreement(size_t num_columns, Decoders* sides) {
  std::vector<Fingerprint> ours(num_columns);
  const auto rows = sides->headrace.Run(true, [&](const Batch& batch) {
    for (size_t i = 0; i < num_columns; ++i) ours[i].AddAll(batch.columns()[i]);
  });
  if (!rows.ok()) return rows.status();
  Status status =
      CheckSide("libprotobuf", ours, sides->payloads, &sides->protobuf);
  if (!status.ok() || sides->is_sequence) return status;
  return CheckSide("byte loop", ours, sides->payloads, &sides->byte_loop);
}

Status RaceDecoders(const Data& data, const Plan& plan,
                    const DecodeBenchOptions& options, ShapeResult* result) {
  Decoders with(data, plan, result->batch_size);
  const AnonymousFile file(data.file);
  std::vector<char> hot(size_t{256} << 10);
  if (Status status = CheckAgreement(data.columns.size(), &with);
      !status.ok()) {
    return status;
  }
  std::vector<Side> sides = {
      {"headrace", [&] { return with.headrace.Run(true); }},
      {"no CRC", [&] { return with.headrace.Run(false); }},
      {"libprotobuf", [&] { return with.protobuf.Parse(with.payloads); }},
      {"libprotobuf+fill",
       [&] { return with.protobuf.ParseAndFill(with.payloads); }},
      {"memcpy", [&] { return CopyPayloads(with.payloads, &hot); }},
      {"CRC only", [&] { return CheckPayloads(with.payloads); }},
      {"framing", [&] { return FrameAll(data); }},
  };
  if (!with.is_sequence) {
    sides.push_back({"byte loop", [&] {
                       return with.byte_loop.ParseAndFill(with.payloads);
                     }});
  }
  std::optional<ShapeLoops> loops =
      ShapeLoops::Of(with.payloads, result->batch_size);
  if (loops) {
    sides.push_back({"compare", [&] { return loops->Compare(); }});
    sides.push_back(
        {"compare and copy", [&] { return loops->CompareAndCopy(); }});
  }
  if (!file.path().empty()) {
    sides.push_back({"Reader", [&] {
                       return ReadFile(file.path(), plan, result->batch_size);
                     }});
  }
  RunRace(sides, options.rounds, options.min_time, result);
  return Status();
}

// Lists become tensors; libprotobuf parses the same messages.
void RaceLists(const Data& data, const Plan& plan,
               const DecodeBenchOptions& options, ShapeResult* result) {
  const std::vector<std::string_view> payloads = Payloads(data.file);
  ColumnDecoder headrace(data, plan, result->batch_size);
  std::vector<char> block(size_t{16} << 20);
  std::vector<char> hot(size_t{256} << 10);
  RunRace({{"headrace", [&] { return headrace.Run(true); }},
           {"no CRC", [&] { return headrace.Run(false); }},
           {"libprotobuf", [&] { return ParseLists(payloads, &block); }},
           {"memcpy", [&] { return CopyPayloads(payloads, &hot); }},
           {"CRC only", [&] { return CheckPayloads(payloads); }},
           {"framing", [&] { return FrameAll(data); }}},
          options.rounds, options.min_time, result);
}

// A reader of compressed files can at best be as fast as the inflater.
void RaceInflaters(const Data& data, const Plan& plan,
                   const DecodeBenchOptions& options, ShapeResult* result) {
  const std::string stored = Gzip(data.file);
  const AnonymousFile file(stored);
  // Inflaters see no records: all or none.
  const auto records_of =
      [&](const Result<uint64_t>& bytes) -> Result<uint64_t> {
    if (!bytes.ok()) return bytes.status();
    return *bytes == data.file.size() ? data.num_records : 0;
  };
  RunRace({{"Reader",
            [&] { return ReadFile(file.path(), plan, result->batch_size); }},
           {"inflate", [&] { return records_of(InflateOnly(stored)); }},
           {"zlib", [&] { return records_of(InflateByZlib(stored)); }}},
          options.rounds, options.min_time, result);
}

Result<ShapeResult> RunCase(const DecodeCase& chosen, const Data& data,
                            const DecodeBenchOptions& options) {
  const auto plan = chosen.shape->lists ? Plan::Compile(data.spec)
                                        : Plan::ForColumns(data.columns);
  if (!plan.ok()) return plan.status();
  ShapeResult result{.shape = std::string(chosen.shape->name),
                     .file_bytes = data.file.size(),
                     .batch_size = chosen.batch_size,
                     .num_records = data.num_records,
                     .num_features = data.num_features};
  if (chosen.shape->gzip) {
    RaceInflaters(data, *plan, options, &result);
  } else if (chosen.shape->lists) {
    RaceLists(data, *plan, options, &result);
  } else if (Status status = RaceDecoders(data, *plan, options, &result);
             !status.ok()) {
    return status;
  }
  PrintShape(result);
  return result;
}

Result<std::vector<ShapeResult>> RunCases(const DecodeBenchOptions& options) {
  std::vector<ShapeResult> results;
  Data data;
  const DecodeCase* made = nullptr;
  for (const DecodeCase& chosen : options.cases) {
    if (made == nullptr || made->shape != chosen.shape ||
        made->file_bytes != chosen.file_bytes) {
      data = Data();
      auto next = MakeData(*chosen.shape, chosen.file_bytes, options.seed);
      if (!next.ok()) return next.status();
      data = *std::move(next);
      made = &chosen;
    }
    auto result = RunCase(chosen, data, options);
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  return results;
}

// Decoding then runs as if the CPU had nothing better; null, and a message, for
// a name that this machine does not have.
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
          google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION)};
  std::printf("headrace %s (%s), target %s, CRC %s, libprotobuf %s\n",
              facts.version.c_str(), facts.compiler.c_str(),
              facts.target.c_str(), facts.crc.c_str(), facts.protobuf.c_str());

  const Result<std::vector<ShapeResult>> results = RunCases(*options);
  if (!results.ok()) {
    std::fprintf(stderr, "bench_decode: %s\n",
                 results.status().ToString().c_str());
    return 1;
  }
  PrintTable(*results);
  const bool holds = PrintRequirements(*results);
  if (!options->json.empty() && !WriteJson(options->json, facts, *results)) {
    std::fprintf(stderr, "bench_decode: cannot write %s\n",
                 options->json.c_str());
    return 1;
  }
  return options->require && !holds ? 1 : 0;
}

}  // namespace
}  // namespace headrace::bench

int main(int argc, char** argv) { return headrace::bench::Main(argc, argv); }
