// Columns of the naive decoder's messages, and any others, have the same plain
// form here, so that they can be compared and printed.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_COLUMNS_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_COLUMNS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "tests/naive/naive_decoder.h"

namespace headrace::testing {

using NaiveSteps = std::vector<std::optional<NaiveFeature>>;

struct NaiveColumn {
  std::string name;
  Kind kind = Kind::kNull;
  bool in_sequence = false;  // a child of the struct ##SEQUENCE##
  // A cell of an Example is null where empty, and has the column's kind.
  std::vector<std::optional<NaiveFeature>> rows = {};
  // Cells of a feature list are steps instead, null where unset.
  std::vector<std::optional<NaiveSteps>> lists = {};

  bool operator==(const NaiveColumn&) const = default;
};

// The result is an error, or columns.
struct NaiveResult {
  ErrorCode code = ErrorCode::kOk;
  uint64_t record = kUnknown;
  // An error may name any of these, which are at fault in that record.
  std::set<std::string> features;

  size_t num_rows = 0;
  // Feature lists come last, flattened out of their struct.
  std::vector<NaiveColumn> columns;
  // There is a struct ##SEQUENCE##, perhaps without children. A batch cannot
  // say so, its plan can: Difference() does not look at it.
  bool has_sequence_struct = false;

  bool ok() const { return code == ErrorCode::kOk; }
};

// Gives columns as asked for. The lowest bad record is the error; in it
// malformed bytes go before a wrong kind.
NaiveResult NaiveDecode(std::span<const std::string_view> records,
                        std::span<const ColumnField> columns);

// Values of other keys are not looked at.
NaiveResult NaiveDecodeSelected(std::span<const std::string_view> records,
                                std::span<const ColumnField> columns);

// Bad records are skipped; `skipped` gets their errors.
NaiveResult NaiveDecodeSkipping(std::span<const std::string_view> records,
                                std::span<const ColumnField> columns,
                                std::vector<NaiveResult>* skipped);

// Reading without a plan finds these columns: the union of keys, sorted, each
// of the kind of its first typed occurrence, which later records must have,
// too.
NaiveResult NaiveDecodeAny(std::span<const std::string_view> records);

// NaiveDecodeAny finds these fields. Records that are malformed or contradict
// an earlier kind add nothing.
std::vector<ColumnField> NaiveFields(std::span<const std::string_view> records);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_COLUMNS_H_
