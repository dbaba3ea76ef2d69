#include "headrace/paths.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/base/system_error.h"
#include "src/reader/folder.h"
#include "src/reader/glob.h"

namespace headrace {
namespace {

// More files than this in one shard set are a typing error.
constexpr uint64_t kMaxShards = 1'000'000;

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// "name@4.gz" becomes name-00000-of-00004.gz and so on; empty when the pattern
// names no shard set.
std::optional<std::vector<std::string>> ExpandShards(
    const std::string& pattern) {
  const size_t at = pattern.rfind('@');
  if (at == std::string::npos || at == 0) return std::nullopt;
  const char* const begin = pattern.data() + at + 1;
  const char* const end = pattern.data() + pattern.size();
  uint64_t shards = 0;
  const auto [rest, error] = std::from_chars(begin, end, shards);
  if (error != std::errc() || shards == 0 || shards > kMaxShards ||
      (rest != end && *rest != '.')) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (uint64_t i = 0; i < shards; ++i) {
    names.push_back(ShardName(pattern.substr(0, at), i, shards) +
                    std::string(rest, end));
  }
  return names;
}

Status NoMatch(const std::string& pattern, const char* what) {
  return Status(ErrorInfo{
      .code = ErrorCode::kNotFound, .message = what, .file = pattern});
}

Status ExpandGlob(const std::string& pattern, std::vector<std::string>* out) {
  auto found = reader::Glob(pattern);
  if (!found.ok()) return found.status();
  if (found->empty()) return NoMatch(pattern, "no file matches");
  std::move(found->begin(), found->end(), std::back_inserter(*out));
  return Status();
}

Status ExpandFolder(const std::string& path, std::vector<std::string>* out) {
  auto found = reader::TfrecordFiles(path);
  if (!found.ok()) return found.status();
  if (found->empty()) {
    return NoMatch(path,
                   "a directory without TFRecord files (.tfrecord, .tfrecords, "
                   ".tfr, -00000-of-00010); a glob takes files of other names");
  }
  std::move(found->begin(), found->end(), std::back_inserter(*out));
  return Status();
}

Result<std::vector<std::string>> Expand(std::span<const std::string> patterns) {
  std::vector<std::string> paths;
  bool standard_input = false;
  for (const std::string& pattern : patterns) {
    if (pattern == "-") {
      if (standard_input) {
        return Status(ErrorCode::kInvalidArgument,
                      "standard input can be read only once");
      }
      standard_input = true;
      paths.push_back(pattern);
    } else if (IsFolder(pattern)) {
      Status status = ExpandFolder(pattern, &paths);
      if (!status.ok()) return status;
    } else if (Exists(pattern)) {
      paths.push_back(pattern);
    } else if (auto shards = ExpandShards(pattern)) {
      paths.insert(paths.end(), shards->begin(), shards->end());
    } else if (reader::IsGlob(pattern)) {
      Status status = ExpandGlob(pattern, &paths);
      if (!status.ok()) return status;
    } else {
      // Opening it gives the error in its own words.
      paths.push_back(pattern);
    }
  }
  return paths;
}

}  // namespace

Result<std::vector<std::string>> ExpandPaths(
    std::span<const std::string> patterns) {
  return CatchOutOfMemory([&] { return Expand(patterns); });
}

Result<std::vector<std::string>> FindFiles(
    std::span<const std::string> patterns) {
  return CatchOutOfMemory([&]() -> Result<std::vector<std::string>> {
    auto files = Expand(patterns);
    if (!files.ok()) return files;
    for (const std::string& file : *files) {
      struct stat info;
      if (file == "-" || stat(file.c_str(), &info) == 0) continue;
      return SystemError("cannot read", errno, file);
    }
    return files;
  });
}

std::string ShardName(std::string_view name, uint64_t shard, uint64_t shards) {
  char part[64];
  std::snprintf(part, sizeof(part), "-%05" PRIu64 "-of-%05" PRIu64, shard,
                shards);
  return std::string(name) + part;
}

}  // namespace headrace
