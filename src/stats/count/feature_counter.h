// FeatureCounter counts everything that StatsSummary says about one feature.

#ifndef HEADRACE_SRC_STATS_COUNT_FEATURE_COUNTER_H_
#define HEADRACE_SRC_STATS_COUNT_FEATURE_COUNTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "headrace/stats_summary.h"
#include "src/stats/count/feature_rows.h"
#include "src/stats/count/value_counter.h"
#include "src/stats/sketch/number_sums.h"
#include "src/stats/sketch/quantile_sketch.h"

namespace headrace::stats {

template <class T>
struct NumberCounter {
  NumberSums<T> sums;
  QuantileSketch<T> sketch;

  void Add(std::span<const T> values);
  void Merge(const NumberCounter& other);
  NumberStats<T> ToStats() const;
  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);
};

// Counts a feature in the records of one class.
struct ClassCounter {
  uint64_t present = 0;
  NumberSums<int64_t> int64s;
  NumberSums<float> floats;

  void Merge(const ClassCounter& other);
  ClassStats ToStats() const;
  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);
};

// The first record with some property, in the order of files and records.
struct First {
  std::string file;
  uint64_t record = 0;
  Kind kind = Kind::kNull;

  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);
};

class FeatureCounter {
 public:
  FeatureCounter(std::string name, bool in_sequence, bool is_categorical)
      : name_(std::move(name)),
        in_sequence_(in_sequence),
        is_categorical_(is_categorical) {}

  // Returns the kind of the first added record that has one.
  Kind kind() const { return kind_added_; }
  // Whether a ValueCounter counts the feature's values.
  bool has_bytes() const { return bytes_ || categories_; }
  void SetCapacity(size_t capacity);

  void Add(const FeatureRows& rows, const RowContext& context);
  // Adds the feature or the feature list of one record; its steps may be of
  // several kinds. The context has one row.
  void AddFeature(const Feature& feature, const RowContext& context);
  void AddList(std::span<const Feature> steps, const RowContext& context);
  void Merge(const FeatureCounter& other,
             std::span<const uint32_t> classes_of_other);
  // The summary has only the classes with these indexes.
  FeatureSummary ToSummary(uint64_t records,
                           std::span<const uint32_t> classes) const;

  void Append(std::string* out) const;
  // Parses what follows the name of the feature. Returns false if the bytes
  // contradict themselves or these numbers of records and classes.
  bool Parse(std::string_view* bytes, uint64_t records, size_t classes);

 private:
  void CountRows(const FeatureRows& rows);
  void CountSteps(const FeatureRows& rows);
  void AddValues(Kind kind, const void* values, size_t size,
                 const RowContext& context);
  void AddToClass(Kind kind, const void* values, size_t size, uint32_t index);
  void AddToClasses(const FeatureRows& rows, const RowContext& context);
  void NoteListKinds(const FeatureRows& rows, const RowContext& context);
  // Notes that the record at this place has the feature, with this kind.
  void NotePlace(const RowPlace& place, Kind kind);
  ValueCounter* Started(std::optional<ValueCounter>* counter);

  std::string name_;
  bool in_sequence_;
  bool is_categorical_;
  Kind kind_added_ = Kind::kNull;
  size_t capacity_ = 0;

  uint64_t present_ = 0;
  uint64_t unset_ = 0;
  std::array<uint64_t, 4> present_as_ = {};
  std::optional<First> first_;       // with the feature
  std::optional<First> first_kind_;  // with a kind
  LengthCounter lengths_;
  LengthCounter steps_;
  LengthCounter step_lengths_;
  uint64_t unset_steps_ = 0;
  uint64_t encoded_bytes_ = 0;
  std::optional<NumberCounter<int64_t>> int64s_;
  std::optional<NumberCounter<float>> floats_;
  std::optional<ValueCounter> bytes_;
  std::optional<ValueCounter> categories_;
  std::vector<ClassCounter> classes_;
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_COUNT_FEATURE_COUNTER_H_
