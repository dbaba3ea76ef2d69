// Before a plan decodes records, FirstLook inspects the first of them: whether
// they have the plan's message type, and which features of the plan none of
// them has. AbsentSlots then keeps track of the features that no decoded row
// has had. Reader, Decoder and Dataset use both.

#ifndef HEADRACE_SRC_READ_READER_FIRST_LOOK_H_
#define HEADRACE_SRC_READ_READER_FIRST_LOOK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/notice.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/decode/column/column_set.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/late_features.h"
#include "src/plan/infer/message_judge.h"
#include "src/read/batch/batch_storage.h"

namespace headrace::reader {

class FirstLook {
 public:
  static constexpr size_t kRecords = 256;
  static constexpr uint64_t kBytes = uint64_t{16} << 20;

  // Columns that a sample has found never count as missing.
  explicit FirstLook(const Plan& plan);

  // Whether another record can change the findings. False once all features are
  // found, usually in the first record, and after kRecords records or kBytes
  // bytes.
  bool WantsMore() const;
  // Inspects a record. The message type of a malformed one is not judged.
  void Add(std::string_view payload);

  // Whether the records are of the plan's message, and each feature of the plan
  // is in at least one record.
  bool FoundAll() const;
  // Adds the message and the features that `other` has found. `other` has the
  // same plan.
  void AddFound(const FirstLook& other);

  // Returns at most `most` notices for the user; none before the first
  // well-formed record.
  std::vector<Notice> Notices(OnAbsent on_absent, size_t most) const;
  // Returns the error that a reader of the plan reports for these records:
  // kMalformed if they are of another message; with OnAbsent::kError,
  // kMissingFeature if a feature is in none of them. Success for
  // OnAbsent::kIgnore.
  Status Judge(OnAbsent on_absent) const;

 private:
  // A feature that the plan names.
  struct Wanted {
    size_t place = 0;  // in the plan
    bool has_default = false;
    bool is_found = false;
  };
  using Keys = std::set<std::string, std::less<>>;

  void NoteKey(std::string_view key, bool in_sequence);
  std::vector<Notice> Missing() const;
  void FindSimilar(Notice* notice) const;

  const MessageType message_;
  const bool is_of_sample_;
  MessageJudge judge_;
  std::map<std::string, Wanted, std::less<>> wanted_[2];  // by in_sequence
  size_t num_wanted_ = 0;
  size_t num_found_ = 0;
  Keys others_[2];  // in the records, not in the plan
  uint64_t num_records_ = 0;
  // Including malformed records.
  uint64_t seen_records_ = 0;
  uint64_t seen_bytes_ = 0;
  // Whether some record has feature lists, or is a list of Examples, although
  // the plan is for Examples.
  bool has_lists_ = false;
  bool is_elwc_ = false;
};

// Sets the report's count of records whose feature lists were left out, and
// adds or updates the notice about them.
void NoteLists(uint64_t num_lists, ReadReport* report);

// Calls NoteLists, and sets the report's late features, of which at most `most`
// are listed.
void NoteLate(const infer::LateFeatures& late, size_t most, ReadReport* report);

// Remembers which features of a plan no row has had so far.
class AbsentSlots {
 public:
  AbsentSlots() = default;  // no features, so none is absent
  explicit AbsentSlots(const Plan& plan);

  bool empty() const { return slots_.empty() && in_lists_.empty(); }

  // Notes which features the rows of a batch have. Call it before the batch is
  // handed out. Returns whether the result of List has changed.
  bool Note(BatchStorage* storage);

  // Returns the absent features in plan order, at most `most`; none before the
  // first row.
  std::vector<AbsentFeature> List(const Plan& plan, size_t most) const;

 private:
  std::vector<uint32_t> slots_;
  std::vector<uint32_t> in_lists_;  // of the listed Examples
  bool has_rows_ = false;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_FIRST_LOOK_H_
