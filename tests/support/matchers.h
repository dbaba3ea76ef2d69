// Every test meets the types of these GoogleTest matchers and printers.

#ifndef HEADRACE_TESTS_SUPPORT_MATCHERS_H_
#define HEADRACE_TESTS_SUPPORT_MATCHERS_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"  // IWYU pragma: export
#include "gtest/gtest.h"  // IWYU pragma: export
#include "headrace/batch.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "tests/naive/batch_columns.h"
#include "tests/support/or_throw.h"  // IWYU pragma: export

namespace headrace {

// GoogleTest finds these through the types' namespace.
inline void PrintTo(ErrorCode code, std::ostream* out) { *out << NameOf(code); }
inline void PrintTo(Kind kind, std::ostream* out) { *out << KindName(kind); }
inline void PrintTo(const Status& status, std::ostream* out) {
  *out << status.ToString();
}
template <class T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  *out << result.status().ToString();
}
inline void PrintTo(const SkippedRegion& region, std::ostream* out) {
  *out << "[" << region.begin << ", " << region.end << ") "
       << NameOf(region.reason);
}

}  // namespace headrace

namespace headrace::testing {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

inline const Status& StatusOf(const Status& status) { return status; }
template <class T>
const Status& StatusOf(const Result<T>& result) {
  return result.status();
}

// The argument is a Status or a Result.
MATCHER(IsOk, "is ok") { return StatusOf(arg).ok(); }

MATCHER_P(HasCode, code, std::string("has code ") + std::string(NameOf(code))) {
  return StatusOf(arg).code() == code;
}

// IsError compares these fields of an error; a field that is left out is not
// compared. The text need only hold the one that is given.
struct ErrorFields {
  std::optional<std::string> file = {};
  std::optional<std::string> feature = {};
  std::optional<uint64_t> record = {};
  std::optional<uint64_t> offset = {};
  std::optional<std::string> expected = {};
  std::optional<std::string> found = {};
  std::string text = {};
};

MATCHER_P2(IsErrorImpl, code, fields,
           std::string("is an error of code ") + std::string(NameOf(code))) {
  const Status& status = StatusOf(arg);
  const ErrorInfo info = status.info() ? *status.info() : ErrorInfo();
  return !status.ok() && status.code() == code &&
         info.file == fields.file.value_or(info.file) &&
         info.feature == fields.feature.value_or(info.feature) &&
         info.record == fields.record.value_or(info.record) &&
         info.offset == fields.offset.value_or(info.offset) &&
         info.expected == fields.expected.value_or(info.expected) &&
         info.found == fields.found.value_or(info.found) &&
         status.message().find(fields.text) != std::string_view::npos;
}

// A Status or Result matches IsError(ErrorCode::kWrongKind, {.feature = "a"}).
inline auto IsError(ErrorCode code, ErrorFields fields = {}) {
  return IsErrorImpl(code, std::move(fields));
}

// The value of a Result matches.
MATCHER_P(IsOkAndHolds, matcher, "") {
  if (!StatusOf(arg).ok()) return false;
  return ::testing::ExplainMatchResult(matcher, *arg, result_listener);
}

// A Result<Batch>, or a Batch, must say what the naive decoder says.
MATCHER_P(Decodes, expected, "agrees with: " + ToText(expected)) {
  const std::string difference = Difference(expected, arg);
  *result_listener << difference;
  return difference.empty();
}

// A column has these cells: ColumnIs<int64_t>("a", {{{1, 2}}, std::nullopt}).
template <class T>
using Cells = std::vector<std::optional<std::vector<T>>>;

template <class T>
std::span<const T> ValuesOf(const Column& column) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return column.int64s();
  } else if constexpr (std::is_same_v<T, float>) {
    return column.floats();
  } else {
    return column.bytes();
  }
}

template <class T>
constexpr Kind KindOf() {
  if constexpr (std::is_same_v<T, int64_t>) {
    return Kind::kInt64;
  } else if constexpr (std::is_same_v<T, float>) {
    return Kind::kFloat;
  } else {
    return Kind::kBytes;
  }
}

// T is int64_t, float or std::string_view; the column must be of its kind.
template <class T>
Cells<T> CellsOf(const Column& column) {
  Cells<T> cells;
  for (size_t row = 0; row < column.num_rows; ++row) {
    if (column.IsNull(row)) {
      cells.emplace_back();
      continue;
    }
    const auto begin = static_cast<size_t>(column.offsets[row]);
    const auto end = static_cast<size_t>(column.offsets[row + 1]);
    const auto values = ValuesOf<T>(column).subspan(begin, end - begin);
    cells.emplace_back(std::vector<T>(values.begin(), values.end()));
  }
  return cells;
}

MATCHER_P2(ColumnIsImpl, name, cells, "") {
  using Optional = typename std::decay_t<decltype(cells)>::value_type;
  using T = typename Optional::value_type::value_type;
  if (arg.name != name || arg.kind != KindOf<T>()) {
    *result_listener << "is column \"" << arg.name << "\" of "
                     << KindName(arg.kind);
    return false;
  }
  return ::testing::ExplainMatchResult(::testing::Eq(cells), CellsOf<T>(arg),
                                       result_listener);
}

template <class T>
auto ColumnIs(std::string name, Cells<T> cells) {
  return ColumnIsImpl(std::move(name), std::move(cells));
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_MATCHERS_H_
