// FeatureStats: statistics of a dataset, made in one pass, in bounded memory.
//
//   headrace::FeatureStats stats({.message = headrace::MessageType::kExample});
//   while (auto batch = reader.Next()) {
//     HEADRACE_RETURN_IF_ERROR(stats.Add(*batch, reader.files()));
//   }
//   HEADRACE_RETURN_IF_ERROR(reader.status());
//   std::string page = headrace::StatsPage(stats.Summary());
//
// Statistics of parts of a dataset can be merged. Counts, extremes, means and
// deviations are then exactly those of the whole, whatever the parts and their
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

// The bounds of StatsOptions::max_distinct.
inline constexpr size_t kMinDistinct = 4;
inline constexpr size_t kMaxDistinct = 65536;

struct StatsOptions {
  // kExample or kSequence; CountRecords finds it for kAuto.
  MessageType message = MessageType::kAuto;
  // Count only these features. Default: all. A name selects the feature and the
  // feature list of that name.
  std::vector<std::string> features = {};
  // Split presence and mean of every feature by the values of this one, a
  // feature with one int64 or bytes value per record. kInvalidArgument if it
  // turns out to have more than 100 values.
  std::string by = {};
  // Count the values of these int64 features like values of bytes.
  std::vector<std::string> categorical = {};
  // The number of distinct values of a feature that are counted exactly. It is
  // lower if more than 1,024 features have bytes.
  size_t max_distinct = 1024;
  // Keep up to four whole pictures, of up to 64 KiB each, of each feature that
  // has some, for a page.
  bool pictures = false;
};

class HEADRACE_EXPORT FeatureStats {
 public:
  // `padded_input` promises that kPadding bytes (limits.h) after every payload
  // given to AddRecords are readable; then nothing is copied.
  explicit FeatureStats(StatsOptions options = {}, bool padded_input = false);
  FeatureStats(FeatureStats&&) noexcept;
  FeatureStats& operator=(FeatureStats&&) noexcept;
  ~FeatureStats();

  // Adds the columns of a batch; `files` are those of its reader. A feature for
  // which the batch has no column is counted as missing in its records. In a
  // batch an unset feature is a null cell, like a missing one, so both are
  // counted as missing. kInvalidArgument for a batch of tensors.
  Status Add(const Batch& batch, std::span<const std::string> files);

  // Adds serialized messages of one file, and calls `refused` for malformed
  // ones. Features of any name and kind are counted, even if their kinds differ
  // between records. If `refused` returns an error, this fails with it, and the
  // records after the refused one are not counted. kOutOfMemory is final.
  Status AddRecords(std::string_view file,
                    std::span<const NumberedRecord> records,
                    const RefusedRecord& refused);

  // Remembers a file that was read; the records and bytes of a file that is
  // added twice are summed.
  void AddFile(const FileSummary& file);
  // Counts records that were left out, and regions of damage.
  void AddBad(uint64_t records, uint64_t regions);

  // Adds the statistics of another part. kInvalidArgument if they were made
  // with other options, or the messages are of another type.
  Status Merge(const FeatureStats& other);

  uint64_t num_records() const;
  // The number of records that were read as Examples and whose feature lists
  // are not counted.
  uint64_t num_lists_left_out() const;
  // Returns notices about the records given to AddRecords: another message, and
  // feature lists that were left out. For batches, their reader has the
  // notices.
  std::vector<Notice> notices() const;
  StatsSummary Summary() const;

  // Returns all that Merge needs, as bytes; docs/formats/stats.md has the
  // format. Parse returns kInvalidArgument for anything that Serialize cannot
  // have returned.
  std::string Serialize() const;
  static Result<FeatureStats> Parse(std::string_view bytes);
  // Returns whether the bytes begin like those of Serialize, of any version. No
  // TFRecord file does.
  static bool IsSerialized(std::string_view bytes);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// If records look like `likely`, returns the message type to count them as;
// kInvalidArgument for lists of Examples.
HEADRACE_EXPORT Result<MessageType> CountableMessage(MessageType likely);

struct CountOptions {
  StatsOptions stats = {};
  // The number of threads that count, including the caller's; 0 is one per
  // processor.
  size_t threads = 1;
  // Count only the first `sample` records. Default: all.
  uint64_t sample = ~uint64_t{0};
  // The treatment of a record that is not a valid message. kFail ends the
  // counting with its error. kSkip counts the record in
  // StatsSummary::bad_records, and passes its error to `skipped`, if set. Any
  // thread may call `skipped`, but only one at a time. An error returned by
  // `skipped` ends the counting.
  OnRowError on_row_error = OnRowError::kFail;
  std::function<Status(const Status& error)> skipped = {};
  // Receives the notices about the records, if set: another message, and
  // feature lists that were left out.
  std::vector<Notice>* notices = nullptr;
};

// Counts the records of a reader of raw records (ReadOptions::message is kRaw)
// to their end.
HEADRACE_EXPORT Result<FeatureStats> CountRecords(
    Reader* reader, const CountOptions& options = {});

}  // namespace headrace

#endif  // HEADRACE_STATS_H_
