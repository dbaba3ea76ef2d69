// headrace gen makes sample data, the same for a seed on every machine.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "headrace/json_text.h"
#include "headrace/record_writer.h"
#include "src/cli/console.h"
#include "src/cli/options.h"
#include "src/cli/output_name.h"
#include "src/cli/progress.h"
#include "src/cli/record_output.h"
#include "src/cli/signals.h"
#include "src/cli/text/display_text.h"
#include "src/cli/verbs/gen_shapes.h"

namespace headrace::cli {
namespace {

struct GenOptions {
  std::string file;    // OUT
  std::string output;  // --output
  const Shape* shape = nullptr;
  uint64_t records = kUnknown;  // the default of the shape
  uint64_t seed = 0;
  RecordOutput stored;
  bool shuffle_keys = false;
  bool list_shapes = false;
  bool json = false;
  bool quiet = false;
};

Status WriteRecords(const GenOptions& options, uint64_t count,
                    RecordWriter* writer) {
  Progress progress("gen", Console(options.quiet));
  ExampleBuilder builder;
  for (uint64_t i = 0; i < count; ++i) {
    Random random(options.seed, i);
    options.shape->build(i, &random, &builder);
    if (options.shuffle_keys) ShuffleKeys(&random, &builder);
    Status status = writer->Write(builder.Finish());
    if (!status.ok()) return status;
    progress.Update(writer->num_bytes(), i + 1, count);
  }
  return Status();
}

std::string ListOfShapes() {
  std::string text;
  for (const Shape& shape : Shapes()) {
    text += "  " + Padded(shape.name, 10, false) + shape.text + " (" +
            Grouped(shape.records) + ")\n";
  }
  return text;
}

// Gives what is wrong with the options; empty when they make sense together.
std::string Contradiction(const GenOptions& options) {
  const std::string& path = options.output;
  if (path.empty()) {
    return "gen needs the name of a file to write: headrace gen "
           "people.tfrecord";
  }
  if (!options.file.empty() && options.file != path) {
    return "gen writes one file: OUT or --output, not both";
  }
  if (options.json && path == "-") {
    return "--json and -o - both want standard output";
  }
  if (IsTerminal(path)) {
    return "a terminal is no place for binary data; name a file";
  }
  return "";
}

ExitCode Gen(GenOptions options) {
  if (options.list_shapes) return Print(ListOfShapes());
  if (options.output.empty()) options.output = options.file;
  const std::string wrong = Contradiction(options);
  if (!wrong.empty()) return ComplainUsage("gen", wrong);
  const std::string& path = options.output;
  Result<RecordWriter> writer =
      RecordWriter::Open(path, options.stored.WriterOptions(path));
  if (!writer) return Complain(writer.status());
  const uint64_t count =
      options.records == kUnknown ? options.shape->records : options.records;
  Status status = WriteRecords(options, count, &*writer);
  if (status.ok()) status = writer->Close();
  if (!status.ok()) {
    return path == "-" ? ExitCodeOfOutput(status) : Complain(status);
  }
  Console(options.quiet)
      .Note("wrote " + Counted(count, "record") + ", " +
            ByteSize(writer->num_bytes()) + ", to " + path);
  if (!options.json) return kExitOk;
  std::string json = "{\"path\":";
  AppendJsonString(path, &json);
  return PrintLines(json + ",\"records\":" + std::to_string(count) +
                    ",\"bytes\":" + std::to_string(writer->num_bytes()) +
                    "}\n");
}

}  // namespace

void AddGen(CLI::App* app, Action* action) {
  auto options = std::make_shared<GenOptions>();
  CLI::App* const verb = AddVerb(app, "gen", "Write sample data");
  AddText(verb, "OUT", &options->file, "",
          "The file to write; .gz, .zst, .zz and .snappy compress; - is "
          "standard output");
  AddText(verb, "-o,--output", &options->output, "OUT", "The same");
  std::vector<std::pair<std::string, const Shape*>> shapes;
  for (const Shape& shape : Shapes()) shapes.emplace_back(shape.name, &shape);
  options->shape = shapes.front().second;
  AddEnum<const Shape*>(verb, "--shape", &options->shape, shapes,
                        "What the records hold (default people)");
  AddFlag(verb, "--shapes", &options->list_shapes,
          "List the shapes, and how many records each has by default");
  AddCountOption(verb, "--records", &options->records,
                 "How many records (default: by the shape)");
  AddCountOption(verb, "--seed", &options->seed,
                 "Another seed, other values (default 0)");
  AddRecordOutput(verb, &options->stored,
                  "Of the output (default: by its name)");
  AddCompressingThreads(verb, &options->stored);
  AddFlag(verb, "--shuffle-keys", &options->shuffle_keys,
          "Features of every record in an order of its own");
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
