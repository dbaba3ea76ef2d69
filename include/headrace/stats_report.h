// These write what a StatsSummary says: as JSON, as a page for people, as the
// statistics of TensorFlow Metadata, beside another summary, and beside a
// schema.
//
// Any number of threads may call these. Nothing here fails, except that it
// throws std::bad_alloc.

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

// One JSON object; docs/formats/stats.md describes its members.
HEADRACE_EXPORT std::string StatsJson(const StatsSummary& stats);

// A page of HTML that needs nothing else: it opens from disk, without network,
// and can be read without script. With `other`, it shows both side by side, and
// `name` and `other_name` say which is which.
struct PageOptions {
  std::string title = {};  // default: the names of the files
  // These name `stats` and the other one beside it; default: their files.
  std::string name = {};
  std::string other_name = {};
  // Leave out <html> and what goes with it, for a notebook.
  bool fragment = false;
};
HEADRACE_EXPORT std::string StatsPage(const StatsSummary& stats,
                                      const PageOptions& options = {},
                                      const StatsSummary* other = nullptr);

// Why something deserves attention, the gravest reason first. The first three
// are of the files, not of a feature.
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
};
// The names are "damaged", "bad_records" and so on.
template <>
HEADRACE_EXPORT std::span<const EnumName<RemarkReason>> EnumNames();

// A Remark says what deserves attention; the page lists them.
struct Remark {
  std::string feature = {};
  bool in_sequence = false;
  RemarkReason reason = RemarkReason::kDamaged;
  std::string text = {};  // a sentence
};
HEADRACE_EXPORT std::vector<Remark> FindRemarks(const StatsSummary& stats);

// A serialized tensorflow.metadata.v0.DatasetFeatureStatisticsList with one
// dataset, as TensorFlow Data Validation makes and reads it; and the same as
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
  // Distances are those of TensorFlow Data Validation, 0 to 1: the largest
  // difference between shares of a value (of bytes and categories), and the
  // Jensen-Shannon divergence of the distributions. Both are empty where a side
  // has no values; the divergence also where not all values of bytes are
  // counted (top_error).
  std::optional<double> linf = {};
  std::optional<double> js_divergence = {};

  // The largest of the distances and of the difference of presence; 1 for a
  // feature that one side lacks, or has as another kind.
  double distance() const;
};

// All features of either, the most different first.
HEADRACE_EXPORT std::vector<FeatureDifference> CompareStats(
    const StatsSummary& first, const StatsSummary& second);

// Something that a schema forbids, or a distance above its threshold.
struct Anomaly {
  // A path, such as "age" or "##SEQUENCE##.frames"; a step in which . ( ) or '
  // are stands in quotes. Empty for the dataset as a whole.
  std::string feature = {};
  // The name of TensorFlow Metadata's AnomalyInfo.Type, such as
  // "INT_TYPE_BIG_INT"; a feature may have several.
  std::string type = {};
  std::string short_text = {};
  std::string text = {};
};
// What TensorFlow Data Validation's validate_statistics finds, those of the
// dataset first, then by path. `environment` and what goes with it in the
// schema is not looked at if it is empty. Drift is the distance from
// `previous`, skew that from `serving`; each may be null.
// docs/formats/anomalies.md has the types, and where that differs.
HEADRACE_EXPORT std::vector<Anomaly> FindAnomalies(
    const StatsSummary& stats, const Schema& schema,
    const std::string& environment = {}, const StatsSummary* previous = nullptr,
    const StatsSummary* serving = nullptr);

// The int64 features that the schema calls categorical, for
// StatsOptions::categorical.
HEADRACE_EXPORT std::vector<std::string> CategoricalFeatures(
    const Schema& schema);

// The schema that TensorFlow Data Validation's infer_schema makes of the
// statistics: kinds, presence, numbers of values, and with `domains` the values
// of features with few of them, and (which it does not infer) ranges of
// numbers. A feature that never has a kind is BYTES, as there. FindAnomalies
// finds nothing in the statistics that it was made of.
struct InferOptions {
  bool domains = false;
  size_t max_string_domain = 100;
};
HEADRACE_EXPORT Schema InferSchema(const StatsSummary& stats,
                                   const InferOptions& options = {});

}  // namespace headrace

#endif  // HEADRACE_STATS_REPORT_H_
