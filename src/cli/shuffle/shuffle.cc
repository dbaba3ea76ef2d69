// headrace shuffle: writes the same records in a random order.

#include <chrono>
#include <memory>
#include <utility>

#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/output/output_name.h"
#include "src/cli/output/remote_output.h"
#include "src/cli/shuffle/shuffler.h"
#include "src/cli/text/byte_size.h"
#include "src/cli/text/display_text.h"
#include "src/cli/verbs/overwrites_input.h"

namespace headrace::cli {
namespace {

constexpr uint64_t kMaxShards = 10000;

constexpr uint64_t kMinMemory = uint64_t{16} << 20;

// The folder of a device or a pipe is not a place for files.
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
  const auto bytes = static_cast<double>(shuffler.num_bytes());
  const double rate = seconds > 0 ? bytes / 1e6 / seconds : 0;
  return Counted(shuffler.num_records(), "record") + ", " +
         ByteSize(shuffler.num_bytes()) + ", shuffled into " +
         Counted(num_files, "file") + " in " + Decimal(seconds, 2) + " s (" +
         Decimal(rate, 1) + " MB/s)";
}

ExitCode RunShuffle(ShuffleOptions options) {
  if (const Status found = FindFolders(&options.input); !found.ok()) {
    return Complain(found);
  }
  Result<std::vector<std::string>> inputs = FindInputs(options.input);
  if (!inputs) return Complain(inputs.status());
  Result<std::vector<std::string>> outputs =
      OutputPaths(options.output, options.shards, kMaxShards);
  if (!outputs) return ComplainUsage("shuffle", outputs.status().message());
  for (const std::string& output : *outputs) {
    if (IsOneOf(output, *inputs)) {
      return ComplainUsage("shuffle", output + " is one of the inputs");
    }
    if (IsTerminal(output)) {
      return ComplainUsage("shuffle",
                           "binary data is not for a terminal; give -o a file");
    }
  }
  const std::string& first = outputs->front();
  const std::string folder = FolderBeside(options, first);
  const std::vector<std::string> written = *outputs;
  const RecordWriterOptions stored = options.stored.WriterOptions(first);
  Result<ShardWriter> out = ShardWriter::Open(*std::move(outputs), stored);
  if (!out) return Complain(out.status());
  const Console console(options.input.quiet);
  const auto start = std::chrono::steady_clock::now();
  Shuffler shuffler(options, folder, console, &*out);
  Status status = shuffler.Run();
  if (status.ok()) status = out->Close();
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  if (!status.ok() && options.output == "-" && StandardOutputIsGone()) {
    return kExitOk;
  }
  ListLosses(shuffler.report(), console);
  if (!status.ok()) return Complain(status);
  WarnOfStaleIndexes(written, console);
  console.Note(SummaryText(shuffler, written.size(), elapsed.count()));
  return kExitOk;
}

void AddMemory(CLI::App* verb, uint64_t* memory) {
  const auto parse = [memory](const std::string& given) {
    const std::optional<uint64_t> bytes = ParseByteSize(given);
    if (!bytes || *bytes < kMinMemory || *bytes > ~size_t{0} / 2) {
      return false;
    }
    *memory = *bytes / sizeof(uint64_t) * sizeof(uint64_t);
    return true;
  };
  AddParsed(verb, "--memory", "SIZE", "bytes, like 256M or 2G, at least 16M",
            parse,
            "Memory to keep records in (default 1G); K, M, G and T are powers "
            "of 1024");
}

}  // namespace

void AddShuffle(CLI::App* app, Action* action) {
  auto options = std::make_shared<ShuffleOptions>();
  CLI::App* const verb =
      AddVerb(app, "shuffle", "Write the records in a random order");
  AddFiles(verb, &options->input);
  Require(AddText(verb, "-o,--output", &options->output, "OUT[@N]",
                  "The file to write, or the N files OUT-00000-of-0000N ...; - "
                  "is standard output"));
  AddCountOption(verb, "--shards", &options->shards,
                 "Write N files; x.gz is x-00000-of-0000N.gz and so on");
  AddCountOption(verb, "--seed", &options->seed,
                 "Another seed, another order (default 0)");
  AddMemory(verb, &options->memory);
  AddText(verb, "--temp", &options->temporary_folder, "DIR",
          "The folder for what does not fit in memory (default: that of the "
          "output)");
  AddRecordOutput(verb, &options->stored,
                  "Of the output (default: by its name)");
  AddCompressingThreads(verb, &options->stored);
  AddPolicies(verb, &options->input, /*has_rows=*/false);
  Finish(verb,
         "The order depends on the sequence of the records and the seed alone. "
         "Shards\n"
         "have the records one after another. The output gets its name when it "
         "is\n"
         "complete; after a failure there is none.\n"
         "\n"
         "Example:\n"
         "  headrace shuffle 'day-*.tfrecord.gz' -o train@64.tfrecord.gz",
         action, [options] { return RunShuffle(*options); });
}

}  // namespace headrace::cli
