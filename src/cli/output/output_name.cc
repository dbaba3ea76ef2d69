#include "src/cli/output/output_name.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "src/read/files/paths.h"

namespace headrace::cli {
namespace {

// Returns the extension of the file's name with its dot; empty without one.
std::string_view Extension(std::string_view path) {
  const size_t slash = path.rfind('/');
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {};
  if (slash != std::string_view::npos && dot < slash) return {};
  return path.substr(dot);
}

// The parts of name@4.gz; more shards than 64 bits can count are 0.
struct ShardSet {
  std::string name;
  uint64_t shards = 0;
  std::string ending = {};
};

std::optional<ShardSet> ParseShardSet(std::string_view output) {
  const size_t at = output.rfind('@');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  uint64_t shards = 0;
  const char* const begin = output.data() + at + 1;
  const char* const end = output.data() + output.size();
  const auto [rest, error] = std::from_chars(begin, end, shards);
  if (rest == begin || (rest != end && *rest != '.')) return std::nullopt;
  if (error != std::errc()) shards = 0;
  return ShardSet{std::string(output.substr(0, at)), shards,
                  std::string(rest, end)};
}

// A hidden file may be written, too.
bool IsTfrecord(std::string_view path) {
  std::string name(path.substr(path.rfind('/') + 1));
  if (const auto set = ParseShardSet(name)) {
    name = ShardName(set->name, 0, 1) + set->ending;
  }
  return HasTfrecordName(
      name.substr(std::min(name.find_first_not_of("._"), name.size())));
}

}  // namespace

std::optional<OutputFormat> FormatOfName(std::string_view path) {
  constexpr std::pair<std::string_view, OutputFormat> kFormats[] = {
      {".arrow", OutputFormat::kArrow},
      {".feather", OutputFormat::kArrow},
      {".ipc", OutputFormat::kArrow},
      {".arrows", OutputFormat::kArrowStream},
      {".stream", OutputFormat::kArrowStream},
      {".jsonl", OutputFormat::kJsonl},
      {".ndjson", OutputFormat::kJsonl},
      {".csv", OutputFormat::kCsv},
      {".parquet", OutputFormat::kParquet},
      {".pq", OutputFormat::kParquet},
      {".tar", OutputFormat::kWebdataset},
  };
  if (IsTfrecord(path)) return OutputFormat::kTfrecord;
  const std::string_view extension = Extension(path);
  for (const auto& [name, format] : kFormats) {
    if (extension == name) return format;
  }
  return std::nullopt;
}

Result<std::vector<std::string>> OutputPaths(const std::string& output,
                                             uint64_t shards, uint64_t most) {
  std::optional<ShardSet> set = ParseShardSet(output);
  if (set && shards > 0) {
    return Status(ErrorCode::kInvalidArgument,
                  output + " is a shard set already; leave out --shards");
  }
  if (!set && shards == 0) return std::vector<std::string>{output};
  if (!set) {
    const size_t ending =
        CompressionOfName(output) ? Extension(output).size() : 0;
    const size_t size = output.size() - ending;
    set = {output.substr(0, size), shards, output.substr(size)};
  }
  if (set->shards == 0 || set->shards > most) {
    return Status(
        ErrorCode::kInvalidArgument,
        output + " is a shard set of 1 to " + std::to_string(most) + " files");
  }
  std::vector<std::string> paths;
  for (uint64_t i = 0; i < set->shards; ++i) {
    paths.push_back(ShardName(set->name, i, set->shards) + set->ending);
  }
  return paths;
}

bool IsOneOf(const std::string& output,
             const std::vector<std::string>& inputs) {
  struct stat out;
  // A device, such as /dev/null or a terminal, may be both input and output.
  if (output == "-" || stat(output.c_str(), &out) != 0 ||
      !S_ISREG(out.st_mode)) {
    return false;
  }
  return std::any_of(
      inputs.begin(), inputs.end(), [&out](const std::string& input) {
        struct stat in;
        return input != "-" && stat(input.c_str(), &in) == 0 &&
               in.st_dev == out.st_dev && in.st_ino == out.st_ino;
      });
}

bool IsDeviceOrPipe(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

}  // namespace headrace::cli
