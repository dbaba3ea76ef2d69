// FirstLook looks at the first records for a plan, before they are decoded: do
// they hold its message, and has any of them the features that it names?

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
#include "src/plan/infer/message_judge.h"

namespace headrace::reader {

class FirstLook {
 public:
  static constexpr size_t kRecords = 256;
  static constexpr uint64_t kBytes = uint64_t{16} << 20;

  // Of columns that were found from a sample nobody misses any.
  explicit FirstLook(const Plan& plan);

  // Whether further records, up to kRecords and kBytes, may change what was
  // found. Mostly one record has all features.
  bool WantsMore() const;
  // Records that are malformed tell nothing.
  void Add(std::string_view payload);

  // Whether the records are of the plan's message and have all its features.
  bool FoundAll() const;
  // Forgets what the records of `other`, of the same plan, have: a message of
  // the plan, or features.
  void Forget(const FirstLook& other);

  // What to tell the user of, at most `most` notices. Without records there is
  // nothing.
  std::vector<Notice> Notices(OnAbsent on_absent, size_t most) const;
  // The error that these records are for a reader of the plan: another message
  // (kMalformed), or for OnAbsent::kError a feature that none has
  // (kMissingFeature).
  Status Judge(OnAbsent on_absent) const;

 private:
  // A feature that the plan names.
  struct Wanted {
    size_t place = 0;  // in the plan
    bool has_default = false;
    bool is_found = false;
  };
  using Keys = std::set<std::string, std::less<>>;

  void Heed(std::string_view key, bool in_sequence);
  std::vector<Notice> Missing() const;
  void FindSimilar(Notice* notice) const;

  const MessageType message_;
  const bool is_of_sample_;
  MessageJudge judge_;
  std::map<std::string, Wanted, std::less<>> wanted_[2];  // by in_sequence
  size_t num_wanted_ = 0;
  size_t num_found_ = 0;
  Keys others_[2];  // of the records, not of the plan
  uint64_t num_records_ = 0;
  // With those that are malformed.
  uint64_t seen_records_ = 0;
  uint64_t seen_bytes_ = 0;
  // Though the plan is of Examples: feature lists, and lists of Examples.
  bool has_lists_ = false;
  bool is_elwc_ = false;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_FIRST_LOOK_H_
