#include "src/cli/convert/csv.h"

#include <cmath>
#include <cstdint>

#include "headrace/message.h"
#include "src/base/json/json_text.h"

namespace headrace::cli {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

void AppendText(std::string_view text, std::string* out) {
  const bool quoted =
      text.empty() || text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (!quoted) {
    out->append(text);
    return;
  }
  out->push_back('"');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

void AppendFloat(float value, std::string* out) {
  // Names have no quotes, unlike in JSON, and all NaNs have the same name.
  if (std::isnan(value)) {
    out->append("NaN");
  } else if (std::isinf(value)) {
    out->append(value > 0 ? "Infinity" : "-Infinity");
  } else {
    AppendJsonFloat(value, out);
  }
}

void AppendValue(const Column& column, size_t i, std::string* out) {
  switch (column.kind) {
    case Kind::kInt64:
      out->append(std::to_string(column.int64s()[i]));
      break;
    case Kind::kFloat:
      AppendFloat(column.floats()[i], out);
      break;
    case Kind::kBytes: {
      const std::string_view value = column.bytes()[i];
      if (IsUtf8(value)) {
        AppendText(value, out);
      } else {
        out->append("b64:");
        AppendBase64(value, out);
      }
      break;
    }
    case Kind::kNull:
      break;
  }
}

}  // namespace

void AppendCsvHeader(std::span<const ColumnField> columns, std::string* out) {
  bool first = true;
  for (const ColumnField& column : columns) {
    if (!first) out->push_back(',');
    first = false;
    AppendText(column.name, out);
  }
  out->append(kLineEnd);
}

Status AppendCsvRow(const Batch& batch, size_t row, std::string* out) {
  const size_t start = out->size();
  bool first = true;
  for (const Column& column : batch.columns()) {
    if (!first) out->push_back(',');
    first = false;
    if (column.IsNull(row)) continue;
    const auto begin = static_cast<size_t>(column.offsets[row]);
    const auto end = static_cast<size_t>(column.offsets[row + 1]);
    if (end - begin > 1) {
      out->resize(start);
      const std::string name(column.name);
      const std::string found = std::to_string(end - begin) + " values";
      return Status(ErrorInfo{
          .code = ErrorCode::kWrongCount,
          .message = "feature \"" + name + "\": " + found +
                     ", and a cell of CSV holds one; --features can leave "
                     "the column out",
          .feature = name,
          .expected = "at most 1 value",
          .found = found});
    }
    if (begin < end) AppendValue(column, begin, out);
  }
  out->append(kLineEnd);
  return Status();
}

}  // namespace headrace::cli
