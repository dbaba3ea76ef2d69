// FeatureRows is a feature in some records, in the layout of columns. It is
// made from the builder while a batch is filled, or from a column of a batch.

#ifndef HEADRACE_SRC_STATS_COUNT_FEATURE_ROWS_H_
#define HEADRACE_SRC_STATS_COUNT_FEATURE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/message.h"
#include "headrace/types.h"
#include "src/decode/column/column_set.h"

namespace headrace::stats {

// The marks of rows and steps.
inline constexpr uint8_t kNullMark = 0;
inline constexpr uint8_t kTypedMark = 1;
inline constexpr uint8_t kUnsetMark = 2;  // has the key, but no kind

// Row r has values [offsets[r], offsets[r + 1]). Without offsets every row has
// one value, and without marks all are typed.
struct Lists {
  const int32_t* offsets = nullptr;
  const uint8_t* marks = nullptr;
  size_t size = 0;
};

struct FeatureRows {
  Kind kind = Kind::kNull;  // of all values; kNull if no row is typed
  bool in_sequence = false;
  Lists rows = {};  // of a feature list: lists of steps
  // Of feature lists only; a step without a kind is kNullMark.
  Lists steps = {};
  const void* values = nullptr;
  size_t num_values = 0;

  template <class T>
  std::span<const T> ValuesAs() const {
    return {static_cast<const T*>(values), num_values};
  }
};

// Where a row's record is.
struct RowPlace {
  std::string_view file;
  uint64_t record;
};

struct RowContext {
  std::function<RowPlace(size_t row)> place;
  // The class of each row, kNoClass for none; empty if no feature `by` was
  // asked for.
  std::span<const uint32_t> classes = {};
  bool keep_pictures = false;
};
inline constexpr uint32_t kNoClass = ~uint32_t{0};
// Maximum number of values of a feature `by`.
inline constexpr size_t kMaxClasses = 100;

// The builder's set must mark cells without a kind, and be settled. Rows after
// the last one that has the feature are left out.
FeatureRows RowsOf(const column::Builder& builder);

class ColumnRows {
 public:
  // The rows are valid until the next call.
  FeatureRows Of(const Column& column);

 private:
  std::vector<uint8_t> marks_;
  std::vector<uint8_t> step_marks_;
  std::vector<int32_t> no_offsets_;
};

// Returns the bytes, as canonical protobuf, of all rows that have the feature,
// each with its key.
uint64_t EncodedSize(size_t key_size, const FeatureRows& rows);
// Does the same for one record's feature list.
uint64_t EncodedSize(size_t key_size, std::span<const Feature> steps);

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_COUNT_FEATURE_ROWS_H_
