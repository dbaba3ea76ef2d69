// FeatureCensus: which features some records have, of which kind, how often.
//
// Counts in one streaming pass; memory grows with the number of distinct keys
// only. Not thread-safe.

#ifndef HEADRACE_CENSUS_H_
#define HEADRACE_CENSUS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// A record with another kind for a key than the first record that had one.
struct KindConflict {
  std::string feature = {};
  Kind first = Kind::kNull;
  uint64_t first_record = 0;  // as given to Add
  Kind second = Kind::kNull;
  uint64_t second_record = 0;
};

struct FeatureCount {
  // Of the first typed occurrence; kNull while there is none.
  Kind kind = Kind::kNull;
  uint64_t first_typed_record = 0;
  uint64_t present = 0;  // records (for feature lists: steps) that have the key
  uint64_t unset = 0;    // of these, how many without a kind
  uint64_t empty = 0;    // of these, how many with a kind and no values
  uint64_t values = 0;   // in all
  // Over those that have a kind; meaningless when there is none.
  uint64_t min_length = ~uint64_t{0};
  uint64_t max_length = 0;
  // The first value met, as one JSON value (bytes shortened); may be empty.
  std::string example;

  // Feature lists only: records that have the list, and their steps.
  uint64_t lists = 0;
  uint64_t min_steps = ~uint64_t{0};
  uint64_t max_steps = 0;
};

class FeatureCensus {
 public:
  // kExample, kSequence, or kAuto: then the records are SequenceExamples if one
  // of the first 100 has feature lists, and Examples otherwise.
  explicit FeatureCensus(MessageType message = MessageType::kExample);

  // Counts one serialized message; `record` is only remembered for reports.
  // kMalformed leaves the census as it was. A record whose kind for some key
  // contradicts the first is kWrongKind (expected, found and feature are
  // filled in), and so is one whose steps contradict one another; it is listed
  // in conflicts() and counts nothing else, so a bad record shows no column.
  // kOutOfMemory is final: some of the record may have been counted.
  Status Add(std::string_view payload, uint64_t record);

  // kExample or kSequence: what kAuto comes to after the records so far.
  MessageType message() const { return message_; }
  uint64_t num_records() const { return num_records_; }
  // Sorted by key, byte-wise.
  const std::map<std::string, FeatureCount>& features() const {
    return features_;
  }
  // SequenceExample only: of the feature lists.
  const std::map<std::string, FeatureCount>& feature_lists() const {
    return feature_lists_;
  }
  // Whether any record had the feature_lists message at all.
  bool has_feature_lists() const { return has_feature_lists_; }
  // The first of each key, 1,000 at most.
  const std::vector<KindConflict>& conflicts() const { return conflicts_; }
  uint64_t num_conflicts() const { return num_conflicts_; }

  // The columns of schemaless reading: sorted by name, of the kind found;
  // feature lists after the others.
  std::vector<ColumnField> columns() const;

 private:
  Status AddUndecided(std::string_view payload, uint64_t record);
  Status AddRecord(std::string_view payload, uint64_t record);

  MessageType message_;
  // While kAuto is not decided: the same records, counted as SequenceExamples.
  std::vector<FeatureCensus> as_sequences_;
  uint64_t num_undecided_ = 0;  // records that have been looked at
  Status status_;
  uint64_t num_records_ = 0;
  std::map<std::string, FeatureCount> features_;
  std::map<std::string, FeatureCount> feature_lists_;
  bool has_feature_lists_ = false;
  std::vector<KindConflict> conflicts_;
  uint64_t num_conflicts_ = 0;
};

}  // namespace headrace

#endif  // HEADRACE_CENSUS_H_
