#include "tests/reader/transcript.h"

namespace headrace::testing {
namespace {

std::string CellToText(const Column& column, size_t row) {
  if (column.IsNull(row)) return "null";
  std::string text;
  if (column.offsets == nullptr) return text;
  const auto begin = static_cast<size_t>(column.offsets[row]);
  const auto end = static_cast<size_t>(column.offsets[row + 1]);
  for (size_t i = begin; i < end; ++i) {
    if (column.kind == Kind::kInt64) {
      text += std::to_string(column.int64s()[i]);
    } else if (column.kind == Kind::kFloat) {
      text += std::to_string(column.floats()[i]);
    } else {
      text += column.bytes()[i];
    }
    text += ",";
  }
  return text;
}

}  // namespace

void AddRows(const Batch& batch, Transcript* transcript) {
  for (size_t row = 0; row < batch.num_rows(); ++row) {
    const RowOrigin& origin = batch.origins()[row];
    std::string text = ToText(origin);
    for (const Column& column : batch.columns()) {
      text += " " + std::string(column.name) + "=" + CellToText(column, row);
    }
    transcript->rows.push_back(std::move(text));
    transcript->origins.push_back(origin);
  }
}

std::string ToText(const RowOrigin& origin) {
  return std::to_string(origin.file) + ":" + std::to_string(origin.record) +
         "@" + std::to_string(origin.offset) + (origin.recovered ? "r" : "");
}

Transcript ReadAll(const std::vector<std::string>& paths,
                   const ReadOptions& options, const Plan* plan) {
  Transcript transcript;
  auto reader =
      plan ? Reader::Open(paths, *plan, options) : Reader::Open(paths, options);
  if (!reader.ok()) {
    transcript.status = reader.status();
    return transcript;
  }
  while (auto batch = reader->Next()) AddRows(**batch, &transcript);
  transcript.status = reader->status();
  transcript.report = reader->report();
  return transcript;
}

}  // namespace headrace::testing
