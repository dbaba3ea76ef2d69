// headrace convert: decides what is asked for, and reports at the end what was
// done.

#include "src/cli/convert/convert.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <utility>

#include "src/base/json/json_writer.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/output/remote_output.h"
#include "src/cli/process/late_report.h"
#include "src/cli/text/display_text.h"
#include "src/cli/verbs/overwrites_input.h"
#include "src/read/files/paths.h"

namespace headrace::cli {
namespace {

// Maximum shards: more are a typing error, and too many open files.
constexpr uint64_t kMaxShards = 512;

ExitCode Refuse(std::string_view text) {
  return ComplainUsage("convert", text);
}

// Checks the options about columns, which --spec and --schema replace.
ExitCode CheckPlanOptions(const ConvertOptions& options) {
  const std::string name =
      options.plan_file.spec.empty() ? "--schema" : "--spec";
  const bool has_tensors =
      options.plan_file.tensors || options.plan_file.schema.empty();
  if (!options.writes_columns()) {
    return Refuse(name + " goes with --to arrow, arrow-stream and parquet" +
                  (has_tensors ? "" : ", and --to csv"));
  }
  if (has_tensors && *options.to == OutputFormat::kCsv) {
    return Refuse(name +
                  ": tensors go to --to arrow, arrow-stream and parquet only");
  }
  if (options.from == InputFormat::kJsonl) {
    return Refuse(name + " is for TFRecord input");
  }
  if (!options.features.empty() && options.plan_file.schema.empty()) {
    return Refuse("--spec names the features; --features is for columns");
  }
  if (options.sample != kUnknown || options.sample_bytes != kUnknown ||
      options.strict_columns) {
    return Refuse(name +
                  " names the features; --sample, --sample-bytes and "
                  "--strict-columns are for columns found from the data");
  }
  return kExitOk;
}

bool HasPlan(const ConvertOptions& options) {
  return options.plan_file.is_given() || options.input.dataset != nullptr;
}

// Only readers of columns use indexes of compressed files, and write them.
ExitCode CheckIndexOptions(const ConvertOptions& options) {
  const InputOptions& input = options.input;
  if (!input.write_index && input.index == IndexUse::kAuto) return kExitOk;
  if (!options.writes_columns() || options.from != InputFormat::kTfrecord) {
    return Refuse(
        "--index and --write-index are for TFRecord input that becomes --to "
        "arrow, arrow-stream, parquet or csv");
  }
  if (input.write_index && input.range != ByteRange()) {
    return Refuse("--write-index needs whole files, not a --range");
  }
  return kExitOk;
}

// Fills in what auto stands for. Returns kExitOk if all options make sense
// together.
ExitCode Decide(const std::vector<std::string>& files,
                ConvertOptions* options) {
  if (!options->to) options->to = FormatOfName(options->output);
  if (!options->to) {
    return Refuse("the name " + options->output +
                  " does not say what to write; give --to");
  }
  const bool to_tfrecord = *options->to == OutputFormat::kTfrecord;
  if (!to_tfrecord && (options->shards > 0 || options->repair)) {
    return Refuse("--shards and --repair go with --to tfrecord");
  }
  if (options->bytes_as && !options->to_arrow()) {
    return Refuse("--bytes-as goes with --to arrow, arrow-stream and parquet");
  }
  if ((options->parquet.scalars || !options->parquet.text.empty()) &&
      *options->to != OutputFormat::kParquet) {
    return Refuse("--scalars and --text go with --to parquet");
  }
  if (*options->to == OutputFormat::kWebdataset &&
      (IsListOfExamples(options->input.message) ||
       options->input.message == MessageType::kRaw)) {
    return Refuse("--to webdataset is for Examples and SequenceExamples");
  }
  if (options->shards > kMaxShards) {
    return Refuse("--shards is at most " + std::to_string(kMaxShards));
  }
  if (options->input.on_absent != OnAbsent::kWarn && !HasPlan(*options)) {
    return Refuse("--on-absent goes with --spec and --schema");
  }
  if (options->batch_size == 0) return Refuse("--batch is at least 1");
  const bool to_stdout = options->output == "-";
  if (to_stdout && (options->json || options->shards > 0)) {
    return Refuse(options->json ? "--json and -o - both want standard output"
                                : "--shards needs a name, not -o -");
  }
  const bool is_binary = options->writes_payloads() || options->to_arrow();
  if (is_binary && IsTerminal(options->output)) {
    return Refuse("binary data is not for a terminal; give -o a file");
  }
  if (!DecideInput(files, &options->from)) {
    return Refuse("the inputs are of several formats; give --from");
  }
  if (options->mixed_kinds &&
      (!to_tfrecord || options->from != InputFormat::kJsonl)) {
    return Refuse("--mixed-kinds is for JSON lines that become TFRecord");
  }
  if (options->repair && options->from != InputFormat::kTfrecord) {
    return Refuse("--repair is for TFRecord input");
  }
  if (options->input.range != ByteRange() &&
      options->from != InputFormat::kTfrecord) {
    return Refuse("--range is for TFRecord input");
  }
  if (options->plan_file.is_given()) {
    const ExitCode checked = CheckPlanOptions(*options);
    if (checked != kExitOk) return checked;
  }
  const ExitCode checked = CheckIndexOptions(*options);
  if (checked != kExitOk) return checked;
  if (options->sample == kUnknown) options->sample = ReadOptions().sample;
  if (options->sample_bytes == kUnknown) {
    options->sample_bytes = ReadOptions().sample_bytes;
  }
  if (options->repair) options->input.on_corrupt = OnCorrupt::kRescan;
  if (!to_tfrecord && options->stored.has_blocks_or_level()) {
    return Refuse("--level and --block-size are for TFRecord output");
  }
  if (!to_tfrecord) options->input.compression = options->stored.compression;
  return kExitOk;
}

// Only TFRecord has shards.
Result<std::vector<std::string>> PathsOf(const ConvertOptions& options,
                                         const std::string& output) {
  if (*options.to != OutputFormat::kTfrecord || output == "-") {
    return std::vector<std::string>{output};
  }
  return OutputPaths(output, options.shards, kMaxShards);
}

double MegabytesPerSecond(const ConvertTotals& totals, double seconds) {
  return seconds > 0 ? static_cast<double>(totals.bytes) / 1e6 / seconds : 0;
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
                       Decimal(MegabytesPerSecond(totals, seconds), 1));
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
         " in " + Decimal(seconds, 2) + " s (" +
         Decimal(MegabytesPerSecond(totals, seconds), 1) + " MB/s)";
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
    return ReplaceByKeys(options->input, &options->features);
  }
  Result<Plan> plan = PlanOfFolder(options->input, options->features);
  if (!plan) return plan.status();
  options->plan = *std::move(plan);
  options->features.clear();
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
  const ExitCode decided = Decide(*files, &options);
  if (decided != kExitOk) return decided;
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
  const Console console(options.input.quiet);
  if (options.from == InputFormat::kParquet) {
    const Status started = ReadParquet(*files, &options);
    if (!started.ok()) return Complain(started);
  }
  if (options.plan_file.is_given()) {
    if (IsOneOf(options.output, {options.plan_file.path()})) {
      return Refuse(options.output + " is the spec or schema");
    }
    Result<Plan> plan =
        ReadPlan(options.plan_file, options.features, console, &options.input);
    if (!plan) return Complain(plan.status());
    options.plan = *std::move(plan);
    options.features.clear();
  } else if (const Status planned = PlanFolder(&options); !planned.ok()) {
    return Complain(planned);
  }
  const auto start = std::chrono::steady_clock::now();
  ConvertTotals totals;
  Status status = options.writes_columns()
                      ? ConvertToColumns(options, console, &totals)
                      : ConvertRecords(options, console, &totals);
  if (status.ok() && IsUrl(wanted)) status = SendOutputs(options, wanted);
  options.output = wanted;
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
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
  console.Note(SummaryText(totals, elapsed.count()));
  if (!options.json) return kExitOk;
  return PrintLines(SummaryJson(options, totals, elapsed.count()));
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
  AddReading(verb, &options->input, "on_absent");
  AddCountOption(verb, "--sample", &options->sample,
                 "Find the columns from the first N records (default 10000); "
                 "0 reads the input twice");
  AddCountOption(verb, "--sample-bytes", &options->sample_bytes,
                 "... or from those in its first N bytes, uncompressed, if "
                 "they are fewer (default 16 MiB, at most 256 MiB)");
  AddFlag(verb, "--strict-columns", &options->strict_columns,
          "A feature that the sample did not show is an error");
  AddNames(verb, "--features", &options->features,
           "Only these features, or with --tensors these tensors");
  AddCountOption(verb, "--batch", &options->batch_size,
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
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* const verb =
      AddVerb(app, "convert",
              "Write Arrow, Parquet, JSON lines, CSV, TFRecord or WebDataset");
  AddFiles(verb, &options->input);
  Require(
      AddText(verb, "-o,--output", &options->output, "OUT",
              "The file or URL to write; - is standard output and needs --to"));
  AddFormats(verb, options.get());
  AddColumnOptions(verb, options.get());
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
  AddMaxBatchBytes(verb, &options->input);
  AddReading(verb, &options->input, "byte_range");
  AddReading(verb, &options->input, "threads");
  AddIndexUse(verb, &options->input);
  AddReading(verb, &options->input, "message");
  AddPolicies(verb, &options->input, /*has_rows=*/true);
  AddJson(verb, &options->json);
  Finish(
      verb,
      "Names that say what to write: .arrow .feather .ipc, .arrows .stream,\n"
      ".parquet .pq, .jsonl .ndjson, .csv, .tfrecord (also .gz and .zst), "
      ".tar\n"
      "(WebDataset). The output gets its name when it is complete; after a\n"
      "failure there is none. Parquet and WebDataset are written, and Parquet "
      "is\n"
      "read, by Python: python3, or the interpreter that HEADRACE_PYTHON "
      "names,\n"
      "which needs the packages headrace and (for Parquet) pyarrow. A URL, "
      "such as\n"
      "s3://bucket/x.parquet, is written by Python, too, with the credentials "
      "of the\n"
      "environment, or with HEADRACE_STORAGE_OPTIONS, which is "
      "storage_options=\n"
      "of headrace.Writer as JSON.\n"
      "\n"
      "Example:\n"
      "  headrace convert 'train-*.tfrecord.gz' -o train.arrow",
      action, [options] { return RunConvert(*options); });
}

}  // namespace headrace::cli
