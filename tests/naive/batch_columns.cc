#include "tests/naive/batch_columns.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tests/support/hex.h"
#include "tests/support/written_bytes.h"

namespace headrace::testing {

namespace {

NaiveFeature CellOf(const Column& column, size_t begin, size_t end) {
  NaiveFeature cell{.kind = column.kind};
  for (size_t i = begin; i < end; ++i) {
    switch (column.kind) {
      case Kind::kBytes:
        cell.bytes.emplace_back(column.bytes()[i]);
        break;
      case Kind::kFloat:
        cell.floats.push_back(std::bit_cast<uint32_t>(column.floats()[i]));
        break;
      case Kind::kInt64:
        cell.int64s.push_back(column.int64s()[i]);
        break;
      case Kind::kNull:
        break;
    }
  }
  return cell;
}

NaiveSteps StepsOf(const Column& column, size_t begin, size_t end) {
  NaiveSteps steps;
  for (size_t step = begin; step < end; ++step) {
    if (column.IsNullStep(step)) {
      steps.emplace_back();
      continue;
    }
    steps.emplace_back(
        CellOf(column, static_cast<size_t>(column.step_offsets[step]),
               static_cast<size_t>(column.step_offsets[step + 1])));
  }
  return steps;
}

NaiveColumn ListColumnOf(const Column& column) {
  NaiveColumn naive{.name = std::string(column.name),
                    .kind = column.kind,
                    .in_sequence = true};
  for (size_t row = 0; row < column.num_rows; ++row) {
    if (column.IsNull(row)) {
      naive.lists.emplace_back();
      continue;
    }
    naive.lists.emplace_back(
        StepsOf(column, static_cast<size_t>(column.offsets[row]),
                static_cast<size_t>(column.offsets[row + 1])));
  }
  return naive;
}

NaiveColumn ColumnOf(const Column& column) {
  if (column.in_sequence) return ListColumnOf(column);
  NaiveColumn naive{.name = std::string(column.name), .kind = column.kind};
  for (size_t row = 0; row < column.num_rows; ++row) {
    if (column.IsNull(row)) {
      naive.rows.emplace_back();
      continue;
    }
    naive.rows.emplace_back(
        CellOf(column, static_cast<size_t>(column.offsets[row]),
               static_cast<size_t>(column.offsets[row + 1])));
  }
  return naive;
}

NaiveFeature FeatureOf(const Feature& feature) {
  NaiveFeature naive{.kind = feature.kind};
  switch (feature.kind) {
    case Kind::kBytes:
      naive.bytes = feature.bytes;
      break;
    case Kind::kFloat:
      for (float value : feature.floats) {
        naive.floats.push_back(std::bit_cast<uint32_t>(value));
      }
      break;
    case Kind::kInt64:
      naive.int64s = feature.int64s;
      break;
    case Kind::kNull:
      break;
  }
  return naive;
}

// Offsets lie beside the bitmap of `size` bits. No bitmap means no nulls.
std::string BrokenBitmap(const uint8_t* validity, const int32_t* offsets,
                         size_t size, size_t null_count) {
  size_t nulls = 0;
  for (size_t i = 0; validity && i < size; ++i) {
    if (validity[i / 8] >> (i % 8) & 1) continue;
    ++nulls;
    if (offsets[i] != offsets[i + 1]) return "a null holds something";
  }
  if (nulls != null_count) return "the null count is not the nulls' number";
  if ((validity != nullptr) != (nulls != 0)) {
    return "validity is there without need, or missing";
  }
  if (validity && size % 8 != 0) {
    const unsigned last = validity[size / 8];
    if (last >> (size % 8) != 0) return "validity bits after the end";
  }
  return {};
}

std::string BrokenOffsets(const int32_t* offsets, size_t size) {
  if (!offsets || offsets[0] != 0) return "offsets[0] is not 0";
  for (size_t i = 0; i < size; ++i) {
    if (offsets[i] > offsets[i + 1]) return "offsets decrease";
  }
  return {};
}

std::string BrokenSteps(const Column& column) {
  const size_t steps = column.num_steps();
  if (column.kind == Kind::kNull) {
    if (column.step_offsets || column.step_validity) {
      return "steps without kind have offsets or a bitmap";
    }
    return column.step_null_count == steps ? ""
                                           : "a step without kind is valid";
  }
  std::string broken = BrokenOffsets(column.step_offsets, steps);
  if (broken.empty()) {
    broken = BrokenBitmap(column.step_validity, column.step_offsets, steps,
                          column.step_null_count);
  }
  return broken.empty() ? "" : "steps: " + broken;
}

std::string BrokenNullColumn(const Column& column) {
  if (column.offsets) return "a null column has offsets";
  if (column.validity) return "a null column has a bitmap";
  return column.null_count == column.num_rows ? "" : "a row is not null";
}

// Offsets and bitmaps were looked at before, bit by bit.
std::string UnwrittenValues(const Column& column) {
  size_t bytes = 0;
  if (column.kind == Kind::kBytes) bytes = column.bytes().size_bytes();
  if (column.kind == Kind::kFloat) bytes = column.floats().size_bytes();
  if (column.kind == Kind::kInt64) bytes = column.int64s().size_bytes();
  return IsWritten(column.values, bytes) ? "" : "values that nobody wrote";
}

std::string BrokenColumn(const Column& column, size_t num_rows) {
  if (column.num_rows != num_rows) return "num_rows is not the batch's";
  if (column.kind == Kind::kNull && !column.in_sequence) {
    return BrokenNullColumn(column);
  }
  std::string broken = BrokenOffsets(column.offsets, num_rows);
  if (broken.empty()) {
    broken = BrokenBitmap(column.validity, column.offsets, num_rows,
                          column.null_count);
  }
  if (broken.empty() && column.in_sequence) broken = BrokenSteps(column);
  if (broken.empty() && column.num_values() != 0 && !column.values) {
    return "values are missing";
  }
  return broken.empty() ? UnwrittenValues(column) : broken;
}

std::string ToText(const std::optional<NaiveFeature>& cell) {
  return cell ? ToText(*cell) : "null";
}

std::string ToText(const std::optional<NaiveSteps>& steps) {
  if (!steps) return "null";
  std::string text;
  for (const auto& step : *steps) {
    text += text.empty() ? "" : ", ";
    text += ToText(step);
  }
  return "[" + text + "]";
}

template <class Cell>
std::string DifferentCells(const std::vector<Cell>& expected,
                           const std::vector<Cell>& actual) {
  if (expected.size() != actual.size()) return " has another number of rows";
  for (size_t row = 0; row < expected.size(); ++row) {
    if (expected[row] == actual[row]) continue;
    return " row " + std::to_string(row) + ": expected " +
           ToText(expected[row]) + ", got " + ToText(actual[row]);
  }
  return {};
}

std::string DifferentError(const NaiveResult& expected,
                           const NaiveResult& actual) {
  const bool other_record =
      expected.record != kUnknown && expected.record != actual.record;
  if (expected.code != actual.code || other_record) {
    return "expected " + ToText(expected) + ", got " + ToText(actual);
  }
  for (const std::string& feature : actual.features) {
    if (!expected.features.empty() && !expected.features.contains(feature)) {
      return "expected " + ToText(expected) + ", got " + ToText(actual);
    }
  }
  if (expected.code == ErrorCode::kWrongKind && actual.features.empty()) {
    return "the error names no feature";
  }
  return {};
}

std::string DifferentColumn(const NaiveColumn& expected,
                            const NaiveColumn& actual) {
  if (expected.name != actual.name) {
    return "column " + ToHex(actual.name) + " (hex) for " +
           ToHex(expected.name);
  }
  const std::string where = "column \"" + expected.name + "\"";
  if (expected.kind != actual.kind) {
    return where + " is " + std::string(KindName(actual.kind)) + ", not " +
           std::string(KindName(expected.kind));
  }
  if (expected.in_sequence != actual.in_sequence) {
    return where + " is in another message";
  }
  std::string difference = DifferentCells(expected.rows, actual.rows);
  if (difference.empty()) {
    difference = DifferentCells(expected.lists, actual.lists);
  }
  return difference.empty() ? "" : where + difference;
}

}  // namespace

NaiveResult ToNaive(const Batch& batch) {
  NaiveResult result;
  result.num_rows = batch.num_rows();
  for (const Column& column : batch.columns()) {
    result.columns.push_back(ColumnOf(column));
  }
  return result;
}

NaiveResult ToNaive(const Status& error) {
  NaiveResult result;
  result.code = error.code();
  if (const ErrorInfo* info = error.info()) {
    result.record = info->record;
    // A key may be empty, so only a wrong kind always names one.
    if (info->code == ErrorCode::kWrongKind || !info->feature.empty()) {
      result.features = {info->feature};
    }
  }
  return result;
}

NaiveResult ToNaive(const Result<Batch>& result) {
  return result.ok() ? ToNaive(*result) : ToNaive(result.status());
}

NaiveMessage ToNaive(const Message& message) {
  NaiveMessage naive;
  for (const auto& [key, feature] : message.features) {
    naive.features[key] = FeatureOf(feature);
  }
  for (const auto& [key, steps] : message.feature_lists) {
    std::vector<NaiveFeature>& list = naive.feature_lists[key];
    for (const Feature& step : steps) list.push_back(FeatureOf(step));
  }
  naive.has_feature_lists = message.has_feature_lists;
  return naive;
}

std::string Difference(const NaiveResult& expected, const NaiveResult& actual) {
  if (!expected.ok() || !actual.ok()) return DifferentError(expected, actual);
  if (expected.num_rows != actual.num_rows) {
    return std::to_string(actual.num_rows) + " rows instead of " +
           std::to_string(expected.num_rows);
  }
  if (expected.columns.size() != actual.columns.size()) {
    return std::to_string(actual.columns.size()) + " columns instead of " +
           std::to_string(expected.columns.size());
  }
  for (size_t i = 0; i < expected.columns.size(); ++i) {
    std::string difference =
        DifferentColumn(expected.columns[i], actual.columns[i]);
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string Difference(const NaiveResult& expected,
                       const Result<Batch>& actual) {
  if (actual.ok()) {
    std::string broken = BrokenPromise(*actual);
    if (!broken.empty()) return broken;
  }
  return Difference(expected, ToNaive(actual));
}

std::string Difference(const Status& expected, const Status& actual) {
  if (expected.code() != actual.code()) {
    return "expected \"" + expected.ToString() + "\", got \"" +
           actual.ToString() + "\"";
  }
  if (expected.ok()) return {};
  const ErrorInfo& a = *expected.info();
  const ErrorInfo& b = *actual.info();
  if (a.message == b.message && a.file == b.file && a.record == b.record &&
      a.offset == b.offset && a.feature == b.feature &&
      a.expected == b.expected && a.found == b.found) {
    return {};
  }
  return "expected \"" + expected.ToString() + "\" (feature \"" + a.feature +
         "\"), got \"" + actual.ToString() + "\" (feature \"" + b.feature +
         "\")";
}

std::string BrokenPromise(const Batch& batch) {
  for (const Column& column : batch.columns()) {
    std::string broken = BrokenColumn(column, batch.num_rows());
    if (!broken.empty()) {
      return "column \"" + std::string(column.name) + "\": " + broken;
    }
  }
  if (batch.origins().size() != batch.num_rows()) {
    return "origins are not one a row";
  }
  return {};
}

std::string ToText(const NaiveFeature& feature) {
  if (feature.kind == Kind::kNull) return "unset";
  std::string text;
  const auto add = [&text](const std::string& value) {
    if (!text.empty()) text += ", ";
    text += value;
  };
  for (const std::string& value : feature.bytes) add(ToHex(value));
  for (uint32_t value : feature.floats) {
    std::string digits(8, '0');
    for (size_t i = 0; i < 8; ++i) {
      digits[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
    }
    add(digits);
  }
  for (int64_t value : feature.int64s) add(std::to_string(value));
  return std::string(KindName(feature.kind)).append("[" + text + "]");
}

std::string ToText(const NaiveResult& result) {
  if (!result.ok()) {
    std::string text(NameOf(result.code));
    text += " in record " + std::to_string(result.record);
    for (const std::string& feature : result.features) {
      text += " \"" + feature + "\"";
    }
    return text;
  }
  std::string text = std::to_string(result.num_rows) + " rows";
  for (const NaiveColumn& column : result.columns) {
    text += "; \"" + column.name + "\" ";
    text += KindName(column.kind);
    for (const auto& cell : column.rows) {
      text += ' ';
      text += ToText(cell);
    }
    for (const auto& steps : column.lists) {
      text += ' ';
      text += ToText(steps);
    }
  }
  return text;
}

}  // namespace headrace::testing
