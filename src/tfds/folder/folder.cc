// Finds and opens the folder of a dataset (rule D1 of docs/formats/tfds.md),
// and selects its records.

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "headrace/tfds.h"
#include "src/base/out_of_memory.h"
#include "src/base/regular_file.h"
#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"
#include "src/tfds/folder/metadata.h"
#include "src/tfds/folder/shard_files.h"

namespace headrace::tfds {
namespace {

constexpr const char* kInfoFile = "dataset_info.json";
constexpr const char* kFeaturesFile = "features.json";
// Maximum bytes of each text. The tree of a text takes about ten times as much
// memory.
constexpr size_t kMaxInfoBytes = size_t{16} << 20;
constexpr size_t kMaxFeaturesBytes = size_t{4} << 20;

Status InFile(const Status& status, const std::string& file) {
  if (status.code() != ErrorCode::kBadSpec) return status;
  ErrorInfo info = *status.info();
  info.file = file;
  return Status(std::move(info));
}

// Returns "10.0.1" as numbers, which have at most nine digits each.
std::optional<std::tuple<int, int, int>> ParseVersion(std::string_view name) {
  int numbers[3] = {};
  size_t part = 0;
  size_t digits = 0;
  for (const char c : name) {
    if (c == '.') {
      if (digits == 0 || ++part == 3) return std::nullopt;
      digits = 0;
    } else {
      if (c < '0' || c > '9' || ++digits > 9) return std::nullopt;
      numbers[part] = numbers[part] * 10 + (c - '0');
    }
  }
  if (part != 2 || digits == 0) return std::nullopt;
  return std::tuple(numbers[0], numbers[1], numbers[2]);
}

bool HoldsDataset(const std::string& folder) {
  return IsRegularFile(JoinPath(folder, kInfoFile));
}

// Returns the highest version in `folder` that has a dataset; empty if there is
// none.
Result<std::string> HighestVersion(const std::string& folder) {
  Result<std::map<std::string, EntryKind>> listing = ListFolder(folder);
  if (!listing) return listing.status();
  std::string best;
  std::optional<std::tuple<int, int, int>> best_version;
  for (const auto& [name, kind] : *listing) {
    const auto version = ParseVersion(name);
    if (!version || version < best_version) continue;
    if (!HoldsDataset(JoinPath(folder, name))) continue;
    best = name;
    best_version = version;
  }
  return best;
}

// Returns the folders in `folder` that can be read and hold versions.
Result<std::vector<std::string>> ConfigsIn(const std::string& folder) {
  Result<std::map<std::string, EntryKind>> listing = ListFolder(folder);
  if (!listing) return listing.status();
  std::vector<std::string> configs;
  for (const auto& [name, kind] : *listing) {
    if (kind == EntryKind::kFile || name.starts_with('.')) continue;
    const Result<std::string> version = HighestVersion(JoinPath(folder, name));
    if (version.status().code() == ErrorCode::kOutOfMemory) {
      return version.status();
    }
    if (version.ok() && !version->empty()) configs.push_back(name);
  }
  return configs;
}

Status NoDataset(const std::string& folder,
                 const std::vector<std::string>& configs) {
  constexpr size_t kMaxNames = 20;
  if (configs.empty()) {
    return Status(ErrorInfo{
        .code = ErrorCode::kNotFound,
        .message = "the folder has no dataset_info.json, and no folder of a "
                   "version like 1.0.0 that has one (D1)",
        .file = folder});
  }
  std::string message = "the folder has several configs; choose one of ";
  for (size_t i = 0; i < std::min(configs.size(), kMaxNames); ++i) {
    if (i > 0) message += ", ";
    message += Quote(configs[i]);
  }
  if (configs.size() > kMaxNames) {
    message += " and " + std::to_string(configs.size() - kMaxNames) + " more";
  }
  return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                          .message = message + " (D1)",
                          .file = folder});
}

Result<std::string> FindDataset(const std::string& folder) {
  if (HoldsDataset(folder)) return folder;
  Result<std::string> version = HighestVersion(folder);
  if (!version) return version.status();
  if (!version->empty()) return JoinPath(folder, *version);
  Result<std::vector<std::string>> configs = ConfigsIn(folder);
  if (!configs) return configs.status();
  return NoDataset(folder, *configs);
}

Result<std::string> ReadFeaturesFile(const std::string& path) {
  Result<std::string> text = ReadSmallFile(path, kMaxFeaturesBytes);
  if (text || text.status().code() != ErrorCode::kNotFound) return text;
  return Status(ErrorInfo{
      .code = ErrorCode::kBadSpec,
      .message = "the folder has no features.json: it was written by a "
                 "version of TensorFlow Datasets before 4.0, and nothing says "
                 "what its records hold (D1)",
      .file = path});
}

Result<Info> OpenDataset(const std::string& folder,
                         const FolderOptions& options) {
  Info info = {.folder = folder};
  const std::string info_path = JoinPath(folder, kInfoFile);
  Result<std::string> text = ReadSmallFile(info_path, kMaxInfoBytes);
  if (!text) return text.status();
  if (Status status = ReadDatasetInfo(*text, &info); !status.ok()) {
    return InFile(status, info_path);
  }
  const std::string features_path = JoinPath(folder, kFeaturesFile);
  text = ReadFeaturesFile(features_path);
  if (!text) return text.status();
  Result<Node> features = ParseFeatures(*text);
  if (!features) return InFile(features.status(), features_path);
  info.features = *std::move(features);
  if (Status status = ReadLabels(options, &info); !status.ok()) return status;
  return info;
}

// Appends a slice for each shard that has records of the range.
void AddSlices(const Info& info, const SplitRange& range,
               std::vector<Slice>* slices) {
  const Split& split = info.splits[range.split];
  uint64_t before = 0;
  for (size_t i = 0; i < split.shard_lengths.size(); ++i) {
    const uint64_t records = split.shard_lengths[i];
    const uint64_t begin = std::max(range.begin, before);
    const uint64_t end = std::min(range.end, before + records);
    if (begin < end) {
      slices->push_back({.split = range.split,
                         .shard = i,
                         .path = JoinPath(info.folder, split.files[i]),
                         .skip = begin - before,
                         .take = end - begin,
                         .records = records});
    }
    before += records;
  }
}

Status FindFilesOf(const Info& info, std::span<const Slice> slices,
                   const FolderOptions& options) {
  FileFinder files(info.folder, options);
  const Slice* first_missing = nullptr;
  size_t num_missing = 0;
  for (const Slice& slice : slices) {
    const Result<bool> is_there =
        files.Has(info.splits[slice.split].files[slice.shard]);
    if (!is_there.ok()) return is_there.status();
    if (*is_there) continue;
    if (num_missing++ == 0) first_missing = &slice;
  }
  if (num_missing == 0) return Status();
  return Status(ErrorInfo{
      .code = ErrorCode::kNotFound,
      .message = std::to_string(num_missing) + " of " +
                 Counted(slices.size(), "file") +
                 " are missing; the first is of split " +
                 Quote(info.splits[first_missing->split].name) + " (D5)",
      .file = first_missing->path});
}

}  // namespace

Result<Info> OpenFolder(const std::string& folder,
                        const FolderOptions& options) {
  return CatchOutOfMemory([&]() -> Result<Info> {
    Result<std::string> dataset = FindDataset(folder);
    if (!dataset) return dataset.status();
    return OpenDataset(*dataset, options);
  });
}

Result<Info> ParseInfo(std::string_view dataset_info,
                       std::string_view features) {
  return CatchOutOfMemory([&]() -> Result<Info> {
    Info info;
    if (Status status = ReadDatasetInfo(dataset_info, &info); !status.ok()) {
      return InFile(status, kInfoFile);
    }
    Result<Node> root = ParseFeatures(features);
    if (!root) return InFile(root.status(), kFeaturesFile);
    info.features = *std::move(root);
    return info;
  });
}

bool IsFolder(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return false;
  if (HoldsDataset(path)) return true;
  const Result<std::string> version = HighestVersion(path);
  if (version.ok() && !version->empty()) return true;
  const Result<std::vector<std::string>> configs = ConfigsIn(path);
  return configs.ok() && !configs->empty();
}

Result<std::vector<Slice>> Select(const Info& info, std::string_view expression,
                                  const FolderOptions& options) {
  return CatchOutOfMemory([&]() -> Result<std::vector<Slice>> {
    Result<std::vector<SplitRange>> ranges =
        ParseSplits(expression, info.splits);
    if (!ranges) return ranges.status();
    std::vector<Slice> slices;
    for (const SplitRange& range : *ranges) AddSlices(info, range, &slices);
    if (info.folder.empty()) return slices;
    if (Status status = FindFilesOf(info, slices, options); !status.ok()) {
      return status;
    }
    return slices;
  });
}

}  // namespace headrace::tfds
