// StatsSummary: what is known of a dataset after one pass over it, feature by
// feature. FeatureStats (stats.h) makes one; stats_report.h writes it as JSON,
// as a page, or as TensorFlow Metadata, and compares two.
//
// It is plain data: figures are exact unless a member says otherwise. Nothing
// here fails, except that containers throw std::bad_alloc.

#ifndef HEADRACE_STATS_SUMMARY_H_
#define HEADRACE_STATS_SUMMARY_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/export.h"
#include "headrace/types.h"

namespace headrace {

// How values are distributed: some of the values, in increasing order, each of
// which represents `weight` values. The weights add up to the number of values
// counted (NaN is not counted).
template <class T>
struct HEADRACE_EXPORT Distribution {
  struct Item {
    T value;
    uint64_t weight;
    bool operator==(const Item&) const = default;
  };

  std::vector<Item> items = {};
  uint64_t total = 0;
  // The maximum error of the rank of any item, as a share of all values, with
  // 99 % confidence; 0: the items are all values.
  double rank_error = 0;

  // Returns the smallest value such that at least a share q of all values, 0 to
  // 1, is not above it; T() if there are no values.
  T Quantile(double q) const;
  // Returns the number of values below `value`, or (with `inclusive`) not above
  // it.
  uint64_t Rank(T value, bool inclusive) const;

  bool operator==(const Distribution&) const = default;
};

// A distribution of lengths: the number of values or steps in a record, or of
// bytes in a value.
struct LengthStats {
  uint64_t count = 0;  // of lists or values
  uint64_t min = 0;    // 0 if count is 0
  uint64_t max = 0;
  uint64_t total = 0;
  Distribution<uint64_t> distribution = {};

  double mean() const {
    return count == 0 ? 0
                      : static_cast<double>(total) / static_cast<double>(count);
  }
  bool operator==(const LengthStats&) const = default;
};

// The numbers of one feature; T is int64_t or float. Mean and deviation are
// those of all int64 values, or of all finite float values.
template <class T>
struct NumberStats {
  uint64_t count = 0;  // values in all
  uint64_t zeros = 0;  // including -0.0
  uint64_t nan = 0;
  uint64_t positive_infinities = 0;
  uint64_t negative_infinities = 0;
  // Of the finite values; 0 if there are none.
  T min = 0;
  T max = 0;
  double mean = 0;
  double std_dev = 0;  // of the population
  // Of all values but NaN.
  Distribution<T> distribution = {};

  uint64_t finite() const {
    return count - nan - positive_infinities - negative_infinities;
  }
  bool operator==(const NumberStats&) const = default;
};

// The content of a bytes value, judged by its first bytes or as a whole.
enum class BytesLook : uint8_t {
  kOther,
  kText,  // UTF-8 without control characters
  kNumber,
  kJson,
  kJpeg,
  kPng,
  kGif,
  kWebp,
  kTensor,  // a serialized tensorflow.TensorProto
  kProto,   // a serialized protobuf message of some other type
};

// The names are "other", "text", "number", "json", "jpeg" and so on.
template <>
HEADRACE_EXPORT std::span<const EnumName<BytesLook>> EnumNames();

// A value of a feature, chosen at random from its distinct values.
struct BytesSample {
  std::string value = {};  // its first bytes, at most kSampleBytes of them
  uint64_t size = 0;       // of the whole value
  BytesLook look = BytesLook::kOther;
  uint32_t width = 0;  // of a picture, from its header; 0 if not found there
  uint32_t height = 0;
  // The whole value, for a few pictures that are small enough; else empty.
  std::string picture = {};

  bool operator==(const BytesSample&) const = default;
};
inline constexpr size_t kSampleBytes = 128;

// A value and its frequency: it occurs at least `count` times and, with 99 %
// confidence, at most `count` + `error` times.
struct ValueCount {
  std::string value = {};  // its first bytes, at most kTopBytes of them
  uint64_t size = 0;       // of the whole value
  uint64_t count = 0;
  uint64_t error = 0;  // 0: the count is exact

  bool operator==(const ValueCount&) const = default;
};
inline constexpr size_t kTopBytes = 256;

// The bytes values of one feature, or its integers as decimal text where they
// are categories.
struct BytesStats {
  uint64_t count = 0;
  LengthStats lengths = {};  // bytes of a value
  uint64_t utf8 = 0;         // values that are UTF-8
  // The number of distinct values. It is exact if distinct_error is 0;
  // otherwise its error is at most the share distinct_error of the number, with
  // 99 % confidence.
  uint64_t distinct = 0;
  double distinct_error = 0;
  // The most frequent values, by decreasing count; values with equal counts are
  // sorted byte-wise. At most StatsOptions::max_distinct.
  std::vector<ValueCount> top = {};
  // The maximum count of a value that is not in `top`, with 99 % confidence.
  uint64_t top_error = 0;
  // In random order, but the same for the same data.
  std::vector<BytesSample> samples = {};

  bool operator==(const BytesStats&) const = default;
};

// A feature in the records of one class (StatsOptions::by).
struct ClassStats {
  uint64_t present = 0;  // records of the class where the feature has a kind
  uint64_t count = 0;    // finite numbers in these records
  double mean = 0;       // of these numbers
  bool operator==(const ClassStats&) const = default;
};

struct FeatureSummary {
  std::string name = {};
  bool in_sequence = false;  // a feature list of SequenceExamples
  // The kind of the feature in the first record where it has one; kNull if
  // there is no such record. A feature of several kinds has more than one of
  // `int64s`, `floats` and `bytes`.
  Kind kind = Kind::kNull;

  // Numbers of records. A feature list is present in a record whatever its
  // steps are.
  uint64_t present = 0;  // with a kind
  uint64_t missing = 0;  // without the key
  uint64_t unset = 0;    // with the key, but without a kind
  // The number of records where the feature has each kind, in the order of
  // Kind. A feature list without a kind in any step is not counted.
  uint64_t present_as[4] = {};
  // The first record where the feature has a kind. The number is kUnknown if
  // only a part of a file was read and the numbers of its records are not
  // known.
  std::string first_file = {};
  uint64_t first_record = 0;

  // The number of values in each record where the feature is present; for a
  // feature list, in all its steps together.
  LengthStats values = {};
  // Only for feature lists: the number of steps in each record where the list
  // is present, the number of values in each step that has a kind, and the
  // number of steps that have none.
  LengthStats steps = {};
  LengthStats step_values = {};
  uint64_t unset_steps = 0;
  // The size of the feature as canonical protobuf, in bytes: keys, lengths,
  // values.
  uint64_t encoded_bytes = 0;

  std::optional<NumberStats<int64_t>> int64s = {};
  std::optional<NumberStats<float>> floats = {};
  std::optional<BytesStats> bytes = {};
  // Integers that a schema calls categorical, counted as text.
  std::optional<BytesStats> categories = {};

  std::vector<ClassStats> classes = {};  // for each of StatsSummary::classes

  bool operator==(const FeatureSummary&) const = default;
};

struct FileSummary {
  std::string name = {};
  uint64_t records = 0;
  uint64_t bytes = 0;  // of the uncompressed stream, framing included
  Compression compression = Compression::kNone;

  bool operator==(const FileSummary&) const = default;
};

struct HEADRACE_EXPORT StatsSummary {
  // kExample, kSequence, or kAuto if there are no records.
  MessageType message = MessageType::kAuto;
  uint64_t records = 0;
  uint64_t bytes = 0;                   // payloads of these records
  uint64_t bad_records = 0;             // skipped: not valid messages
  uint64_t regions = 0;                 // skipped: damaged
  std::vector<FileSummary> files = {};  // sorted by name; empty if not known
  // Sorted byte-wise by name; feature lists come last.
  std::vector<FeatureSummary> features = {};

  // The feature of StatsOptions::by and its classes: its most frequent values,
  // as text, with the number of records of each. Empty if no feature was asked
  // for.
  std::string by = {};
  std::vector<std::pair<std::string, uint64_t>> classes = {};

  // Returns the feature of that name; null if there is none.
  const FeatureSummary* Find(std::string_view name,
                             bool in_sequence = false) const;

  bool operator==(const StatsSummary&) const = default;
};

}  // namespace headrace

#endif  // HEADRACE_STATS_SUMMARY_H_
