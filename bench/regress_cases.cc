// bench/regress.py runs each case of this fixed work under callgrind, which
// counts its instructions. Nothing here is timed.
//
// The records are those of `headrace gen`, made by whole-number arithmetic, so
// that they are the same everywhere.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "headrace/record_writer.h"
#include "src/exchange/json/json_lines.h"
#include "src/sample/example_builder.h"
#include "src/sample/random.h"
#include "src/sample/shapes.h"
#include "tests/support/target_sweep.h"
#include "tests/support/temporary_file.h"

namespace headrace::bench {
namespace {

// Test runners take this for "could not be tried".
constexpr int kExitSkipped = 77;

struct Case {
  std::string_view name;
  std::string_view shape;  // of gen
  uint64_t num_records;    // few: callgrind takes fifty times as long
  bool shuffled = false;
  uint64_t lacking = 0;  // every so many records lack a feature, always another
  std::vector<std::string> features = {};  // empty: all
  // Features are tensors without defaults, and rows that lack one are skipped.
  bool skips = false;
  bool framing_only = false;
  bool json_lines = false;
};

const std::vector<Case>& Cases() {
  static const auto* const cases = new std::vector<Case>{
      {.name = "floats", .shape = "floats", .num_records = 900},
      {.name = "ids", .shape = "ids", .num_records = 900},
      {.name = "hashes", .shape = "hashes", .num_records = 1500},
      {.name = "criteo", .shape = "criteo", .num_records = 1500},
      {.name = "criteo-shuffled",
       .shape = "criteo",
       .num_records = 1500,
       .shuffled = true},
      {.name = "criteo-6",
       .shape = "criteo",
       .num_records = 2000,
       .features = {"C26", "C3", "F20", "F5", "I1", "I7"}},
      {.name = "criteo-6-shuffled",
       .shape = "criteo",
       .num_records = 1000,
       .shuffled = true,
       .features = {"C26", "C3", "F20", "F5", "I1", "I7"}},
      {.name = "scalars", .shape = "scalars", .num_records = 1200},
      {.name = "scalars-lacking",
       .shape = "scalars",
       .num_records = 1200,
       .lacking = 1},
      {.name = "scalars-lacking-2",
       .shape = "scalars",
       .num_records = 1200,
       .lacking = 2},
      {.name = "scalars-good",
       .shape = "scalars",
       .num_records = 1200,
       .skips = true},
      {.name = "scalars-skipped",
       .shape = "scalars",
       .num_records = 1200,
       .lacking = 10,
       .skips = true},
      {.name = "ragged", .shape = "ragged", .num_records = 3000},
      {.name = "sequence", .shape = "sequence", .num_records = 1000},
      {.name = "framing",
       .shape = "criteo",
       .num_records = 2500,
       .framing_only = true},
      {.name = "criteo-json",
       .shape = "criteo",
       .num_records = 500,
       .json_lines = true},
  };
  return *cases;
}

Status WriteRecords(const Case& wanted, const std::string& path) {
  const auto shapes = sample::Shapes();
  const auto shape = std::find_if(
      shapes.begin(), shapes.end(),
      [&](const sample::Shape& known) { return known.name == wanted.shape; });
  if (shape == shapes.end()) {
    return Status(ErrorCode::kInvalidArgument, "no such shape");
  }
  Result<RecordWriter> writer = RecordWriter::Open(path);
  if (!writer.ok()) return writer.status();
  sample::ExampleBuilder builder;
  for (uint64_t i = 0; i < wanted.num_records; ++i) {
    sample::Random random(1, i);
    shape->build(i, &random, &builder);
    if (wanted.lacking > 0 && i % wanted.lacking == 0) {
      sample::DropKey(&random, &builder);
    }
    if (wanted.shuffled) sample::ShuffleKeys(&random, &builder);
    const Status status = writer->Write(builder.Finish());
    if (!status.ok()) return status;
  }
  return writer->Close();
}

// Callgrind counts between the entry of a function called CountedPass and its
// return. Finding columns, opening and the first records, during which memory
// grows, come before.

[[gnu::noinline]] Result<uint64_t> CountedPass(Reader* reader) {
  for (;;) {
    const auto batch = reader->Next();
    if (!batch.ok()) return batch.status();
    if (!batch) return reader->num_records();
  }
}

[[gnu::noinline]] Result<uint64_t> CountedPass(RecordReader* reader) {
  for (uint64_t count = 0;; ++count) {
    const auto record = reader->Next();
    if (!record.ok()) return record.status();
    if (!record) return count;
  }
}

[[gnu::noinline]] Result<uint64_t> CountedPass(RecordReader* reader,
                                               JsonLineWriter* writer,
                                               std::string* line) {
  for (uint64_t count = 0;; ++count) {
    const auto record = reader->Next();
    if (!record.ok()) return record.status();
    if (!record) return count;
    line->clear();
    const Status status = writer->Append(record->payload, line);
    if (!status.ok()) return status;
  }
}

Result<Reader> OpenTensors(const std::string& path) {
  const Result<Reader> found = Reader::Open({path}, {.sample = 256});
  if (!found.ok()) return found.status();
  FeatureSpec spec;
  for (const ColumnField& column : found->columns()) {
    spec.Add(column.name, FixedLen(static_cast<DType>(column.kind)));
  }
  const Result<Plan> plan = Plan::Compile(spec);
  if (!plan.ok()) return plan.status();
  return Reader::Open({path}, *plan, {.on_row_error = OnRowError::kSkip});
}

Result<uint64_t> DecodeFile(const std::string& path, const Case& wanted) {
  Result<Reader> reader =
      wanted.skips
          ? OpenTensors(path)
          : Reader::Open({path}, {.sample = 256, .features = wanted.features});
  if (!reader.ok()) return reader.status();
  for (int i = 0; i < 2; ++i) {
    const auto batch = reader->Next();
    if (!batch.ok()) return batch.status();
  }
  return CountedPass(&*reader);
}

Result<uint64_t> FrameFile(const std::string& path) {
  Result<RecordReader> reader = RecordReader::Open(path);
  if (!reader.ok()) return reader.status();
  return CountedPass(&*reader);
}

Result<uint64_t> WriteLines(const std::string& path) {
  Result<RecordReader> reader = RecordReader::Open(path);
  if (!reader.ok()) return reader.status();
  JsonLineWriter writer(MessageType::kExample);
  std::string line;
  constexpr int kRecordsBefore = 64;
  for (int i = 0; i < kRecordsBefore; ++i) {
    const auto record = reader->Next();
    if (!record.ok()) return record.status();
    const Status status = writer.Append(record->payload, &line);
    if (!status.ok()) return status;
  }
  const auto count = CountedPass(&*reader, &writer, &line);
  if (!count.ok()) return count.status();
  return *count + kRecordsBefore;
}

int Run(const Case& wanted) {
  // Valgrind has no AVX-512; asked for by name, the target is also the same
  // where it is run without.
  const std::vector<testing::Target> targets = testing::RunnableTargets();
  const auto target = std::find_if(
      targets.begin(), targets.end(),
      [](const testing::Target& known) { return known.name == "AVX2"; });
  if (target == targets.end()) {
    std::fprintf(stderr, "regress_cases: no AVX2 here\n");
    return kExitSkipped;
  }
  const testing::ScopedTarget scope(*target);
  const testing::TemporaryFile file("");
  Status status = WriteRecords(wanted, file.path());
  if (status.ok()) {
    const Result<uint64_t> count = wanted.framing_only ? FrameFile(file.path())
                                   : wanted.json_lines
                                       ? WriteLines(file.path())
                                       : DecodeFile(file.path(), wanted);
    if (count.ok() && *count == wanted.num_records) return 0;
    status = count.ok()
                 ? Status(ErrorCode::kInvalidArgument, "records are missing")
                 : count.status();
  }
  std::fprintf(stderr, "regress_cases: %s: %s\n", wanted.name.data(),
               status.ToString().c_str());
  return 1;
}

// A thread has memory of its own. In that of the process Highway's timer, which
// tries itself out before main, leaves holes that differ from run to run, and
// the counts of memcmp depend on where in a page its operands lie.
int RunApart(const Case& wanted) {
  int code = 1;
  std::thread([&] {
    try {
      code = Run(wanted);
    } catch (const std::exception& error) {
      // A temporary file could not be made.
      std::fprintf(stderr, "regress_cases: %s\n", error.what());
    }
  }).join();
  return code;
}

// Counts of different compilers cannot be compared.
void PrintCompiler() {
#if !defined(__OPTIMIZE__)
  const char* const how = "-unoptimized";
#elif !defined(NDEBUG)
  const char* const how = "-asserts";
#else
  const char* const how = "";
#endif
#if defined(__clang__)
  std::printf("clang-%d%s\n", __clang_major__, how);
#elif defined(__GNUC__)
  std::printf("gcc-%d%s\n", __GNUC__, how);
#else
  std::printf("unknown%s\n", how);
#endif
}

int Main(int argc, char** argv) {
  const std::string_view name = argc == 2 ? argv[1] : "";
  if (name == "--compiler") {
    PrintCompiler();
    return 0;
  }
  if (name == "--list") {
    for (const Case& known : Cases()) std::puts(known.name.data());
    return 0;
  }
  for (const Case& known : Cases()) {
    if (known.name == name) return RunApart(known);
  }
  std::fprintf(stderr, "usage: regress_cases CASE | --list | --compiler\n");
  return 2;
}

}  // namespace
}  // namespace headrace::bench

int main(int argc, char** argv) { return headrace::bench::Main(argc, argv); }
