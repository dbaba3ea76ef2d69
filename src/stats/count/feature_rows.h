// FeatureRows holds one feature of some records, in the layout of columns. It
// is made from the builder while a batch is filled, or from a column of a
// batch.

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

// Row r has values [offsets[r], offsets[r + 1]). Without offsets, every row has
// one value; without marks, every row is typed.
struct Lists {
  const int32_t* offsets = nullptr;
  const uint8_t* marks = nullptr;
  size_t size = 0;
};

struct FeatureRows {
  Kind kind = Kind::kNull;  // of all values; kNull if no row is typed
  bool in_sequence = false;
  Lists rows = {};  // for a feature list: lists of steps
  // Only for feature lists. A step without a kind has kNullMark.
  Lists steps = {};
  const void* values = nullptr;
  size_t num_values = 0;

  template <class T>
  std::span<const T> ValuesAs() const {
    return {static_cast<const T*>(values), num_values};
  }
};

// The place of a row's record.
struct RowPlace {
  std::string_view file;
  uint64_t record;
};

struct RowContext {
  std::function<RowPlace(size_t row)> place;
  // The class of each row, or kNoClass; empty if records are not split into
  // classes.
  std::span<const uint32_t> classes = {};
  bool keep_pictures = false;
};
inline constexpr uint32_t kNoClass = ~uint32_t{0};
// Maximum number of classes, the different values of the feature to split by.
inline constexpr size_t kMaxClasses = 100;

// Returns the rows up to the last one that has the feature. The builder's set
// must be settled and must mark cells without a kind.
FeatureRows RowsOf(const column::Builder& builder);

class ColumnRows {
 public:
  // Returns the rows of a column, valid until the next call.
  FeatureRows Of(const Column& column);

 private:
  std::vector<uint8_t> marks_;
  std::vector<uint8_t> step_marks_;
  std::vector<int32_t> no_offsets_;
};

// Returns the number of bytes that the feature takes in all rows that have it,
// as canonical protobuf, with its key in each.
uint64_t EncodedSize(size_t key_size, const FeatureRows& rows);
// Returns the same for the feature list of one record.
uint64_t EncodedSize(size_t key_size, std::span<const Feature> steps);

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_COUNT_FEATURE_ROWS_H_
