// The input of headrace convert: its files, and their format.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include "src/base/regular_file.h"
#include "src/cli/convert/convert.h"
#include "src/cli/folders.h"
#include "src/cli/verbs/overwrites_input.h"
#include "src/read/files/paths.h"

namespace headrace::cli {
namespace {

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
  if (FormatOfName(path) == OutputFormat::kParquet)
    return InputFormat::kParquet;
  return LooksLikeJson(path) ? InputFormat::kJsonl : InputFormat::kTfrecord;
}

bool IsDirectory(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

}  // namespace

bool DecideInput(const std::vector<std::string>& files, InputFormat* from) {
  if (*from != InputFormat::kAuto || files.empty()) return true;
  *from = FormatOfInput(files.front());
  return std::all_of(files.begin(), files.end(), [from](const auto& file) {
    return FormatOfInput(file) == *from;
  });
}

Result<std::vector<std::string>> FindConvertInputs(ConvertOptions* options) {
  const std::vector<std::string>& patterns = options->input.patterns;
  const auto is_parquet = [](const std::string& path) {
    return FormatOfName(path) == OutputFormat::kParquet && IsDirectory(path);
  };
  if (options->from == InputFormat::kAuto && !patterns.empty() &&
      std::all_of(patterns.begin(), patterns.end(), is_parquet)) {
    options->from = InputFormat::kParquet;
  }
  if (options->from != InputFormat::kParquet) {
    Status status = FindFolders(&options->input);
    if (!status.ok()) return status;
    return FindInputs(options->input);
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

}  // namespace headrace::cli
