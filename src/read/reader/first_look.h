// FirstLook inspects the first records before they are decoded with a plan: are
// they of its message type, and does any of them have the features it names?
// AbsentSlots then says which of these features the decoded rows lack.

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

  // If the plan's columns are from a sample, none of them counts as missing.
  explicit FirstLook(const Plan& plan);

  // Whether more records, up to kRecords and kBytes, can change the findings.
  // Usually one record has all features.
  bool WantsMore() const;
  // Adds a record. A malformed one is not judged.
  void Add(std::string_view payload);

  // Whether the records are of the plan's message and have all its features.
  bool FoundAll() const;
  // Marks as found what the records of `other`, which has the same plan, have:
  // the plan's message, or features.
  void AddFound(const FirstLook& other);

  // Returns at most `most` notices for the user; none without records.
  std::vector<Notice> Notices(OnAbsent on_absent, size_t most) const;
  // Returns the error that a reader of the plan reports for these records:
  // kMalformed for another message or, with OnAbsent::kError, kMissingFeature
  // for a feature that none has.
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
  // Although the plan is for Examples, records have feature lists, or are lists
  // of Examples.
  bool has_lists_ = false;
  bool is_elwc_ = false;
};

// Sets the report's total of records whose feature lists were left out, and
// adds or updates its notice.
void NoteLists(uint64_t num_lists, ReadReport* report);

// Does the same, and sets the late features, of which `most` are listed.
void NoteLate(const infer::LateFeatures& late, size_t most, ReadReport* report);

// Remembers which features of a plan no row has had so far.
class AbsentSlots {
 public:
  AbsentSlots() = default;  // no features, so none is absent
  explicit AbsentSlots(const Plan& plan);

  bool empty() const { return slots_.empty() && in_lists_.empty(); }

  // Notes which features the rows of a batch have, before the batch is handed
  // out. Returns whether List has changed; before the first row it is empty.
  bool Note(BatchStorage* storage);

  // Returns the absent features in plan order, at most `most`.
  std::vector<AbsentFeature> List(const Plan& plan, size_t most) const;

 private:
  std::vector<uint32_t> slots_;
  std::vector<uint32_t> in_lists_;  // of the listed Examples
  bool has_rows_ = false;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_FIRST_LOOK_H_
