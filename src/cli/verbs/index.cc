// headrace index: writes the position of each record of a file, so that records
// can be fetched by number.

#include "headrace/index.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <set>
#include <system_error>
#include <thread>

#include "headrace/output_file.h"
#include "src/base/json/json_writer.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/output/output_name.h"
#include "src/cli/process/reading_report.h"
#include "src/cli/process/signals.h"
#include "src/read/files/paths.h"

namespace headrace::cli {
namespace {

enum class IndexFormat : uint8_t { kHeadrace, kDali };

struct IndexRequest {
  InputOptions input;
  std::string folder;  // empty: beside the data
  IndexFormat format = IndexFormat::kHeadrace;
  uint64_t checkpoint_bytes = IndexOptions().checkpoint_bytes;
  bool verify = false;
  bool json = false;
  uint64_t threads = 0;
};

constexpr char kIndexNotes[] =
    R"(An index makes it possible to fetch records by number. If the file
changes, write the index again. For each file a line is printed with
the number of its records and the name of the index, or an error if
the file is damaged. A compressed file is inflated once; its index
also says where inflating can begin.

Example:
  headrace index 'train-*.tfrecord')";

constexpr uint64_t kMinCheckpoint = uint64_t{64} << 10;

std::string IndexPath(const std::string& file, const IndexRequest& request) {
  const std::string_view suffix =
      request.format == IndexFormat::kDali ? ".idx" : ".hri";
  if (request.folder.empty()) return file + std::string(suffix);
  return request.folder + "/" + file.substr(file.rfind('/') + 1) +
         std::string(suffix);
}

// Builds indexes on its own threads, ahead of the caller of Take.
class IndexQueue {
 public:
  IndexQueue(const std::vector<std::string>& files,
             const IndexRequest& request);
  IndexQueue(const IndexQueue&) = delete;
  IndexQueue& operator=(const IndexQueue&) = delete;
  // Cancels the indexes that are being built, then joins the threads.
  ~IndexQueue() {
    ended_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  // Waits for the index of that file and returns it, once.
  Result<Index> Take(size_t file) { return made_[file].get_future().get(); }

 private:
  void Work();

  const std::vector<std::string>& files_;
  IndexOptions options_;
  std::atomic<bool> ended_ = false;
  std::atomic<size_t> next_ = 0;
  std::vector<std::promise<Result<Index>>> made_;  // one per file
  std::vector<std::thread> threads_;
};

IndexQueue::IndexQueue(const std::vector<std::string>& files,
                       const IndexRequest& request)
    : files_(files), made_(files.size()) {
  options_.verify = request.verify;
  options_.checkpoint_bytes = request.checkpoint_bytes;
  options_.progress = [this](uint64_t, uint64_t) { return ended_.load(); };
  const uint64_t wanted =
      request.threads > 0 ? request.threads
                          : std::max(std::thread::hardware_concurrency(), 1u);
  const size_t count =
      static_cast<size_t>(std::min<uint64_t>(wanted, files.size()));
  options_.threads = static_cast<size_t>(wanted / std::max<size_t>(count, 1));
  threads_.reserve(count);
  while (threads_.size() < count) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      // The system allows no more threads.
      if (threads_.empty()) throw;
      break;
    }
  }
}

void IndexQueue::Work() {
  for (size_t i = next_++; i < files_.size() && !ended_; i = next_++) {
    made_[i].set_value(Index::Build(files_[i], options_));
  }
}

// Returns what is wrong with the outputs; empty if nothing is wrong.
std::string Conflict(const std::vector<std::string>& files,
                     const IndexRequest& request) {
  std::set<std::string> outputs;
  for (const std::string& file : files) {
    const std::string output = IndexPath(file, request);
    if (!outputs.insert(output).second) {
      return "two files would have the index " + output;
    }
    if (IsOneOf(output, files)) {
      return "the index " + output + " would replace an input";
    }
  }
  return "";
}

Status Save(const Index& index, const std::string& path, IndexFormat format) {
  const OutputFileOptions options{.temporaries = Temporaries(),
                                  .stays_in_folder = true};
  return format == IndexFormat::kDali ? index.SaveText(path, options)
                                      : index.Save(path, options);
}

uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<uint64_t>(size);
}

// A file without an index has an error in JSON, and no line otherwise.
std::string Line(const std::string& file, const std::string& output,
                 const Result<Index>& index, const IndexRequest& request) {
  if (!request.json) {
    return std::to_string(index->size()) + "\t" + output;
  }
  return JsonObject([&](JsonWriter& json) {
    json.Add("path", file);
    if (!index.ok()) {
      return json.AddRaw("error", ErrorJson(*index.status().info()));
    }
    json.Add("index", output);
    json.Add("records", index->size());
    json.Add("bytes", index->stream_bytes());
    json.Add("compression", CompressionName(index->compression()));
    json.Add("index_bytes", SizeOf(output));
  });
}

ExitCode RunIndex(IndexRequest request) {
  auto files = FindFoldersAndFiles(&request.input);
  if (!files) return Complain(files.status());
  if (request.input.has_folders) {
    // With slices of TFDS splits, a file may be listed more than once.
    std::ranges::sort(*files);
    files->erase(std::unique(files->begin(), files->end()), files->end());
  }
  const std::string conflict = Conflict(*files, request);
  if (!conflict.empty()) return ComplainUsage("index", conflict);
  Result<OutputFile> out = OutputFile::Open("-");
  if (!out) return Complain(out.status());
  ExitCode worst = kExitOk;
  Status written = out->Write(request.json ? "{\"files\":[" : "");
  IndexQueue queue(*files, request);
  for (size_t i = 0; i < files->size() && written.ok(); ++i) {
    const std::string& file = (*files)[i];
    const std::string output = IndexPath(file, request);
    Result<Index> index = queue.Take(i);
    if (index.ok()) {
      Status saved = Save(*index, output, request.format);
      if (!saved.ok()) index = saved;
    }
    if (!index.ok()) worst = std::max(worst, Complain(index.status()));
    if (!index.ok() && !request.json) continue;
    const std::string line =
        ForStandardOutput(Line(file, output, index, request));
    written =
        out->Write(request.json ? (i > 0 ? "," : "") + line : line + "\n");
  }
  if (written.ok() && request.json) written = out->Write("]}\n");
  if (written.ok()) written = out->Close();
  return std::max(worst, ExitCodeOfOutput(written));
}

}  // namespace

void AddIndex(CLI::App* app, Action* action) {
  const auto [verb, request] = AddVerb<IndexRequest>(
      app, action, "index", "Write an index of the position of each record",
      kIndexNotes, RunIndex);
  AddFiles(verb, &request->input, "A path, a glob or a shard set (name@16)");
  AddText(verb, "-o,--output", &request->folder, "DIR",
          "The folder for the indexes (default: each beside its file)");
  AddEnum<IndexFormat>(
      verb, "--format", &request->format,
      {{"headrace", IndexFormat::kHeadrace}, {"dali", IndexFormat::kDali}},
      "FILE.hri, or FILE.idx, the text that DALI and tfrecord read (default "
      "headrace)");
  AddFlag(verb, "--verify", &request->verify,
          "Check payload CRCs too, which reads the whole file");
  AddByteSize(
      verb, "--checkpoint", &request->checkpoint_bytes, {kMinCheckpoint},
      "bytes, like 256K or 4M, at least 64K",
      "For compressed files: a record is found by inflating at most about this "
      "much (default 1M)");
  AddCountOption(verb, "--threads", &request->threads,
                 "Threads that read files and inflate (default 0: one per "
                 "processor)");
  AddJson(verb, &request->json);
}

}  // namespace headrace::cli
