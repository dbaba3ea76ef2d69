// headrace gen: makes sample data, the same for a seed on every machine.

#include <filesystem>
#include <system_error>

#include "absl/strings/substitute.h"
#include "headrace/output_file.h"
#include "headrace/record_writer.h"
#include "src/base/json/json_writer.h"
#include "src/cli/options.h"
#include "src/cli/output/output_name.h"
#include "src/cli/process/signals.h"
#include "src/cli/progress.h"
#include "src/cli/text/display_text.h"
#include "src/sample/shapes.h"

namespace headrace::cli {
namespace {

constexpr char kSplit[] = "train";

// Writes records as a folder that TFDS (TensorFlow Datasets) reads. The folder
// has one split, to whose files the records are written in turn. Without Close
// the folder has no files.
class FolderWriter {
 public:
  // Makes the folder; kInvalidArgument if it exists and is not empty. `name` is
  // the name of the dataset, `features` the text of features.json.
  static Result<FolderWriter> Open(const std::string& folder,
                                   const std::string& name,
                                   const std::string& features,
                                   uint64_t shards);

  Status Write(std::string_view payload);
  Status Close();
  uint64_t num_bytes() const { return records_->num_bytes(); }

 private:
  FolderWriter() = default;
  std::string InfoText() const;

  std::string folder_;
  std::string name_;
  std::string features_;
  uint64_t shards_ = 1;
  std::unique_ptr<RecordSink> records_;
  uint64_t num_records_ = 0;
  uint64_t payload_bytes_ = 0;
};

Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const bool is_empty = !error && std::filesystem::is_empty(folder, error);
  if (error) {
    return Status(
        ErrorInfo{.code = ErrorCode::kIo,
                  .message = "cannot be made a folder: " + error.message(),
                  .file = folder,
                  .system_error = error.value()});
  }
  if (is_empty) return Status();
  return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                          .message = "holds files already; name a new folder",
                          .file = folder});
}

// Writes a file, which gets its name later, when it is committed.
Result<OutputFile> PrepareText(const std::string& path, std::string_view text) {
  Result<OutputFile> file = OpenOutput(path);
  if (!file) return file;
  Status status = file->Write(text);
  if (status.ok()) status = file->Finish();
  if (!status.ok()) return status;
  return file;
}

Result<FolderWriter> FolderWriter::Open(const std::string& folder,
                                        const std::string& name,
                                        const std::string& features,
                                        uint64_t shards) {
  if (Status status = MakeFolder(folder); !status.ok()) return status;
  std::string path = folder + "/" + name + "-";
  path.append(kSplit).append(".tfrecord");
  const auto paths = OutputPaths(path, shards, shards);
  if (!paths) return paths.status();
  auto records = OpenTfrecordSink(*paths, {});
  if (!records) return records.status();
  FolderWriter writer;
  writer.folder_ = folder;
  writer.name_ = name;
  writer.features_ = features;
  writer.shards_ = shards;
  writer.records_ = *std::move(records);
  return writer;
}

Status FolderWriter::Write(std::string_view payload) {
  ++num_records_;
  payload_bytes_ += payload.size();
  return records_->WritePayload(payload);
}

std::string FolderWriter::InfoText() const {
  std::string lengths;
  for (uint64_t i = 0; i < shards_; ++i) {
    // The first files have one record more than the others if the records
    // cannot be divided equally.
    const uint64_t more = i < num_records_ % shards_ ? 1 : 0;
    lengths += i == 0 ? "\"" : ", \"";
    lengths += std::to_string(num_records_ / shards_ + more) + "\"";
  }
  return absl::Substitute(R"({
  "fileFormat": "tfrecord",
  "name": "$0",
  "splits": [{
    "filepathTemplate": "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}",
    "name": "$1",
    "numBytes": "$2",
    "shardLengths": [$3]
  }],
  "version": "1.0.0"
}
)",
                          name_, kSplit, payload_bytes_, lengths);
}

Status FolderWriter::Close() {
  std::vector<OutputFile> texts;
  const std::pair<const char*, std::string> named[] = {
      {"/features.json", features_}, {"/dataset_info.json", InfoText()}};
  for (const auto& [name, text] : named) {
    Result<OutputFile> file = PrepareText(folder_ + name, text);
    if (!file) return file.status();
    texts.push_back(*std::move(file));
  }
  Status status = records_->Close();
  for (OutputFile& file : texts) {
    if (status.ok()) status = file.Close();
  }
  return status;
}

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
// The maximum number of shards of a folder: they are all open at the same time.
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
    return kBothWantOutput;
  }
  if (IsTerminal(path)) {
    return "binary data is not for a terminal; name a file";
  }
  return "";
}

// Works for both kinds of writers, once they are open. Returns the bytes.
template <class Writer>
Result<uint64_t> WriteAll(const GenOptions& options, uint64_t count,
                          Result<Writer> writer) {
  if (!writer) return writer.status();
  Status status = WriteRecords(options, count, &*writer);
  if (status.ok()) status = writer->Close();
  if (!status.ok()) return status;
  return writer->num_bytes();
}

Result<uint64_t> WriteOutput(const GenOptions& options, uint64_t count) {
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
  const Result<uint64_t> bytes = WriteOutput(options, count);
  if (!bytes) {
    return path == "-" ? ExitCodeOfOutput(bytes.status())
                       : Complain(bytes.status());
  }
  WarnOfStaleIndexes({&path, 1}, Console(options.quiet));
  Console(options.quiet)
      .Note("wrote " + Counted(count, "record") + ", " + ByteSize(*bytes) +
            ", to " + path);
  if (!options.json) return kExitOk;
  return PrintLines(JsonObject([&](JsonWriter& json) {
                      json.Add("path", path);
                      json.Add("records", count);
                      json.Add("bytes", *bytes);
                    }) +
                    "\n");
}

}  // namespace

void AddGen(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<GenOptions>(
      app, action, "gen", "Write sample data",
      "Shapes, and how many records they have by default:\n" + ListOfShapes() +
          "\n"
          "Example:\n"
          "  headrace gen people.tfrecord",
      Gen);
  AddText(verb, "OUT", &options->file, "",
          "The file to write; .gz, .zst, .zz and .snappy compress; - is "
          "standard output. For a shape that is a folder: the folder");
  AddText(verb, "-o,--output", &options->output, "OUT", "The same");
  std::vector<std::pair<std::string_view, const sample::Shape*>> shapes;
  for (const sample::Shape& shape : sample::Shapes()) {
    shapes.emplace_back(shape.name, &shape);
  }
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
}

}  // namespace headrace::cli
