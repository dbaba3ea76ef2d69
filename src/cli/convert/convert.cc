// headrace convert: decides what is asked for, and reports at the end what was
// done.

#include "src/cli/convert/convert.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "src/base/json/json_writer.h"
#include "src/base/regular_file.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/output/remote_output.h"
#include "src/cli/process/reading_report.h"
#include "src/cli/progress.h"
#include "src/cli/text/display_text.h"
#include "src/read/files/paths.h"

namespace headrace::cli {
namespace {

// The maximum number of shards: a larger number is probably a typo, and would
// need too many open files.
constexpr uint64_t kMaxShards = 512;

constexpr char kConvertNotes[] =
    R"(Names that say what to write: .arrow .feather .ipc, .arrows .stream,
.parquet .pq, .jsonl .ndjson, .csv, .tfrecord (also .gz and .zst), .tar
(WebDataset). The output gets its name when it is complete; after a
failure there is none. Parquet and WebDataset are written, and Parquet is
read, by Python: python3, or the interpreter that HEADRACE_PYTHON names,
which needs the packages headrace and (for Parquet) pyarrow. A URL, such as
s3://bucket/x.parquet, is written by Python, too, with the credentials of the
environment, or with HEADRACE_STORAGE_OPTIONS, which is storage_options=
of headrace.Writer as JSON.

Example:
  headrace convert 'train-*.tfrecord.gz' -o train.arrow)";

ExitCode Refuse(std::string_view text) {
  return ComplainUsage("convert", text);
}

bool HasJsonlName(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".ndjson") ||
         path.ends_with(".json");
}

// Reads only regular files, since bytes read from a pipe are gone. A TFRecord
// file that begins with a brace has a length whose upper bytes are zero.
bool LooksLikeJson(const std::string& path) {
  if (HasJsonlName(path)) return true;
  if (path == "-" || !IsRegularFile(path)) return false;
  std::array<char, 12> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  const std::string_view text(head.data(), static_cast<size_t>(file.gcount()));
  return text.starts_with('{') && text.find('\0') == std::string_view::npos;
}

InputFormat FormatOfInput(const std::string& path) {
  if (FormatOfName(path) == OutputFormat::kParquet) {
    return InputFormat::kParquet;
  }
  return LooksLikeJson(path) ? InputFormat::kJsonl : InputFormat::kTfrecord;
}

bool IsDirectory(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

// Decides kAuto. Returns false if files are of several kinds.
bool DecideInput(const std::vector<std::string>& files, InputFormat* from) {
  if (*from != InputFormat::kAuto || files.empty()) return true;
  *from = FormatOfInput(files.front());
  return std::ranges::all_of(
      files, [from](const auto& file) { return FormatOfInput(file) == *from; });
}

// Finds the files, and decides whether folders are of Parquet. Only Python
// looks into a folder of Parquet, as the names of folders inside it are values;
// Spark gives such a folder a name like x.parquet.
Result<std::vector<std::string>> FindConvertInputs(ConvertOptions* options) {
  const std::vector<std::string>& patterns = options->input.patterns;
  const auto is_parquet = [](const std::string& path) {
    return FormatOfName(path) == OutputFormat::kParquet && IsDirectory(path);
  };
  if (options->from == InputFormat::kAuto && !patterns.empty() &&
      std::ranges::all_of(patterns, is_parquet)) {
    options->from = InputFormat::kParquet;
  }
  if (options->from != InputFormat::kParquet) {
    return FindFoldersAndFiles(&options->input);
  }
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    if (IsDirectory(pattern)) {
      files.push_back(pattern);
      continue;
    }
    const auto found = FindFiles({&pattern, 1});
    if (!found) return found.status();
    files.insert(files.end(), found->begin(), found->end());
  }
  return files;
}

ExitCode ComplainOfInputs(const Status& status, const ConvertOptions& options) {
  const bool is_folder = status.code() == ErrorCode::kNotFound &&
                         IsDirectory(status.info()->file) &&
                         options.from == InputFormat::kAuto;
  return Complain(status,
                  is_folder ? "--from parquet reads a folder of Parquet" : "");
}

// Starts Python, which turns the Parquet files into records. These are then
// read in place of standard input.
Status ReadParquet(const std::vector<std::string>& files,
                   ConvertOptions* options) {
  std::vector<std::string> arguments = {"records"};
  for (const std::string& file : files) {
    if (file == "-") {
      return Status(ErrorCode::kInvalidArgument,
                    "Parquet cannot be read from standard input, as its end "
                    "says where everything is");
    }
    arguments.push_back(file);
  }
  Result<PythonFilter> filter = PythonFilter::Start(
      "Parquet is read by Python's pyarrow", arguments, PythonFilter::kEmpty);
  if (!filter) return filter.status();
  options->input_filter = std::make_shared<PythonFilter>(*std::move(filter));
  if (dup2(options->input_filter->output().fd(), STDIN_FILENO) < 0) {
    return Status(ErrorCode::kIo, "standard input cannot be replaced");
  }
  options->input_filter->output().Close();
  options->input.patterns = {"-"};
  options->input.compression = Compression::kNone;
  return Status();
}

// Returns what is wrong with the options about columns, which --spec and
// --schema replace; empty if nothing is wrong.
std::string PlanContradiction(const ConvertOptions& options) {
  const std::string name =
      options.plan_file.spec.empty() ? "--schema" : "--spec";
  const bool has_tensors =
      options.plan_file.tensors || options.plan_file.schema.empty();
  if (!options.writes_columns()) {
    return name + " goes with --to arrow, arrow-stream and parquet" +
           (has_tensors ? "" : ", and --to csv");
  }
  if (has_tensors && *options.to == OutputFormat::kCsv) {
    return name + ": tensors go to --to arrow, arrow-stream and parquet only";
  }
  if (options.from == InputFormat::kJsonl) {
    return name + " is for TFRecord input";
  }
  const InputOptions& input = options.input;
  if (!input.features.empty() && options.plan_file.schema.empty()) {
    return "--spec names the features; --features is for columns";
  }
  if (input.sample != kUnknown || input.sample_bytes != kUnknown ||
      input.strict_columns) {
    return name +
           " names the features; --sample, --sample-bytes and "
           "--strict-columns are for columns found from the data";
  }
  return "";
}

bool HasPlan(const ConvertOptions& options) {
  return options.plan_file.is_given() || options.input.dataset != nullptr;
}

// Does the same for indexes of compressed files: only readers of columns use
// them, and write them.
std::string IndexContradiction(const ConvertOptions& options) {
  const InputOptions& input = options.input;
  if (!input.write_index && input.index == IndexUse::kAuto) return "";
  if (!options.writes_columns() || options.from != InputFormat::kTfrecord) {
    return "--index and --write-index are for TFRecord input that becomes --to "
           "arrow, arrow-stream, parquet or csv";
  }
  if (input.write_index && input.range != ByteRange()) {
    return "--write-index needs whole files, not a --range";
  }
  return "";
}

// Replaces auto by what it means for these files, and returns what is wrong
// with the options; empty if they make sense together.
std::string Decide(const std::vector<std::string>& files,
                   ConvertOptions* options) {
  if (!options->to) options->to = FormatOfName(options->output);
  if (!options->to) {
    return "the name " + options->output +
           " does not say what to write; give --to";
  }
  InputOptions& input = options->input;
  const bool to_tfrecord = *options->to == OutputFormat::kTfrecord;
  if (!to_tfrecord && (options->shards > 0 || options->repair)) {
    return "--shards and --repair go with --to tfrecord";
  }
  if (options->bytes_as && !options->to_arrow()) {
    return "--bytes-as goes with --to arrow, arrow-stream and parquet";
  }
  if ((options->parquet.scalars || !options->parquet.text.empty()) &&
      *options->to != OutputFormat::kParquet) {
    return "--scalars and --text go with --to parquet";
  }
  if (*options->to == OutputFormat::kWebdataset &&
      (IsListOfExamples(input.message) || input.message == MessageType::kRaw)) {
    return "--to webdataset is for Examples and SequenceExamples";
  }
  if (options->shards > kMaxShards) {
    return "--shards is at most " + std::to_string(kMaxShards);
  }
  if (input.on_absent != OnAbsent::kWarn && !HasPlan(*options)) {
    return "--on-absent goes with --spec and --schema";
  }
  if (input.batch_size == 0) return "--batch is at least 1";
  const bool to_stdout = options->output == "-";
  if (to_stdout && (options->json || options->shards > 0)) {
    return options->json ? kBothWantOutput : "--shards needs a name, not -o -";
  }
  const bool is_binary = options->writes_payloads() || options->to_arrow();
  if (is_binary && IsTerminal(options->output)) return kNotForTerminal;
  if (!DecideInput(files, &options->from)) {
    return "the inputs are of several formats; give --from";
  }
  if (options->mixed_kinds &&
      (!to_tfrecord || options->from != InputFormat::kJsonl)) {
    return "--mixed-kinds is for JSON lines that become TFRecord";
  }
  if (options->repair && options->from != InputFormat::kTfrecord) {
    return "--repair is for TFRecord input";
  }
  if (input.range != ByteRange() && options->from != InputFormat::kTfrecord) {
    return "--range is for TFRecord input";
  }
  std::string wrong =
      options->plan_file.is_given() ? PlanContradiction(*options) : "";
  if (wrong.empty()) wrong = IndexContradiction(*options);
  if (!wrong.empty()) return wrong;
  if (input.sample == kUnknown) input.sample = ReadOptions().sample;
  if (input.sample_bytes == kUnknown) {
    input.sample_bytes = ReadOptions().sample_bytes;
  }
  if (options->repair) input.on_corrupt = OnCorrupt::kRescan;
  if (!to_tfrecord && options->stored.has_blocks_or_level()) {
    return "--level and --block-size are for TFRecord output";
  }
  if (!to_tfrecord) input.compression = options->stored.compression;
  return "";
}

// Returns the files that an output means: several only for the shards of
// TFRecord.
Result<std::vector<std::string>> PathsOf(const ConvertOptions& options,
                                         const std::string& output) {
  if (*options.to != OutputFormat::kTfrecord || output == "-") {
    return std::vector<std::string>{output};
  }
  return OutputPaths(output, options.shards, kMaxShards);
}

std::string SummaryJson(const ConvertOptions& options,
                        const ConvertTotals& totals, double seconds) {
  return JsonObject([&](JsonWriter& json) {
           json.Add("path", options.output);
           json.Add("records", totals.records);
           json.Add("rows", totals.rows);
           json.Add("bytes", totals.bytes);
           json.Add("output_bytes", totals.output_bytes);
           json.AddRaw("seconds", Decimal(seconds, 6));
           json.AddRaw("mb_per_s",
                       Decimal(MegabytesPerSecond(totals.bytes, seconds), 1));
           json.Add("skipped_regions", totals.report.num_regions);
           json.Add("skipped_rows", totals.report.num_rows);
           json.Add("left_out_lists", totals.report.num_lists_left_out);
           json.AddRaw("late_features", LateJson(totals.report.late));
           json.AddRaw("absent_features", AbsentJson(totals.report.absent));
           json.AddRaw("notices", NoticesJson(totals.report));
         }) +
         "\n";
}

std::string SummaryText(const ConvertTotals& totals, double seconds) {
  return Counted(totals.records, "record") + " read, " +
         Counted(totals.rows, "row") + " written, " + ByteSize(totals.bytes) +
         SpeedText(totals.bytes, seconds);
}

// Returns a hint for standard input, which was assumed to be TFRecord.
std::string_view HintOf(const Status& status, bool from_auto) {
  const bool at_once = IsDamage(status.code()) && status.info()->offset == 0 &&
                       status.info()->file == "<stdin>";
  return from_auto && at_once ? "--from jsonl reads JSON lines" : "";
}

// Plans to read the features of a folder as the folder describes them.
Status PlanFolder(ConvertOptions* options) {
  if (options->writes_columns()) {
    Status status = CheckHasFiles(options->input);
    if (!status.ok()) return status;
  }
  if (!options->input.dataset) return Status();
  // CSV has no tensors.
  if (!options->writes_columns() || *options->to == OutputFormat::kCsv) {
    return ReplaceByKeys(&options->input);
  }
  Result<Plan> plan = PlanOfFolder(options->input, options->input.features);
  if (!plan) return plan.status();
  options->plan = *std::move(plan);
  options->input.features.clear();
  return Status();
}

Status SendOutputs(const ConvertOptions& options, const std::string& url) {
  // The URL names as many files as the temporary name does.
  const auto urls = PathsOf(options, url);
  if (!urls) return urls.status();
  Status first_error;
  for (size_t i = 0; i < urls->size(); ++i) {
    // Each call removes a temporary file, whatever became of the others.
    const Status status = Send(options.outputs[i], (*urls)[i]);
    if (first_error.ok()) first_error = status;
  }
  return first_error;
}

ExitCode RunConvert(ConvertOptions options) {
  Result<std::vector<std::string>> files = FindConvertInputs(&options);
  if (!files) return ComplainOfInputs(files.status(), options);
  const bool from_auto = options.from == InputFormat::kAuto;
  const std::string wrong = Decide(*files, &options);
  if (!wrong.empty()) return Refuse(wrong);
  const std::string wanted = options.output;
  if (IsUrl(wanted)) options.output = TemporaryName(wanted);
  Result<std::vector<std::string>> outputs = PathsOf(options, options.output);
  if (!outputs) return Refuse(outputs.status().message());
  options.outputs = *std::move(outputs);
  for (const std::string& output : options.outputs) {
    if (IsOneOf(output, *files)) {
      return Refuse(output + " is one of the inputs");
    }
  }
  const Console console = options.input.console();
  if (options.from == InputFormat::kParquet) {
    const Status started = ReadParquet(*files, &options);
    if (!started.ok()) return Complain(started);
  }
  const PlanFile& plan_file = options.plan_file;
  if (plan_file.is_given() && IsOneOf(options.output, {plan_file.path()})) {
    return Refuse(options.output + " is the spec or schema");
  }
  Status status = ReadPlan(plan_file, options.input.features, &options.input,
                           &options.plan);
  if (options.plan) {
    options.input.features.clear();
  } else if (status.ok()) {
    status = PlanFolder(&options);
  }
  if (!status.ok()) return Complain(status);
  const Stopwatch watch;
  ConvertTotals totals;
  status = options.writes_columns()
               ? ConvertToColumns(options, console, &totals)
               : ConvertRecords(options, console, &totals);
  if (status.ok() && IsUrl(wanted)) status = SendOutputs(options, wanted);
  options.output = wanted;
  const double seconds = watch.Seconds();
  if (!status.ok() && options.output == "-" && StandardOutputIsGone()) {
    return kExitOk;
  }
  ListLosses(totals.report, console);
  ListLate(totals.report, console);
  if (totals.report.num_late > 0) {
    console.Note("a larger --sample finds more columns; 0 is all records");
  }
  if (!status.ok()) return Complain(status, HintOf(status, from_auto));
  if (*options.to == OutputFormat::kTfrecord && !IsUrl(wanted)) {
    WarnOfStaleIndexes(options.outputs, console);
  }
  console.Note(SummaryText(totals, seconds));
  if (!options.json) return kExitOk;
  return PrintLines(SummaryJson(options, totals, seconds));
}

void AddFormats(CLI::App* verb, ConvertOptions* options) {
  AddEnum<InputFormat>(verb, "--from", &options->from,
                       {{"auto", InputFormat::kAuto},
                        {"tfrecord", InputFormat::kTfrecord},
                        {"jsonl", InputFormat::kJsonl},
                        {"parquet", InputFormat::kParquet}},
                       "The input's format (default auto; standard input is "
                       "assumed to be TFRecord)");
  AddEnum<std::optional<OutputFormat>>(
      verb, "--to", &options->to,
      {{"arrow", OutputFormat::kArrow},
       {"arrow-stream", OutputFormat::kArrowStream},
       {"jsonl", OutputFormat::kJsonl},
       {"csv", OutputFormat::kCsv},
       {"tfrecord", OutputFormat::kTfrecord},
       {"parquet", OutputFormat::kParquet},
       {"webdataset", OutputFormat::kWebdataset}},
      "What to write (default: by the name of the output)");
}

void AddColumnOptions(CLI::App* verb, ConvertOptions* options) {
  AddPlanFile(verb, &options->plan_file,
              "What to read, instead of columns found from the data");
  AddTensors(verb, &options->plan_file);
  AddReading(verb, &options->input, {"on_absent"});
  AddCountOption(verb, "--sample", &options->input.sample,
                 "Find the columns from the first N records (default 10000); "
                 "0 reads the input twice");
  AddCountOption(verb, "--sample-bytes", &options->input.sample_bytes,
                 "... or from those in its first N bytes, uncompressed, if "
                 "they are fewer (default 16 MiB, at most 256 MiB)");
  AddFlag(verb, "--strict-columns", &options->input.strict_columns,
          "A feature that the sample did not show is an error");
  AddNames(verb, "--features", &options->input.features,
           "Only these features, or with --tensors these tensors");
  AddCountOption(verb, "--batch", &options->input.batch_size,
                 "Rows of a record batch (default 1024); auto: as many as stay "
                 "in cache",
                 "auto", kAutoBatchSize);
  AddNamed<BytesAs>(
      verb, "--bytes-as", &options->bytes_as,
      "Arrow type of bytes (default binary); string is an error where a value "
      "is not UTF-8");
}

void AddParquet(CLI::App* verb, ParquetOutput* parquet) {
  AddEnum<std::string>(verb, "--parquet-compression", &parquet->compression,
                       {{"none", "none"},
                        {"snappy", "snappy"},
                        {"gzip", "gzip"},
                        {"zstd", "zstd"},
                        {"lz4", "lz4"},
                        {"brotli", "brotli"}},
                       "Compression of Parquet output (default snappy)");
  AddCountOption(verb, "--row-group", &parquet->row_group_size,
                 "Rows per row group of Parquet (default: as many as fill 128 "
                 "MiB of memory)");
  AddFlag(
      verb, "--scalars", &parquet->scalars,
      "To Parquet: write features with at most one value in the first 10,000 "
      "rows as columns of values, null where there is none, instead of lists");
  AddNames(
      verb, "--text", &parquet->text,
      "To Parquet: write these features, which must be UTF-8, as columns of "
      "strings instead of bytes");
}

}  // namespace

void AddConvert(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<ConvertOptions>(
      app, action, "convert",
      "Write Arrow, Parquet, JSON lines, CSV, TFRecord or WebDataset",
      kConvertNotes, RunConvert);
  options->input.batch_size = 1024;
  // kUnknown means not given: Decide then sets the defaults.
  options->input.sample = kUnknown;
  options->input.sample_bytes = kUnknown;
  AddFiles(verb, &options->input);
  Require(
      AddText(verb, "-o,--output", &options->output, "OUT",
              "The file or URL to write; - is standard output and needs --to"));
  AddFormats(verb, options);
  AddColumnOptions(verb, options);
  AddParquet(verb, &options->parquet);
  AddRecordOutput(verb, &options->stored,
                  "Compression of the output with --to tfrecord (default: by "
                  "its name), otherwise of the input (default auto)");
  AddCountOption(verb, "--shards", &options->shards,
                 "Write the records in turn to TFRecord files "
                 "OUT-00000-of-0000N ...; for x.gz, to x-00000-of-0000N.gz "
                 "..., as -o x@N.gz does");
  AddFlag(verb, "--repair", &options->repair,
          "To TFRecord: leave out what is damaged, and list it");
  AddFlag(verb, "--mixed-kinds", &options->mixed_kinds,
          "From JSON lines to TFRecord: a feature may be 0.5 in one line and 1 "
          "in another, though no spec reads that");
  AddReading(verb, &options->input,
             {"max_batch_bytes", "byte_range", "threads", "index",
              "write_index", "message"});
  AddPolicies(verb, &options->input, /*has_rows=*/true);
  AddJson(verb, &options->json);
}

}  // namespace headrace::cli
