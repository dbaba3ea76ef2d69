// headrace gen: makes sample data, the same for a seed on every machine.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "headrace/record_writer.h"
#include "src/base/json/json_writer.h"
#include "src/cli/options.h"
#include "src/cli/output/output_name.h"
#include "src/cli/output/record_output.h"
#include "src/cli/process/console.h"
#include "src/cli/process/signals.h"
#include "src/cli/progress.h"
#include "src/cli/text/display_text.h"
#include "src/cli/verbs/gen_folder.h"
#include "src/sample/shapes.h"

namespace headrace::cli {
namespace {

struct GenOptions {
  std::string file;    // OUT
  std::string output;  // --output
  const sample::Shape* shape = nullptr;
  uint64_t records = kUnknown;  // the default of the shape
  uint64_t seed = 0;
  uint64_t shards = 0;  // of a folder; 0: not given
  RecordOutput stored;
  bool shuffle_keys = false;
  bool list_shapes = false;
  bool json = false;
  bool quiet = false;
};

// The writer is a RecordWriter or a FolderWriter.
template <class Writer>
Status WriteRecords(const GenOptions& options, uint64_t count, Writer* writer) {
  Progress progress("gen", Console(options.quiet));
  sample::ExampleBuilder builder;
  for (uint64_t i = 0; i < count; ++i) {
    sample::Random random(options.seed, i);
    options.shape->build(i, &random, &builder);
    if (options.shuffle_keys) sample::ShuffleKeys(&random, &builder);
    Status status = writer->Write(builder.Finish());
    if (!status.ok()) return status;
    progress.Update(writer->num_bytes(), i + 1, count);
  }
  return Status();
}

std::string ListOfShapes() {
  std::string text;
  for (const sample::Shape& shape : sample::Shapes()) {
    text += "  " + Padded(shape.name, 10, false) + shape.text + " (" +
            Grouped(shape.records) + ")\n";
  }
  return text;
}

// Shards of a folder without --shards.
constexpr uint64_t kDefaultShards = 4;
// Maximum shards of a folder, which are all open at the same time.
constexpr uint64_t kMaxFolderFiles = 512;

bool IsPlain(const RecordOutput& stored) {
  return !stored.has_blocks_or_level() &&
         (stored.compression == Compression::kAuto ||
          stored.compression == Compression::kNone);
}

// Returns what is wrong with the options; empty if they make sense together.
std::string Contradiction(const GenOptions& options) {
  const std::string& path = options.output;
  if (path.empty()) {
    return "gen needs the name of a file to write: headrace gen "
           "people.tfrecord";
  }
  if (!options.file.empty() && options.file != path) {
    return "gen writes one file: OUT or --output, not both";
  }
  const std::string shape = options.shape->name;
  if (options.shape->features == nullptr) {
    if (options.shards > 0) return "--shards is for a shape that is a folder";
  } else if (path == "-") {
    return "the shape " + shape + " is a folder; name one, such as " + shape +
           "/1.0.0";
  } else if (!IsPlain(options.stored)) {
    return "files in a folder of TFDS are not compressed";
  } else if (options.shards > kMaxFolderFiles) {
    return "--shards is at most " + std::to_string(kMaxFolderFiles);
  }
  if (options.json && path == "-") {
    return "--json and -o - both want standard output";
  }
  if (IsTerminal(path)) {
    return "binary data is not for a terminal; name a file";
  }
  return "";
}

struct Written {
  Status status;
  uint64_t bytes = 0;
};

// Works for both kinds of writers, once they are open.
template <class Writer>
Written WriteAll(const GenOptions& options, uint64_t count,
                 Result<Writer> writer) {
  if (!writer) return {.status = writer.status()};
  Status status = WriteRecords(options, count, &*writer);
  if (status.ok()) status = writer->Close();
  return {.status = status, .bytes = writer->num_bytes()};
}

Written WriteOutput(const GenOptions& options, uint64_t count) {
  const std::string& path = options.output;
  if (options.shape->features == nullptr) {
    return WriteAll(
        options, count,
        RecordWriter::Open(path, options.stored.WriterOptions(path)));
  }
  const uint64_t shards = options.shards > 0 ? options.shards : kDefaultShards;
  return WriteAll(options, count,
                  FolderWriter::Open(path, options.shape->name,
                                     options.shape->features(), shards));
}

ExitCode Gen(GenOptions options) {
  if (options.list_shapes) return Print(ListOfShapes());
  if (options.output.empty()) options.output = options.file;
  const std::string wrong = Contradiction(options);
  if (!wrong.empty()) return ComplainUsage("gen", wrong);
  const std::string& path = options.output;
  const uint64_t count =
      options.records == kUnknown ? options.shape->records : options.records;
  const Written written = WriteOutput(options, count);
  if (!written.status.ok()) {
    return path == "-" ? ExitCodeOfOutput(written.status)
                       : Complain(written.status);
  }
  WarnOfStaleIndexes({&path, 1}, Console(options.quiet));
  Console(options.quiet)
      .Note("wrote " + Counted(count, "record") + ", " +
            ByteSize(written.bytes) + ", to " + path);
  if (!options.json) return kExitOk;
  return PrintLines(JsonObject([&](JsonWriter& json) {
                      json.Add("path", path);
                      json.Add("records", count);
                      json.Add("bytes", written.bytes);
                    }) +
                    "\n");
}

}  // namespace

void AddGen(CLI::App* app, Action* action) {
  auto options = std::make_shared<GenOptions>();
  CLI::App* const verb = AddVerb(app, "gen", "Write sample data");
  AddText(verb, "OUT", &options->file, "",
          "The file to write; .gz, .zst, .zz and .snappy compress; - is "
          "standard output. For a shape that is a folder: the folder");
  AddText(verb, "-o,--output", &options->output, "OUT", "The same");
  std::vector<std::pair<std::string, const sample::Shape*>> shapes;
  for (const sample::Shape& shape : sample::Shapes())
    shapes.emplace_back(shape.name, &shape);
  options->shape = shapes.front().second;
  AddEnum<const sample::Shape*>(
      verb, "--shape", &options->shape, shapes,
      "What the records hold (default people); --shapes "
      "lists all");
  AddFlag(verb, "--shapes", &options->list_shapes,
          "List the shapes, and how many records each has by default");
  AddCountOption(verb, "--records", &options->records,
                 "How many records (default: by the shape)");
  AddCountOption(verb, "--seed", &options->seed,
                 "Another seed, other values (default 0)");
  AddCountOption(verb, "--shards", &options->shards,
                 "How many files a folder has (default 4)");
  AddRecordOutput(verb, &options->stored,
                  "Of the output (default: by its name)");
  AddCompressingThreads(verb, &options->stored);
  AddFlag(verb, "--shuffle-keys", &options->shuffle_keys,
          "Shuffle the order of the features in every record");
  AddJson(verb, &options->json);
  AddQuiet(verb, &options->quiet);
  Finish(verb,
         "Shapes, and how many records they have by default:\n" +
             ListOfShapes() +
             "\n"
             "Example:\n"
             "  headrace gen people.tfrecord",
         action, [options] { return Gen(*options); });
}

}  // namespace headrace::cli
