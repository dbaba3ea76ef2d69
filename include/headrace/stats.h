// FeatureStats: statistics of a dataset, made in one pass, in bounded memory.
//
//   headrace::FeatureStats stats({.message = headrace::MessageType::kExample});
//   while (auto batch = reader.Next()) {
//     HEADRACE_RETURN_IF_ERROR(stats.Add(*batch, reader.files()));
//   }
//   HEADRACE_RETURN_IF_ERROR(reader.status());
//   std::string page = headrace::StatsPage(stats.Summary());
//
// Statistics of parts of a dataset can be merged: counts, extremes, means and
// deviations then are exactly those of the whole, whatever the parts and their
// order; quantiles, numbers of distinct values and the counts of frequent ones
// keep the errors that StatsSummary states. CountRecords reads files with
// several threads. One thread at a time may use a FeatureStats.

#ifndef HEADRACE_STATS_H_
#define HEADRACE_STATS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/export.h"
#include "headrace/message.h"
#include "headrace/notice.h"
#include "headrace/reader.h"
#include "headrace/stats_summary.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// StatsOptions::max_distinct is in these bounds.
inline constexpr size_t kMinDistinct = 4;
inline constexpr size_t kMaxDistinct = 65536;

struct StatsOptions {
  // kExample or kSequence; CountRecords finds it for kAuto.
  MessageType message = MessageType::kAuto;
  // Count these features alone. Default: all. A feature list and a feature of
  // that name are both meant.
  std::vector<std::string> features = {};
  // Split presence and mean of every feature by the values of this one, a
  // feature of one int64 or bytes value a record. kInvalidArgument if it turns
  // out to have more than 100 values.
  std::string by = {};
  // Count values of these int64 features as those of bytes.
  std::vector<std::string> categorical = {};
  // How many distinct values of a feature are counted exactly. If more than
  // 1,024 features have bytes, fewer are.
  size_t max_distinct = 1024;
  // Keep up to four whole pictures of each feature that has some, of up to 64
  // KiB each, for a page.
  bool pictures = false;
};

class HEADRACE_EXPORT FeatureStats {
 public:
  // With `padded_input`, which promises that kPadding bytes (limits.h) after
  // every payload given to AddRecords are readable, nothing is copied.
  explicit FeatureStats(StatsOptions options = {}, bool padded_input = false);
  FeatureStats(FeatureStats&&) noexcept;
  FeatureStats& operator=(FeatureStats&&) noexcept;
  ~FeatureStats();

  // Adds the columns of a batch; `files` are those of its reader. Columns that
  // the batch lacks are missing in its records. In a batch an unset feature is
  // a null cell like a missing one, so both are counted as missing.
  // kInvalidArgument for a batch of tensors.
  Status Add(const Batch& batch, std::span<const std::string> files);

  // Adds serialized messages of one file. Calls `refused` for those that are
  // malformed. Features of any name and kind are counted, also where their
  // kinds disagree. Fails with what `refused` returns; the records after that
  // one are then not counted. kOutOfMemory is final.
  Status AddRecords(std::string_view file,
                    std::span<const NumberedRecord> records,
                    const RefusedRecord& refused);

  // Remembers a file that was read; of a file that is added twice, records and
  // bytes are added.
  void AddFile(const FileSummary& file);
  // Counts records that were left out, and regions of damage.
  void AddBad(uint64_t records, uint64_t regions);

  // Adds the statistics of another part. kInvalidArgument if they were made
  // with other options, or the messages are of another type.
  Status Merge(const FeatureStats& other);

  uint64_t num_records() const;
  // Records that were read as Examples, and whose feature lists are not
  // counted.
  uint64_t num_lists_left_out() const;
  // Notices about the records that AddRecords was given: another message, and
  // feature lists that were left out. Of batches their reader tells.
  std::vector<Notice> notices() const;
  StatsSummary Summary() const;

  // All that Merge needs, as bytes; docs/formats/stats.md has the format. Parse
  // gives kInvalidArgument for anything that Serialize cannot have returned.
  std::string Serialize() const;
  static Result<FeatureStats> Parse(std::string_view bytes);
  // Whether bytes begin as those of Serialize do, of any version, which no
  // TFRecord file does.
  static bool IsSerialized(std::string_view bytes);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns what these records are counted as, which seem to be `likely`:
// kInvalidArgument for lists of Examples.
HEADRACE_EXPORT Result<MessageType> CountableMessage(MessageType likely);

struct CountOptions {
  StatsOptions stats = {};
  // How many threads count, the caller's included; 0 is one per processor.
  size_t threads = 1;
  // Look at so many records only, the first ones. Default: all.
  uint64_t sample = ~uint64_t{0};
  // Says what happens to a record that is no message: kFail ends the counting
  // with its error; kSkip counts it in StatsSummary::bad_records, and gives it
  // to `skipped`, if set, on any thread but one at a time. A Status that fails
  // ends the counting.
  OnRowError on_row_error = OnRowError::kFail;
  std::function<Status(const Status& error)> skipped = {};
  // Gets what the user should hear of the records, if set: another message, and
  // feature lists that were left out.
  std::vector<Notice>* notices = nullptr;
};

// Counts the records of a reader of raw records (ReadOptions::message is kRaw)
// to their end.
HEADRACE_EXPORT Result<FeatureStats> CountRecords(
    Reader* reader, const CountOptions& options = {});

}  // namespace headrace

#endif  // HEADRACE_STATS_H_
