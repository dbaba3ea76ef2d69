#include "src/cli/output_name.h"

#include <cstddef>
#include <utility>

namespace headrace::cli {
namespace {

// The extension of the file, not of its folder, has the dot; it may be empty.
std::string_view Extension(std::string_view path) {
  const size_t slash = path.rfind('/');
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {};
  if (slash != std::string_view::npos && dot < slash) return {};
  return path.substr(dot);
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
      {".tfrecord", OutputFormat::kTfrecord},
      {".tfrecords", OutputFormat::kTfrecord},
      {".tfr", OutputFormat::kTfrecord},
      {".parquet", OutputFormat::kParquet},
      {".pq", OutputFormat::kParquet},
      {".tar", OutputFormat::kWebdataset},
  };
  const bool compressed = CompressionOfName(path).has_value();
  if (compressed) path.remove_suffix(Extension(path).size());
  const std::string_view extension = Extension(path);
  for (const auto& [name, format] : kFormats) {
    if (extension != name) continue;
    // We compress only TFRecord as a whole.
    if (compressed && format != OutputFormat::kTfrecord) return std::nullopt;
    return format;
  }
  return std::nullopt;
}

}  // namespace headrace::cli
