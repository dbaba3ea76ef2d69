#include "src/read/files/paths.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/read/files/folder.h"
#include "src/read/files/glob.h"

namespace headrace {
namespace {

// Maximum number of files in one shard set; a larger number is probably a typo.
constexpr uint64_t kMaxShards = 1'000'000;

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

// Expands "name@4.gz" into name-00000-of-00004.gz and so on; empty if the
// pattern does not name a shard set.
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

Status NoMatch(const std::string& pattern, std::string what) {
  return Status(ErrorInfo{.code = ErrorCode::kNotFound,
                          .message = std::move(what),
                          .file = pattern});
}

Status ExpandGlob(const std::string& pattern, std::vector<std::string>* out) {
  auto found = reader::Glob(pattern);
  if (!found.ok()) return found.status();
  if (found->empty()) return NoMatch(pattern, "no file matches");
  for (std::string& path : *found) {
    if (Status status = reader::CheckInput(path); !status.ok()) return status;
    out->push_back(std::move(path));
  }
  return Status();
}

// Returns the error for a folder without TFRecord files. It names the other
// files: those in found.left_out from index `known` on.
Status NoFilesIn(const std::string& folder, const FoundFiles& found,
                 size_t known) {
  std::string what =
      "a directory without TFRecord files (.tfrecord, .tfrec, .record, "
      "-00000-of-00010); to read files with any other names, use a glob";
  const std::span left(found.left_out);
  for (const std::string& text : DescribeLeftOut(left.subspan(known))) {
    what += "; " + text;
  }
  return NoMatch(folder, std::move(what));
}

Status ExpandFolder(const std::string& path, bool looks, FoundFiles* found) {
  const size_t files = found->files.size();
  const size_t known = found->left_out.size();
  Status status = reader::AddFolder(path, looks, found);
  if (!status.ok() || found->files.size() > files) return status;
  if (!looks) {
    status = reader::AddFolder(path, /*looks=*/true, found);
    if (!status.ok()) return status;
  }
  return NoFilesIn(path, *found, known);
}

Status ExpandPattern(const std::string& pattern, bool looks,
                     FoundFiles* found) {
  std::vector<std::string>& paths = found->files;
  if (reader::IsFolder(pattern)) return ExpandFolder(pattern, looks, found);
  if (!Exists(pattern)) {
    if (auto shards = ExpandShards(pattern)) {
      std::ranges::move(*shards, std::back_inserter(paths));
      return Status();
    }
    if (reader::IsGlob(pattern)) return ExpandGlob(pattern, &paths);
  }
  // If the path does not exist, opening it will report that.
  paths.push_back(pattern);
  return Status();
}

Result<FoundFiles> Expand(std::span<const std::string> patterns, bool looks) {
  FoundFiles found;
  bool standard_input = false;
  for (const std::string& pattern : patterns) {
    if (pattern != "-") {
      Status status = ExpandPattern(pattern, looks, &found);
      if (!status.ok()) return status;
      continue;
    }
    if (std::exchange(standard_input, true)) {
      return Status(ErrorCode::kInvalidArgument,
                    "standard input can be read only once");
    }
    found.files.push_back(pattern);
  }
  return found;
}

Result<FoundFiles> Find(std::span<const std::string> patterns, bool looks) {
  auto found = Expand(patterns, looks);
  if (!found.ok()) return found;
  for (const std::string& file : found->files) {
    if (file == "-") continue;
    Status status = reader::CheckReadable(file);
    if (!status.ok()) return status;
  }
  return found;
}

// Returns a text such as "a.bin, b.bin and 7 more". Names are without the
// folder.
std::string NamesOf(std::span<const LeftOutFile* const> files) {
  constexpr size_t kNamed = 5;
  std::string text;
  for (size_t i = 0; i < files.size() && i < kNamed; ++i) {
    const std::string& path = files[i]->path;
    if (i > 0) text += ", ";
    text += path.substr(path.rfind('/') + 1);
  }
  if (files.size() > kNamed) {
    text += " and " + std::to_string(files.size() - kNamed) + " more";
  }
  return text;
}

Result<std::vector<std::string>> FilesAlone(Result<FoundFiles> found) {
  if (!found.ok()) return found.status();
  return std::move(found->files);
}

}  // namespace

Result<std::vector<std::string>> ExpandPaths(
    std::span<const std::string> patterns) {
  return CatchOutOfMemory(
      [&] { return FilesAlone(Expand(patterns, /*looks=*/false)); });
}

Result<std::vector<std::string>> FindFiles(
    std::span<const std::string> patterns) {
  return CatchOutOfMemory(
      [&] { return FilesAlone(Find(patterns, /*looks=*/false)); });
}

Result<FoundFiles> LookForFiles(std::span<const std::string> patterns) {
  return CatchOutOfMemory([&] { return Find(patterns, /*looks=*/true); });
}

std::vector<std::string> DescribeLeftOut(
    std::span<const LeftOutFile> left_out) {
  std::vector<std::string> texts;
  std::vector<bool> said(left_out.size());
  for (size_t first = 0; first < left_out.size(); ++first) {
    if (said[first]) continue;
    const LeftOutFile& one = left_out[first];
    const size_t folder = one.path.rfind('/') + 1;
    std::vector<const LeftOutFile*> alike;
    for (size_t i = first; i < left_out.size(); ++i) {
      const std::string& path = left_out[i].path;
      if (left_out[i].reason != one.reason || path.rfind('/') + 1 != folder ||
          path.compare(0, folder, one.path, 0, folder) != 0) {
        continue;
      }
      said[i] = true;
      alike.push_back(&left_out[i]);
    }
    texts.push_back("left out of " + one.path.substr(0, folder) + ": " +
                    NamesOf(alike) + " (" + one.reason + ")");
  }
  return texts;
}

Result<LeftOutFile> JudgeLeftOut(const std::string& path,
                                 std::span<const uint8_t> first_bytes) {
  return CatchOutOfMemory(
      [&] { return reader::JudgeFirstBytes(path, first_bytes); });
}

Result<bool> MatchesGlob(const std::string& pattern, const std::string& path) {
  return CatchOutOfMemory([&]() -> Result<bool> {
    if (Status status = reader::CheckGlob(pattern); !status.ok()) return status;
    return reader::IsMatch(pattern, path);
  });
}

std::string ShardName(std::string_view name, uint64_t shard, uint64_t shards) {
  char part[64];
  std::snprintf(part, sizeof(part), "-%05" PRIu64 "-of-%05" PRIu64, shard,
                shards);
  return std::string(name) + part;
}

}  // namespace headrace
