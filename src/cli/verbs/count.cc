// headrace count: finds the number of records from headers only.

#include <algorithm>

#include "headrace/output_file.h"
#include "headrace/record_reader.h"
#include "src/base/json/json_writer.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/process/reading_report.h"
#include "src/cli/progress.h"
#include "src/cli/record_input.h"

namespace headrace::cli {
namespace {

constexpr char kCountNotes[] =
    R"(Several files have a line each; the last line is the bare total. A
file that is damaged or cannot be read has an error instead, and the
others are counted all the same. A gzip file that headrace wrote says
how many records it has, and is believed; --verify counts them.

Example:
  headrace count 'train-*.tfrecord.gz')";

struct CountRequest {
  InputOptions input;
  bool verify = false;
  bool json = false;
};

struct FileCount {
  std::string path;
  uint64_t records = 0;
  uint64_t bytes = 0;  // of the uncompressed stream, with framing
  Compression compression = Compression::kNone;
  Status error;  // that stopped the counting
};

// A file has its counts or an error, never a part of its counts.
void WriteFile(const FileCount& file, JsonWriter* json) {
  json->Object([&] {
    json->Add("path", file.path);
    if (!file.error.ok()) {
      return json->AddRaw("error", ErrorJson(*file.error.info()));
    }
    json->Add("records", file.records);
    json->Add("bytes", file.bytes);
    json->Add("compression", CompressionName(file.compression));
  });
}

class Counter {
 public:
  explicit Counter(const CountRequest& options)
      : options_(options), console_(options.input.console()) {}

  ExitCode Run();

 private:
  // Whether to believe the number of records that a file of blocked gzip has in
  // its headers.
  bool MayBelieve() const {
    const InputOptions& input = options_.input;
    return !options_.verify && input.range == ByteRange() &&
           !input.has_folders && input.on_corrupt == OnCorrupt::kFail &&
           (input.compression == Compression::kAuto ||
            input.compression == Compression::kGzip);
  }
  Status CountFile(const std::string& path, FileCount* count,
                   Progress* progress);
  // Counts TFDS folders, which have only runs of records of their files.
  Status CountFolder(OutputFile* out);
  Status CollectRegions(const std::string& path, const RecordReader& reader);
  // These return only errors of writing; a file keeps its own.
  Status CountAll(const std::vector<std::string>& files, OutputFile* out);
  Status Add(FileCount count, bool has_line, OutputFile* out);
  std::string Total() const;

  CountRequest options_;
  Console console_;
  ReadReport report_;
  std::vector<FileCount> counts_;
  uint64_t records_ = 0;
  uint64_t bytes_ = 0;
  uint64_t stored_ = 0;  // of earlier files, on the disk
  uint64_t stored_size_ = 0;
  ExitCode worst_ = kExitOk;
};

Status Counter::CountFile(const std::string& path, FileCount* count,
                          Progress* progress) {
  if (MayBelieve()) {
    const auto claimed = ReadClaimedSize(path);
    if (claimed) {
      count->compression = Compression::kGzip;
      count->records = claimed->records;
      count->bytes = claimed->bytes;
      stored_ += StoredSize({path});
      return Status();
    }
  }
  RecordReaderOptions reader_options = ReaderOptionsOf(options_.input);
  reader_options.verify_payload = options_.verify;
  Result<RecordReader> reader = RecordReader::Open(path, reader_options);
  if (!reader) return reader.status();
  count->compression = reader->compression();
  const uint64_t begin = reader->position();
  auto record = reader->Next();
  for (; record; record = reader->Next()) {
    ++count->records;
    progress->Update(stored_ + reader->stored_position(), stored_size_);
  }
  count->bytes = reader->position() - begin;
  stored_ += reader->stored_position();
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
  Progress progress("count", console_);
  stored_size_ = StoredSize(files);
  const bool has_lines = files.size() > 1 && !options_.json;
  for (const std::string& path : files) {
    FileCount count;
    count.path = path;
    count.error = CountFile(path, &count, &progress);
    const bool is_end = count.error.code() == ErrorCode::kTooManyBad;
    progress.Clear();
    Status status = Add(std::move(count), has_lines, out);
    if (!status.ok() || is_end) return status;
  }
  return Status();
}

Status Counter::Add(FileCount count, bool has_line, OutputFile* out) {
  Status status;
  if (!count.error.ok()) {
    worst_ = std::max(worst_, Complain(count.error));
  } else {
    records_ += count.records;
    bytes_ += count.bytes;
    if (has_line) {
      status = out->Write(std::to_string(count.records) + "\t" +
                          ForStandardOutput(count.path) + "\n");
    }
  }
  counts_.push_back(std::move(count));
  return status;
}

std::string Counter::Total() const {
  if (!options_.json) return std::to_string(records_) + "\n";
  const std::string text = JsonObject([&](JsonWriter& json) {
    json.AddList("files", counts_,
                 [&](const FileCount& count) { WriteFile(count, &json); });
    json.Add("records", records_);
    json.Add("bytes", bytes_);
  });
  return ForStandardOutput(text) + "\n";
}

// RecordInput knows which records count, and how many a file must have.
Status Counter::CountFolder(OutputFile* out) {
  InputOptions options = options_.input;
  options.verify_payload = options_.verify;
  const bool has_lines = options.patterns.size() > 1 && !options_.json;
  const InputOptions all = options;
  for (size_t i = 0; i < all.patterns.size(); ++i) {
    options.patterns = {all.patterns[i]};
    options.record_ranges = {all.record_ranges[i]};
    FileCount count;
    count.path = all.patterns[i];
    Result<RecordInput> input = RecordInput::Open(options);
    if (!input) return input.status();
    Result<InputBlock> block = input->NextBlock();
    for (; block.ok() && !block->records.empty(); block = input->NextBlock()) {
      count.records += block->records.size();
      for (const Record& record : block->records) {
        count.bytes += record.payload.size() + kRecordOverhead;
      }
    }
    count.error = block.status();
    Status status = Add(std::move(count), has_lines, out);
    if (!status.ok()) return status;
  }
  return Status();
}

ExitCode Counter::Run() {
  const auto files = FindFoldersAndFiles(&options_.input);
  if (!files) return Complain(files.status());
  Result<OutputFile> out = OutputFile::Open("-");
  if (!out) return Complain(out.status());
  Status written =
      options_.input.has_folders ? CountFolder(&*out) : CountAll(*files, &*out);
  // If the only file has an error, no count is printed, rather than 0.
  const bool has_total =
      options_.json || files->size() != 1 || worst_ == kExitOk;
  if (written.ok() && has_total) written = out->Write(Total());
  if (written.ok()) written = out->Close();
  ListLosses(report_, console_);
  return std::max(worst_, ExitCodeOfOutput(written));
}

ExitCode RunCount(const CountRequest& options) {
  if (options.verify && !options.input.verify_payload) {
    return ComplainUsage("count",
                         "--verify checks payload CRCs, --no-payload-crc does "
                         "not; give one of them");
  }
  return Counter(options).Run();
}

}  // namespace

void AddCount(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<CountRequest>(
      app, action, "count", "Count records", kCountNotes, RunCount);
  AddFiles(verb, &options->input);
  AddFlag(verb, "--verify", &options->verify,
          "Check payload CRCs too; without it only framing and header "
          "CRCs are");
  AddJson(verb, &options->json);
  AddReading(verb, &options->input, {"compression", "byte_range"});
  AddPolicies(verb, &options->input, /*has_rows=*/false);
}

}  // namespace headrace::cli
