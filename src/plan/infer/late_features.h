// LateFeatures counts what the sample of an inferred plan did not show: keys
// that are not in the plan, and values of columns of kind kNull.

#ifndef HEADRACE_SRC_PLAN_INFER_LATE_FEATURES_H_
#define HEADRACE_SRC_PLAN_INFER_LATE_FEATURES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/notice.h"
#include "headrace/types.h"

namespace headrace::infer {

class LateFeatures {
 public:
  struct Count {
    Kind kind = Kind::kNull;  // in the first row
    uint64_t rows = 0;
    bool in_columns = false;
  };
  using Counts = std::map<std::string, Count, std::less<>>;

  // The maximum cost, in bytes, of the keys that are kept, once for features
  // and once for feature lists: a stream of new keys must not use up memory.
  static constexpr size_t kMaxBytes = size_t{1} << 20;
  // The cost of a key in addition to its bytes.
  static constexpr size_t kKeyOverhead = 100;

  // Adds the counts of later rows: they must follow all rows counted here.
  void Add(const LateFeatures& later);
  void Clear();

  // Notes an entry of the open row; the last entry of a key counts. `is_wrong`
  // is set for a list with steps of several kinds.
  void Note(std::string_view key, Kind kind, bool in_columns, bool in_sequence,
            bool is_wrong) {
    if (row_.size() == compact_at_) CompactRow();
    row_.push_back({row_keys_.size(), key.size(), kind, in_columns, in_sequence,
                    is_wrong});
    row_keys_.append(key);
  }
  // Whether a key is wrong after its last entry.
  bool RowIsWrong();
  void CommitRow() {
    if (!row_.empty()) CountRow();
  }
  void RollBackRow() { ForgetRow(); }
  // Counts a record whose feature lists are left out, because it is read as an
  // Example.
  void CountLists() { ++num_lists_; }
  // Whether CommitRow would count anything.
  bool RowIsLate();

  // Keys are sorted, and the first ones are kept, as many as kMaxBytes allows.
  // So the kept keys and their counts depend neither on the order of rows nor
  // on how the rows were divided among objects that were added together later.
  const Counts& counts(bool in_sequence) const {
    return kept_[in_sequence].counts;
  }
  // Returns the number of late keys in all rows, kept or not.
  uint64_t total() const { return total_; }
  // Returns the number of records whose feature lists were left out.
  uint64_t num_lists() const { return num_lists_; }
  // Returns at most `most` kept counts, those of features first.
  std::vector<LateFeature> List(size_t most) const;

 private:
  struct Noted {
    size_t key_begin;  // in row_keys_
    size_t key_size;
    Kind kind;
    bool in_columns;
    bool in_sequence;
    bool is_wrong;

    // A feature that is not set fits a column of kind kNull.
    bool is_late() const { return !in_columns || kind != Kind::kNull; }
  };
  struct Kept {
    Counts counts;
    size_t bytes = 0;
    // The first key that did not fit; it and all keys after it are not kept.
    std::optional<std::string> end;

    bool Takes(std::string_view key) const { return !end || key < *end; }
    void Merge(std::string_view key, const Count& more);
    void EndAt(std::string key);
  };
  static constexpr size_t kRowBeforeCompacting = 1024;

  std::string_view KeyOf(const Noted& noted) const {
    return std::string_view(row_keys_).substr(noted.key_begin, noted.key_size);
  }
  void CompactRow();
  void CompactKeys();
  void CountRow();
  void ForgetRow();

  std::vector<Noted> row_;
  // Keys are copied: sorting needs them unchanged, but mapped files may change.
  std::string row_keys_;
  size_t compact_at_ = kRowBeforeCompacting;
  Kept kept_[2];  // features, feature lists
  uint64_t total_ = 0;
  uint64_t num_lists_ = 0;
};

}  // namespace headrace::infer

#endif  // HEADRACE_SRC_PLAN_INFER_LATE_FEATURES_H_
