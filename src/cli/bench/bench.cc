// headrace bench: measures how fast this machine reads the user's own files.

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "src/cli/bench/measure.h"
#include "src/cli/bench/report.h"
#include "src/cli/bench/stages.h"
#include "src/cli/options.h"
#include "src/cli/process/reading_report.h"
#include "src/cli/progress.h"
#include "src/cli/text/argument.h"
#include "src/cli/text/display_text.h"
#include "src/read/reader/build_info.h"

namespace headrace::cli {
namespace {

constexpr size_t kMinRounds = 3;
// More rounds do not move the median.
constexpr size_t kMaxRounds = 1000;
constexpr uint64_t kMaxHeldBytes = uint64_t{256} << 20;

constexpr char kBenchNotes[] =
    R"(Stages: read makes the uncompressed bytes, frame_crc the records with
both CRCs checked, decode makes batches of records in memory (the first
256 MiB of them), all goes from files to batches. They take turns, after
one pass each that does not count. GB/s is of uncompressed bytes, with
framing; standard input and pipes are refused.

Example:
  headrace bench --spec features.json 'train-*.tfrecord.gz')";

struct BenchOptions {
  InputOptions input;
  PlanFile plan_file;
  double seconds = 3;
  bool json = false;
};

uint64_t Milliseconds(double seconds) {
  return static_cast<uint64_t>(std::min(seconds * 1000, 1e15));
}

// Bytes that were read from a pipe or a terminal cannot be read again.
bool CanBeReadOnlyOnce(const std::string& path) {
  struct stat info;
  if (path == "-") return true;
  if (stat(path.c_str(), &info) != 0) return false;
  return S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode);
}

class Bench {
 public:
  Bench(const BenchOptions& options, std::vector<std::string> files,
        std::optional<Plan> plan)
      : options_(options),
        console_(options.input.console()),
        input_{.files = std::move(files),
               .records = ReaderOptionsOf(options.input),
               .batches = options.input,
               .plan = std::move(plan)} {}

  ExitCode Run();

 private:
  // Each run must return `expected`, the count of the first reading.
  struct Pass {
    std::function<Result<uint64_t>()> run;
    uint64_t expected = 0;
  };

  Status ReadAllOnce();
  Status WarmUp();
  void Describe(const FramedTotals& framed);
  Status TimeRounds();
  Status TimePass(BenchStage stage);

  const BenchOptions options_;
  const Console console_;
  BenchInput input_;
  ReadReport report_;
  std::optional<HeldRecords> held_;
  std::array<Pass, kNumBenchStages> passes_;
  BenchResult result_;
};

// The first reading finds the columns, and what is wrong with the data.
Status Bench::ReadAllOnce() {
  Result<Reader> reader =
      OpenReader(input_.files, input_.plan, input_.batches, console_);
  if (!reader) return reader.status();
  Progress progress("bench", console_);
  Pass& all = passes_[kAll];
  uint64_t records = 0;
  auto batch = reader->Next();
  for (; batch; batch = reader->Next()) {
    all.expected += batch->num_rows();
    const uint64_t before = std::exchange(records, reader->num_records());
    if (reader->num_bytes() <= kMaxHeldBytes) {
      input_.batch_records.push_back(static_cast<size_t>(records - before));
    }
    progress.Update(reader->stored_position(), reader->stored_size());
  }
  report_ = reader->report();
  if (!batch.ok()) return batch.status();
  input_.plan = reader->plan();
  all.run = [this] { return ReadBatches(input_); };
  return Status();
}

// Runs every stage once, so that files are cached and memory is allocated.
Status Bench::WarmUp() {
  if (Status status = ReadAllOnce(); !status.ok()) return status;

  Result<FramedTotals> framed = FrameRecords(input_);
  if (!framed) return framed.status();
  passes_[kFrameCrc] = {[this]() -> Result<uint64_t> {
                          Result<FramedTotals> totals = FrameRecords(input_);
                          if (!totals) return totals.status();
                          return totals->records;
                        },
                        framed->records};

  Result<uint64_t> bytes = ReadBytes(input_);
  if (!bytes) return bytes.status();
  passes_[kRead] = {[this] { return ReadBytes(input_); }, *bytes};

  Result<HeldRecords> held =
      HeldRecords::Hold(input_, std::min(framed->bytes, kMaxHeldBytes));
  if (!held) return held.status();
  held_ = *std::move(held);
  Result<uint64_t> rows = held_->Decode();
  if (!rows) return rows.status();
  passes_[kDecode] = {[this] { return held_->Decode(); }, *rows};

  Describe(*framed);
  return Status();
}

void Bench::Describe(const FramedTotals& framed) {
  result_.files = input_.files;
  result_.bytes = framed.bytes;
  result_.records = framed.records;
  result_.is_compressed = framed.is_compressed;
  result_.num_columns =
      input_.plan->columns().size() + input_.plan->tensors().size();
  result_.target = GetBuildInfo().target;
  const uint64_t threads = options_.input.threads;
  result_.threads = threads > 0 ? threads : std::thread::hardware_concurrency();
  for (StageTimes& stage : result_.stages) {
    stage.bytes = framed.bytes;
    stage.records = framed.records;
  }
  result_.stages[kDecode].bytes = held_->num_bytes();
  result_.stages[kDecode].records = held_->num_records();
}

Status Bench::TimePass(BenchStage stage) {
  const Pass& pass = passes_[stage];
  Result<uint64_t> reached = uint64_t{0};
  result_.stages[stage].seconds.push_back(
      SecondsOf([&] { reached = pass.run(); }));
  if (!reached) return reached.status();
  if (*reached == pass.expected) return Status();
  return Status(ErrorCode::kIo, "the files changed while they were read");
}

Status Bench::TimeRounds() {
  const Stopwatch watch;
  Progress progress("bench", console_);
  uint64_t bytes = 0;
  std::vector<double> clocks;
  for (size_t round = 0; round < kMaxRounds; ++round) {
    const double seconds = watch.Seconds();
    if (round >= kMinRounds && seconds >= options_.seconds) break;
    bytes += kNumBenchStages * result_.bytes;
    progress.Update(bytes, Milliseconds(seconds),
                    Milliseconds(options_.seconds));
    clocks.push_back(MeasureClock());
    for (size_t turn = 0; turn < kNumBenchStages; ++turn) {
      // The order rotates, so that no stage always follows the same one.
      const size_t stage = (turn + round) % kNumBenchStages;
      Status status = TimePass(static_cast<BenchStage>(stage));
      if (!status.ok()) return status;
    }
  }
  result_.clock = SpreadOf(std::move(clocks)).median;
  return Status();
}

ExitCode Bench::Run() {
  Status status = WarmUp();
  if (status.ok()) status = TimeRounds();
  ListLosses(report_, console_);
  if (!status.ok()) return Complain(status);
  ListLate(report_, console_);
  result_.late = report_.late;
  if (held_->num_records() < result_.records) {
    console_.Note("decode goes over the first " +
                  Counted(held_->num_records(), "record") +
                  " only: more than " + ByteSize(kMaxHeldBytes) +
                  " of a stream are not held in memory");
  }
  return options_.json ? PrintLines(BenchJson(result_))
                       : Print(BenchText(result_, TerminalWidth(), UseColor()));
}

ExitCode RunBench(BenchOptions options) {
  if (options.input.batch_size == 0) {
    return ComplainUsage("bench", "--batch is at least 1");
  }
  if (!options.plan_file.spec.empty() && !options.input.features.empty()) {
    return ComplainUsage(
        "bench", "--spec names the features; --features is for columns");
  }
  Result<std::vector<std::string>> files = FindInputs(options.input);
  if (!files) return Complain(files.status());
  for (const std::string& file : *files) {
    if (!CanBeReadOnlyOnce(file)) continue;
    return ComplainUsage(file +
                         ": bench reads its files many times; standard input, "
                         "pipes and devices can be read only once");
  }
  std::optional<Plan> plan;
  const Status read = ReadPlan(options.plan_file, options.input.features,
                               &options.input, &plan);
  if (!read.ok()) return Complain(read);
  return Bench(options, *std::move(files), std::move(plan)).Run();
}

}  // namespace

void AddBench(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<BenchOptions>(
      app, action, "bench", "Measure speed on your own files", kBenchNotes,
      RunBench);
  AddFiles(verb, &options->input, "A path, a glob, or a shard set (name@16)");
  AddPlanFile(verb, &options->plan_file,
              "What to decode, instead of columns found from the data");
  AddTensors(verb, &options->plan_file);
  AddNames(verb, "--features", &options->input.features,
           "Only these features, or with --tensors these tensors");
  AddCountOption(
      verb, "--batch", &options->input.batch_size,
      "Rows of a batch (default 256); auto: as many as stay in cache", "auto",
      kAutoBatchSize);
  AddReading(verb, &options->input, {"threads", "index", "write_index"});
  AddParsed(
      verb, "--seconds", "T", "a number of seconds, 0 or more",
      [options = options](const std::string& text) {
        return ParseDecimal(text, &options->seconds);
      },
      "About T seconds, and at least 3 passes per stage (default 3)");
  AddReading(verb, &options->input, {"message", "compression"});
  AddPolicies(verb, &options->input, /*has_rows=*/true);
  AddJson(verb, &options->json);
}

}  // namespace headrace::cli
