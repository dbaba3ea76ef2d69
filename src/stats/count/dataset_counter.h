// DatasetCounter implements FeatureStats. It has a counter for each feature,
// and counts of the dataset as a whole.

#ifndef HEADRACE_SRC_STATS_COUNT_DATASET_COUNTER_H_
#define HEADRACE_SRC_STATS_COUNT_DATASET_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/batch.h"
#include "headrace/message.h"
#include "headrace/notice.h"
#include "headrace/stats.h"
#include "src/decode/census/block_counter.h"
#include "src/stats/count/feature_counter.h"

namespace headrace::stats {

// The first bytes of serialized statistics.
inline constexpr std::string_view kStateMagic = "HRSTATS2";

class DatasetCounter final : public census::BlockCounter {
 public:
  DatasetCounter(StatsOptions options, bool padded_input);

  // Counts records of one file; see FeatureStats::AddRecords.
  Status AddRecords(std::string_view file,
                    std::span<const NumberedRecord> records,
                    const Refused& refused);
  Status AddBatch(const Batch& batch, std::span<const std::string> files);
  void AddFile(const FileSummary& file);
  void AddBad(uint64_t records, uint64_t regions);
  Status Merge(const DatasetCounter& other);

  uint64_t num_records() const { return num_records_; }
  uint64_t num_lists_left_out() const { return num_lists_left_out_; }
  std::vector<Notice> ToNotices() const;
  StatsSummary ToSummary() const;

  std::string Serialize() const;
  // Returns false if the bytes are not serialized statistics; the counter may
  // then only be destroyed.
  bool Parse(std::string_view bytes);

 private:
  // Whether it is a feature list, and its name: feature lists sort after
  // features.
  using Key = std::pair<bool, std::string>;
  struct Known {
    Kind kind = Kind::kNull;                // that plans expect
    std::optional<FeatureCounter> counter;  // empty if not asked for
  };
  using Features = std::map<Key, Known>;

  Status Walk(const NumberedRecord& record) override;
  void CountRows(const column::ColumnSet& columns,
                 std::span<const NumberedRecord* const> records) override;
  size_t num_columns() const override { return features_.size(); }
  uint64_t num_kinds() const override { return num_kinds_; }
  std::vector<ColumnField> columns() const override;
  MessageType message() const override { return options_.message; }
  void NotePlan(const plan::Program& program) override;

  // Notes what notices will say about the records, including those that cannot
  // be counted.
  void NoteRecords(std::span<const NumberedRecord> records);
  // Returns null if there are too many features.
  Known* Find(std::string_view name, bool in_sequence);
  void NoteKind(Known* known, Kind kind);
  // Notes that one more feature has a table of values, which may reduce the
  // capacity of all tables.
  void NoteBytes();
  size_t Capacity() const;
  template <class Step>
  void AddTo(Known* known, const Step& step);
  void CountFeature(const FeatureRows& rows, Known* known,
                    const RowContext& context);

  bool splits() const { return !options_.by.empty(); }
  // Sets classes_ to the class of each row. `by` is the feature to split by;
  // null if the batch lacks it.
  void FindClasses(const FeatureRows* by, size_t num_rows);
  uint32_t ClassOf(std::string_view value);
  uint32_t ClassOf(const Feature& feature);
  // Returns an error if the previous call met too many features or classes, or
  // floats in the feature to split by.
  Status CheckLimits() const;

  bool ParseOptions(std::string_view* bytes);
  bool ParseDataset(std::string_view* bytes);
  bool ParseFeatures(std::string_view* bytes);

  StatsOptions options_;
  std::set<std::string, std::less<>> selected_;
  std::set<std::string, std::less<>> categorical_;
  std::string file_;  // of the records that are being added

  Features features_;
  std::vector<Known*> slots_;  // of the plan
  uint64_t num_kinds_ = 0;
  size_t num_counters_ = 0;
  bool has_too_many_ = false;  // features
  size_t num_with_bytes_ = 0;

  uint64_t num_records_ = 0;
  uint64_t num_bytes_ = 0;
  uint64_t bad_records_ = 0;
  uint64_t regions_ = 0;
  uint64_t num_lists_left_out_ = 0;
  bool has_field_ = false;  // some record has a field of the message
  std::map<std::string, FileSummary> files_;

  std::map<std::string, uint32_t, std::less<>> class_indexes_;
  std::vector<uint64_t> class_counts_;
  std::vector<uint32_t> classes_;  // of the rows that are being added
  bool by_has_floats_ = false;
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_COUNT_DATASET_COUNTER_H_
