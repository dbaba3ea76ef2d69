// headrace shuffle: writes the same records in a random order.

#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/output/output_name.h"
#include "src/cli/output/remote_output.h"
#include "src/cli/shuffle/shuffler.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

constexpr uint64_t kMaxOutputs = 10000;

constexpr uint64_t kMinMemory = uint64_t{16} << 20;

constexpr char kShuffleNotes[] =
    R"(The order depends only on the sequence of the records and the seed.
Shards have the records one after another. The output gets its name when
it is complete; after a failure there is none.

Example:
  headrace shuffle 'day-*.tfrecord.gz' -o train@64.tfrecord.gz)";

// Returns the folder for temporary files; that of a device or a pipe is not a
// place for files.
std::string FolderBeside(const ShuffleOptions& options,
                         const std::string& output) {
  if (!options.temporary_folder.empty()) return options.temporary_folder;
  if (output == "-" || IsDeviceOrPipe(output)) {
    return TemporaryFolder();
  }
  const size_t slash = output.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : output.substr(0, slash);
}

std::string SummaryText(const Shuffler& shuffler, size_t num_files,
                        double seconds) {
  return Counted(shuffler.num_records(), "record") + ", " +
         ByteSize(shuffler.num_bytes()) + ", shuffled into " +
         Counted(num_files, "file") + SpeedText(shuffler.num_bytes(), seconds);
}

ExitCode RunShuffle(ShuffleOptions options) {
  const auto inputs = FindFoldersAndFiles(&options.input);
  if (!inputs) return Complain(inputs.status());
  Result<std::vector<std::string>> outputs =
      OutputPaths(options.output, options.shards, kMaxOutputs);
  if (!outputs) return ComplainUsage("shuffle", outputs.status().message());
  for (const std::string& output : *outputs) {
    if (IsOneOf(output, *inputs)) {
      return ComplainUsage("shuffle", output + " is one of the inputs");
    }
    if (IsTerminal(output)) {
      return ComplainUsage("shuffle", kNotForTerminal);
    }
  }
  const std::string& first = outputs->front();
  const std::string folder = FolderBeside(options, first);
  const std::vector<std::string> written = *outputs;
  const RecordWriterOptions stored = options.stored.WriterOptions(first);
  Result<ShardWriter> out = ShardWriter::Open(*std::move(outputs), stored);
  if (!out) return Complain(out.status());
  options.memory -= options.memory % sizeof(uint64_t);
  const Console console = options.input.console();
  const Stopwatch watch;
  Shuffler shuffler(options, folder, console, &*out);
  Status status = shuffler.Run();
  if (status.ok()) status = out->Close();
  const double seconds = watch.Seconds();
  if (!status.ok() && options.output == "-" && StandardOutputIsGone()) {
    return kExitOk;
  }
  ListLosses(shuffler.report(), console);
  if (!status.ok()) return Complain(status);
  WarnOfStaleIndexes(written, console);
  console.Note(SummaryText(shuffler, written.size(), seconds));
  return kExitOk;
}

}  // namespace

void AddShuffle(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<ShuffleOptions>(
      app, action, "shuffle", "Write the records in a random order",
      kShuffleNotes, RunShuffle);
  AddFiles(verb, &options->input);
  Require(AddText(verb, "-o,--output", &options->output, "OUT[@N]",
                  "The file to write, or the N files OUT-00000-of-0000N ...; - "
                  "is standard output"));
  AddCountOption(verb, "--shards", &options->shards,
                 "Write N files; x.gz is x-00000-of-0000N.gz and so on");
  AddCountOption(verb, "--seed", &options->seed,
                 "Another seed, another order (default 0)");
  AddByteSize(
      verb, "--memory", &options->memory, {kMinMemory, ~size_t{0} / 2},
      "bytes, like 256M or 2G, at least 16M",
      "Memory to keep records in (default 1G); K, M, G and T are powers "
      "of 1024");
  AddText(verb, "--temp", &options->temporary_folder, "DIR",
          "The folder for what does not fit in memory (default: that of the "
          "output)");
  AddRecordOutput(verb, &options->stored,
                  "Of the output (default: by its name)");
  AddCompressingThreads(verb, &options->stored);
  AddPolicies(verb, &options->input, /*has_rows=*/false);
}

}  // namespace headrace::cli
