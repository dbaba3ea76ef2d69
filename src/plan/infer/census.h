// FeatureCensus counts which features some records have, of which kind, and how
// often.
//
// Use it to look at unknown data; infer.h makes a spec or a schema from a
// census. A census counts in one pass, and its memory grows only with the
// number of distinct keys. BlockCensus (src/decode/census/block_census.h) makes
// a census of many records at the speed of decoding. One thread at a time may
// use either.

#ifndef HEADRACE_SRC_PLAN_INFER_CENSUS_H_
#define HEADRACE_SRC_PLAN_INFER_CENSUS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/export.h"
#include "headrace/notice.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/plan/infer/message_judge.h"

namespace headrace {

// A record whose kind for a key differs from the first kind found for that key.
struct KindConflict {
  std::string feature = {};
  Kind first = Kind::kNull;
  uint64_t first_record = 0;  // the number given to Add
  Kind second = Kind::kNull;
  uint64_t second_record = 0;
};

// The counts of one key.
struct FeatureCount {
  // The kind of the first typed occurrence; kNull until there is one.
  Kind kind = Kind::kNull;
  uint64_t first_typed_record = 0;
  uint64_t present = 0;  // records (of feature lists: steps) with the key
  uint64_t unset = 0;    // those of them without a kind
  uint64_t empty = 0;    // those of them with a kind and no values
  uint64_t values = 0;   // sum of all their values
  // The fewest and most values, if any record has a kind.
  uint64_t min_length = ~uint64_t{0};
  uint64_t max_length = 0;
  // The first value found, as text (bytes shortened); may be empty.
  std::string example;
  // Its type and shape if it is a TensorProto, like "float [28, 28]".
  std::string tensor;

  // Only for feature lists: the records that have the list, and their steps.
  uint64_t lists = 0;
  uint64_t min_steps = ~uint64_t{0};
  uint64_t max_steps = 0;
};

class FeatureCensus {
 public:
  // `message` is kExample, kSequence, kElwc or kAuto. With kAuto the first
  // records determine the message (message_judge.h).
  explicit FeatureCensus(MessageType message = MessageType::kExample);

  // Counts one serialized message; `record` is kept only for reports. After
  // kMalformed the census is unchanged. Returns kWrongKind, with feature,
  // expected and found, for a record whose kind for a key contradicts the
  // first, or whose steps contradict one another. Only conflicts() and
  // num_conflicts() count such a record, so a bad record adds no column.
  // kOutOfMemory is final: part of the record may have been counted.
  Status Add(std::string_view payload, uint64_t record);

  // Returns the judge of what the records hold, whatever they are read as. The
  // judge looks at every record until one has a field of the message.
  const MessageJudge& judge() const { return judge_; }
  // Records whose feature lists were left out, because the records are read as
  // Examples.
  uint64_t num_lists_left_out() const { return num_lists_left_out_; }
  // Notices about the records that were counted.
  std::vector<Notice> notices() const;

  // The message given; for kAuto, the message that the records so far show.
  MessageType message() const { return message_; }
  uint64_t num_records() const { return num_records_; }
  uint64_t num_examples() const { return num_examples_; }  // in lists
  // The counts by key, sorted byte-wise.
  const std::map<std::string, FeatureCount>& features() const
      HEADRACE_LIFETIME_BOUND {
    return features_;
  }
  // The same for the feature lists of SequenceExamples, and for the features of
  // the Examples of lists: each Example with the feature is a step.
  const std::map<std::string, FeatureCount>& feature_lists() const
      HEADRACE_LIFETIME_BOUND {
    return feature_lists_;
  }
  // Whether any record had the feature_lists message, even an empty one.
  bool has_feature_lists() const { return has_feature_lists_; }
  // The first conflict of each key, at most 1,000; num_conflicts counts all.
  const std::vector<KindConflict>& conflicts() const HEADRACE_LIFETIME_BOUND {
    return conflicts_;
  }
  uint64_t num_conflicts() const { return num_conflicts_; }

  // Returns the columns that a Reader without a plan finds: sorted by name, of
  // the kind found, feature lists last.
  std::vector<ColumnField> columns() const;

 private:
  friend class BlockCensus;

  Status AddUndecided(std::string_view payload, uint64_t record);
  Status AddRecord(std::string_view payload, uint64_t record);

  MessageJudge judge_;
  MessageType message_;
  // While kAuto is undecided: the same records, counted as the other types that
  // they may still have.
  std::vector<FeatureCensus> as_others_;
  uint64_t num_lists_left_out_ = 0;
  Status status_;
  uint64_t num_records_ = 0;
  uint64_t num_examples_ = 0;
  std::map<std::string, FeatureCount> features_;
  std::map<std::string, FeatureCount> feature_lists_;
  bool has_feature_lists_ = false;
  std::vector<KindConflict> conflicts_;
  uint64_t num_conflicts_ = 0;
  uint64_t num_kinds_ = 0;  // features and feature lists that have a kind
};

}  // namespace headrace

#endif  // HEADRACE_SRC_PLAN_INFER_CENSUS_H_
