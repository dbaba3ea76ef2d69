#include "src/cli/verbs/gen_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "headrace/output_file.h"
#include "headrace/record_writer.h"
#include "src/cli/output/output_name.h"
#include "src/cli/process/signals.h"

namespace headrace::cli {
namespace {

constexpr std::string_view kSplit = "train";

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

// Writes all of the file except its name.
Result<OutputFile> PrepareText(const std::string& path, std::string_view text) {
  Result<OutputFile> file =
      OutputFile::Open(path, {.temporaries = Temporaries()});
  if (!file) return file;
  Status status = file->Write(text);
  if (status.ok()) status = file->Finish();
  if (!status.ok()) return status;
  return file;
}

}  // namespace

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
    // The first files have one record more where they cannot all be equal.
    const uint64_t more = i < num_records_ % shards_ ? 1 : 0;
    lengths += i == 0 ? "\"" : ", \"";
    lengths += std::to_string(num_records_ / shards_ + more) + "\"";
  }
  std::string text = "{\n  \"fileFormat\": \"tfrecord\",\n  \"name\": \"";
  text += name_ + "\",\n  \"splits\": [{\n    \"filepathTemplate\": ";
  text += "\"{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}\",\n";
  text.append("    \"name\": \"").append(kSplit).append("\",\n");
  text += "    \"numBytes\": \"" + std::to_string(payload_bytes_) + "\",\n";
  text += "    \"shardLengths\": [" + lengths + "]\n  }],\n";
  return text + "  \"version\": \"1.0.0\"\n}\n";
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

}  // namespace headrace::cli
