// headrace count: how many records, from the headers alone.

#include <memory>
#include <string>
#include <vector>

#include "headrace/output_file.h"
#include "headrace/record_reader.h"
#include "src/cli/console.h"
#include "src/cli/json_line.h"
#include "src/cli/options.h"
#include "src/cli/record_input.h"

namespace headrace::cli {
namespace {

struct CountOptions {
  InputOptions input;
  bool verify = false;
  bool json = false;
};

struct FileCount {
  std::string path;
  uint64_t records = 0;
  uint64_t bytes = 0;  // of the uncompressed stream, with framing
  Compression compression = Compression::kNone;
};

void AppendJson(const FileCount& file, std::string* out) {
  *out += "{\"path\":";
  AppendJsonText(file.path, out);
  *out += ",\"records\":" + std::to_string(file.records) +
          ",\"bytes\":" + std::to_string(file.bytes) + ",\"compression\":\"" +
          std::string(CompressionName(file.compression)) + "\"}";
}

class Counter {
 public:
  explicit Counter(const CountOptions& options)
      : options_(options), console_(options.input.quiet) {}

  ExitCode Run();

 private:
  Status CountFile(const std::string& path, FileCount* count,
                   Progress* progress);
  Status CollectRegions(const std::string& path, const RecordReader& reader);
  Status CountAll(const std::vector<std::string>& files, OutputFile* out);
  std::string Total() const;

  CountOptions options_;
  Console console_;
  ReadReport report_;
  std::vector<FileCount> counts_;
  uint64_t records_ = 0;
  uint64_t bytes_ = 0;
};

Status Counter::CountFile(const std::string& path, FileCount* count,
                          Progress* progress) {
  RecordReaderOptions reader_options = ReaderOptionsOf(options_.input);
  reader_options.verify_payload = options_.verify;
  Result<RecordReader> reader = RecordReader::Open(path, reader_options);
  if (!reader) return reader.status();
  count->path = path;
  count->compression = reader->compression();
  auto record = reader->Next();
  for (; record; record = reader->Next()) {
    ++count->records;
    progress->Update(records_ + count->records, bytes_ + reader->position());
  }
  count->bytes = reader->position();
  if (Status status = CollectRegions(path, *reader); !status.ok()) {
    return status;
  }
  return record.status();
}

Status Counter::CollectRegions(const std::string& path,
                               const RecordReader& reader) {
  report_.num_regions += reader.num_skipped();
  for (const SkippedRegion& region : reader.skipped()) {
    if (report_.regions.size() == Limits().max_reported) break;
    report_.regions.push_back({path, region});
  }
  return CheckBad(report_, options_.input.max_bad);
}

Status Counter::CountAll(const std::vector<std::string>& files,
                         OutputFile* out) {
  Progress progress(console_);
  for (const std::string& path : files) {
    FileCount count;
    Status status = CountFile(path, &count, &progress);
    if (!status.ok()) return status;
    records_ += count.records;
    bytes_ += count.bytes;
    counts_.push_back(count);
    if (options_.json || files.size() == 1) continue;
    progress.Clear();
    status = out->Write(std::to_string(count.records) + "\t" + path + "\n");
    if (!status.ok()) return status;
  }
  return Status();
}

std::string Counter::Total() const {
  if (!options_.json) return std::to_string(records_) + "\n";
  std::string text = "{\"files\":[";
  for (const FileCount& count : counts_) {
    if (&count != &counts_.front()) text += ",";
    AppendJson(count, &text);
  }
  return text + "],\"records\":" + std::to_string(records_) +
         ",\"bytes\":" + std::to_string(bytes_) + "}\n";
}

ExitCode Counter::Run() {
  Result<std::vector<std::string>> files = FindFiles(options_.input.patterns);
  if (!files) return Complain(files.status());
  Result<OutputFile> out = OutputFile::Open("-");
  if (!out) return Complain(out.status());
  const Status status = CountAll(*files, &*out);
  if (!status.ok()) {
    if (!out->Flush().ok() && StandardOutputIsGone()) return kExitOk;
    ListLosses(report_, console_);
    return Complain(status);
  }
  Status written = out->Write(Total());
  if (written.ok()) written = out->Close();
  ListLosses(report_, console_);
  return ExitCodeOfOutput(written);
}

}  // namespace

void AddCount(CLI::App* app, Action* action) {
  auto options = std::make_shared<CountOptions>();
  CLI::App* const verb = AddVerb(app, "count", "Count records");
  AddFiles(verb, &options->input);
  AddFlag(verb, "--verify", &options->verify,
          "Check payload CRCs too; without it only framing and header "
          "CRCs are");
  AddJson(verb, &options->json);
  AddCompression(verb, &options->input.compression,
                 "Of the input (default auto: found from the bytes)");
  AddPolicies(verb, &options->input, /*has_rows=*/false);
  Finish(verb,
         "Several files have a line each; the last line is the bare total.\n"
         "\n"
         "Example:\n"
         "  headrace count 'train-*.tfrecord.gz'",
         action, [options] { return Counter(*options).Run(); });
}

}  // namespace headrace::cli
