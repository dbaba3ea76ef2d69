// FeatureView presents a feature of statistics as TensorFlow Data Validation
// sees it. It is a feature of a summary, or the struct of all feature lists,
// which has no summary.

#ifndef HEADRACE_SRC_STATS_REPORT_FEATURE_VIEW_H_
#define HEADRACE_SRC_STATS_REPORT_FEATURE_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headrace/schema.h"
#include "headrace/stats_summary.h"
#include "src/plan/schema/source_columns.h"

namespace headrace {

class FeatureView {
 public:
  // The struct of all feature lists.
  explicit FeatureView(const StatsSummary& stats) : stats_(&stats) {}
  FeatureView(const StatsSummary& stats, const FeatureSummary& feature)
      : stats_(&stats), feature_(&feature) {}

  schema::ColumnPath path() const;
  // A feature that never has a kind counts as bytes.
  tfmd::FeatureType type() const;
  bool is_struct() const { return feature_ == nullptr; }
  // Null for the struct.
  const FeatureSummary* feature() const { return feature_; }

  uint64_t records() const { return stats_->records; }
  // Every record has the struct.
  uint64_t present() const {
    return is_struct() ? records() : feature_->present;
  }
  uint64_t missing() const { return records() - present(); }

  // The lengths of the lists of a level. The first level has the lists of
  // records; feature lists have a second one, with the lists of steps.
  struct Level {
    uint64_t min;
    uint64_t max;
    uint64_t missing;  // absent lists
  };
  std::vector<Level> levels() const;

  // The counts of bytes or categories; null if there are none. See NamedValues.
  const BytesStats* named_values() const;
  // Null if values are of another kind.
  const NumberStats<int64_t>* ints() const;
  const NumberStats<float>* floats() const;

 private:
  const StatsSummary* stats_;
  const FeatureSummary* feature_ = nullptr;
};

// The least and the greatest of all values, infinities included; empty if all
// are NaN.
template <class T>
struct ValueRange {
  T min;
  T max;
};
std::optional<ValueRange<float>> RangeOf(const NumberStats<float>& numbers);

// Returns the features of the summary except feature lists, then the struct of
// these if the records are SequenceExamples.
std::vector<FeatureView> RootViews(const StatsSummary& stats);
// Returns the feature lists.
std::vector<FeatureView> ListViews(const StatsSummary& stats);

// Returns the path as TensorFlow Data Validation writes it, with dots between
// the steps. A step is quoted if it is empty or has one of the characters .()',
// unless it is one pair of parentheses around other characters.
std::string PathText(const schema::ColumnPath& path);

// The numbers that values represent as text. A value of which the statistics
// keep only the first bytes does not count as a number.
template <class T>
struct TextNumbers {
  std::optional<ValueRange<T>> range = {};  // of all numbers but NaN
  bool has_nan = false;
  // The first value that is not a number. The values after it were not read.
  std::optional<std::string> not_a_number = {};
};

TextNumbers<int64_t> WholeNumbers(const BytesStats& values);
TextNumbers<float> DecimalNumbers(const BytesStats& values);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_FEATURE_VIEW_H_
