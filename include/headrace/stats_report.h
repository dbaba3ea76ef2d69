// Reports of a StatsSummary: as JSON, as a page for people, as the statistics
// of TensorFlow Metadata, compared with another summary, and checked against a
// schema.
//
// Any number of threads may call these functions. They do not fail, except that
// they throw std::bad_alloc.

#ifndef HEADRACE_STATS_REPORT_H_
#define HEADRACE_STATS_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "headrace/export.h"
#include "headrace/schema.h"
#include "headrace/stats_summary.h"

namespace headrace {

// Returns one JSON object; docs/formats/stats.md describes its members.
HEADRACE_EXPORT std::string StatsJson(const StatsSummary& stats);

// A self-contained page of HTML: it opens from disk, without network, and can
// be read without scripts. With `other`, it shows both side by side, and `name`
// and `other_name` say which is which.
struct PageOptions {
  std::string title = {};  // default: the names of the files
  // The names of `stats` and `other` on the page; default: the names of their
  // files.
  std::string name = {};
  std::string other_name = {};
  // Leave out <html> and what goes with it, for a notebook.
  bool fragment = false;
};
HEADRACE_EXPORT std::string StatsPage(const StatsSummary& stats,
                                      const PageOptions& options = {},
                                      const StatsSummary* other = nullptr);

// Why something deserves attention, the most serious reason first. The first
// three are about the files, not about a feature.
enum class RemarkReason : uint8_t {
  kDamaged,
  kBadRecords,
  kNoRecords,
  kKinds,
  kNan,
  kInfinite,
  kMissing,
  kEmpty,
  kLate,
  kOddLengths,
  kNotUtf8,
  kLargeInts,
  kConstant,
  kDominant,
  kTensors,  // values are TensorProtos, which a spec can read
};
// The names are "damaged", "bad_records" and so on.
template <>
HEADRACE_EXPORT std::span<const EnumName<RemarkReason>> EnumNames();

// Something that deserves attention; the page lists all remarks.
struct Remark {
  std::string feature = {};
  bool in_sequence = false;
  RemarkReason reason = RemarkReason::kDamaged;
  std::string text = {};  // a sentence
};
HEADRACE_EXPORT std::vector<Remark> FindRemarks(const StatsSummary& stats);

// Return a serialized tensorflow.metadata.v0.DatasetFeatureStatisticsList with
// one dataset, as TensorFlow Data Validation makes and reads it, or the same as
// text.
HEADRACE_EXPORT std::string StatsTfdv(const StatsSummary& stats);
HEADRACE_EXPORT std::string StatsTfdvText(const StatsSummary& stats);

// How a feature differs between two summaries.
struct HEADRACE_EXPORT FeatureDifference {
  std::string name = {};
  bool in_sequence = false;
  bool in_first = false;  // the summary has it
  bool in_second = false;
  Kind first_kind = Kind::kNull;
  Kind second_kind = Kind::kNull;
  // The share of records that have it.
  double first_presence = 0;
  double second_presence = 0;
  // The distances of TensorFlow Data Validation, 0 to 1. `linf`, only for bytes
  // and categories, is the largest difference between a value's share in one
  // summary and its share in the other. `js_divergence` is the Jensen-Shannon
  // divergence of the distributions. Both are empty if one summary has no
  // values; js_divergence is also empty if not all values of bytes are counted
  // (top_error is then above 0).
  std::optional<double> linf = {};
  std::optional<double> js_divergence = {};

  // Returns the largest of the two distances and the difference of presence; 1
  // for a feature that one summary lacks, or that has a different kind in each.
  double distance() const;
};

// Returns the differences of all features of either summary, the largest first.
HEADRACE_EXPORT std::vector<FeatureDifference> CompareStats(
    const StatsSummary& first, const StatsSummary& second);

// Something that a schema forbids, or a distance above its threshold.
struct Anomaly {
  // A path, such as "age" or "##SEQUENCE##.frames"; a step that has . ( ) or '
  // in it is in quotes. Empty for the dataset as a whole.
  std::string feature = {};
  // The name of TensorFlow Metadata's AnomalyInfo.Type, such as
  // "INT_TYPE_BIG_INT"; a feature may have several.
  std::string type = {};
  std::string short_text = {};
  std::string text = {};
};
// Returns the anomalies that TensorFlow Data Validation's validate_statistics
// finds: first those of the dataset, then those of features, sorted by path. If
// `environment` is empty, the environments in the schema are ignored. Drift is
// the distance from `previous`, skew the distance from `serving`; each may be
// null. docs/formats/anomalies.md lists the types, and the differences from
// TensorFlow Data Validation.
HEADRACE_EXPORT std::vector<Anomaly> FindAnomalies(
    const StatsSummary& stats, const Schema& schema,
    const std::string& environment = {}, const StatsSummary* previous = nullptr,
    const StatsSummary* serving = nullptr);

// Returns the int64 features that the schema calls categorical, for
// StatsOptions::categorical.
HEADRACE_EXPORT std::vector<std::string> CategoricalFeatures(
    const Schema& schema);

// The schema that TensorFlow Data Validation's infer_schema makes of the
// statistics: kinds, presence, numbers of values. `domains` adds the values of
// features that have few different values and, unlike infer_schema, ranges of
// numbers. A feature that never has a kind is BYTES, as in infer_schema.
// FindAnomalies finds nothing in the statistics from which the schema was made.
struct InferOptions {
  bool domains = false;
  size_t max_string_domain = 100;
};
HEADRACE_EXPORT Schema InferSchema(const StatsSummary& stats,
                                   const InferOptions& options = {});

}  // namespace headrace

#endif  // HEADRACE_STATS_REPORT_H_
