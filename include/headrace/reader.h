// Reader: TFRecord files in, batches of columns out. Start here.
//
//   auto reader = headrace::Reader::Open({"train-*.tfrecord.gz"});
//   if (!reader.ok()) { ... reader.status() ... }
//   while (auto batch = reader->Next()) { ... batch->num_rows() ... }
//   if (!reader->status().ok()) { ... }
//   if (reader->report().num_late > 0) { ... }  // values were left out
//
// Without a plan the columns are found from the first records. What they did
// not show is left out of the batches, and only the report says so: look at
// it, or set ReadOptions::strict_columns, which makes it an error.
//
// A Reader is used by one thread at a time; its batches by any.

#ifndef HEADRACE_READER_H_
#define HEADRACE_READER_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/batch.h"
#include "headrace/input_file.h"
#include "headrace/limits.h"
#include "headrace/plan.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// Rows chosen by what the first ones take, so that the records and columns of a
// batch stay in the processor's cache together; 16 to 1024.
inline constexpr size_t kAutoBatchSize = ~size_t{0};

// The part of the rows that one of several readers of the same files takes.
// Together they take every row once; docs/formats/tfrecord.md has the rule.
struct Shard {
  uint32_t index = 0;  // below count
  uint32_t count = 1;  // at least 1

  bool operator==(const Shard&) const = default;
};
// Consecutive records that a shard takes where files are fewer than shards.
inline constexpr uint64_t kShardRun = 16;

struct ReadOptions {
  MessageType message = MessageType::kAuto;
  Compression compression = Compression::kAuto;
  size_t batch_size = 256;  // rows, or kAutoBatchSize; the last batch of a
                            // reader may be shorter, and any that reaches
                            // Limits::max_batch_bytes
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  OnRowError on_row_error = OnRowError::kFail;
  // Skipped regions plus skipped rows allowed; one more is kTooManyBad.
  uint64_t max_bad = ~uint64_t{0};
  bool verify_payload = true;
  bool verify_unselected = false;  // see DecodeOptions
  bool mmap = false;               // see RecordReaderOptions
  // Without a plan the columns are found from the first records, over all files
  // in order: from `sample` records, or from those that begin within the first
  // `sample_bytes` of the uncompressed files, whichever are fewer; at least
  // from one. Open reads these bytes and no more than a window (256 KiB)
  // behind them. They stay in memory until Next comes to them and are not read
  // again. 0 bytes, and more than 256 MiB, are 256 MiB.
  //
  // A sample of 0 is all records, however many bytes. Nothing is kept of them,
  // and files are read twice, which standard input, pipes and inputs that
  // cannot seek cannot be: kInvalidArgument.
  uint64_t sample = 10000;
  uint64_t sample_bytes = uint64_t{16} << 20;
  // What the sample did not show is an error instead of being left out: a row
  // that ReadReport::late would count is a row error of class kWrongKind, with
  // file, record, offset, feature, expected and found. OnRowError::kSkip skips
  // such rows and lists them in ReadReport::rows.
  bool strict_columns = false;
  // With a plan of columns, say of those that another reader found: features
  // that it does not have are treated as late, where they have a value.
  // Otherwise they are ignored, and no loss.
  bool plan_is_of_sample = false;
  // Threads that decode. The caller of Next is one; the others go on while it
  // uses what was made. 1 starts none, 0 is one for each processor this process
  // may use, and more than 1024 are not started. Rows, their order and what is
  // left out are the same for all, and so are batches, save where
  // Limits::max_batch_bytes cuts them.
  size_t threads = 1;
  // Without a plan: only these columns. A name that the sample does not have
  // is kInvalidArgument, and any name is for records of kRaw.
  std::vector<std::string> features = {};
  // Only the rows of this shard. Records of others are neither checked, beyond
  // their headers, nor decoded nor counted. Columns are found from all files.
  Shard shard = {};
  // The row that was read last, in an earlier run over the same files with the
  // same options: the first row is the one that follows it. Rows, their origins
  // and errors are those of a reader that has come so far; columns are found
  // from the beginning of the files all the same. What was left out before is
  // neither reported nor counted again. An uncompressed file that can seek is
  // begun at that place, all else is read up to it. Where no record begins
  // there any more, the file has changed: kInvalidArgument.
  std::optional<RowOrigin> resume_after = {};
  // Opens every file, where it is set. Names are then taken as they are: they
  // are no globs, shard sets or standard input, need not exist as paths, and
  // `mmap` says nothing of them. See input_file.h.
  OpenInput open_input = {};
  // Whether to end, for programs that a signal may interrupt: true makes the
  // reader end with kCancelled, without the rows of an unfinished batch. Called
  // only on the thread that is in Open or Next: about once a window (256 KiB,
  // 2 MiB where batches hold many) while it reads, samples or passes over; some
  // 20 times a second while it waits for other threads or for a pipe; and after
  // a signal. May be empty; must not throw. Calls of InputFile are not
  // interrupted: a reader is only destroyed once those of its threads have
  // returned.
  std::function<bool()> interrupted = {};
  Limits limits = {};
};

struct FileRegion {
  std::string file = {};
  SkippedRegion region = {};
};

// Values left out because the sample of the data did not show them: a key that
// the columns do not have, or a value in a column of kind kNull. With
// ReadOptions::strict_columns there are none.
struct LateFeature {
  std::string name = {};
  Kind kind = Kind::kNull;  // of the first one left out
  uint64_t rows = 0;
  bool in_columns = false;   // a column of kind kNull
  bool in_sequence = false;  // a feature list
};

// A feature that the given plan names and no row so far had: perhaps its name
// is misspelt.
struct AbsentFeature {
  std::string name = {};
  bool in_sequence = false;  // a feature list
  bool has_default = false;  // which all rows have instead
};

// What was left out, and why. Lists are bounded by Limits::max_reported,
// counts are not.
struct ReadReport {
  std::vector<FileRegion> regions;
  uint64_t num_regions = 0;
  std::vector<Status> rows;  // each with file, record, offset, feature
  uint64_t num_rows = 0;
  std::vector<LateFeature> late;  // sorted by name
  uint64_t num_late = 0;          // rows, over all names
  // In the order of the plan; empty before the first row.
  std::vector<AbsentFeature> absent;
};

class Reader {
 public:
  // Without files, to be assigned to. It and a Reader that was moved from are
  // at an error, kInvalidArgument, which Next and status return; the rest of
  // what they say is empty, or 0, or what a Plan without columns is.
  Reader();
  // Columns found from the data; for kRaw those of Plan::ForRaw. Paths as in
  // paths.h; kInvalidArgument where there is none.
  static Result<Reader> Open(const std::vector<std::string>& paths,
                             const ReadOptions& options = {});
  // Columns or tensors given by the plan. A template, so that {} is options.
  static Result<Reader> Open(const std::vector<std::string>& paths,
                             std::same_as<Plan> auto plan,
                             const ReadOptions& options = {}) {
    return OpenPlan(paths, std::move(plan), options);
  }
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  // The next rows; empty at the end. The rows before an error, save kCancelled,
  // are delivered first; the error is final and returned by every later call.
  Result<std::optional<Batch>> Next();

  // The error that ended the stream, or success.
  Status status() const;
  const Plan& plan() const { return plan_; }
  const std::vector<ColumnField>& columns() const { return plan().columns(); }
  // What kAuto was decided to be.
  MessageType message() const;
  // After globs and shard sets; with open_input as given.
  const std::vector<std::string>& files() const;
  const ReadReport& report() const;

  // Records and bytes (uncompressed, with framing) read so far; stored bytes
  // read and in all, for progress. The latter are 0 where they are not known:
  // with open_input until the last input has been opened, and wherever an
  // InputFile::size() is 0.
  uint64_t num_records() const;
  uint64_t num_bytes() const;
  uint64_t stored_position() const;
  uint64_t stored_size() const;

 private:
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  static Result<Reader> OpenPlan(const std::vector<std::string>& paths,
                                 Plan plan, const ReadOptions& options);
  std::unique_ptr<Impl> impl_;
  Plan plan_;
};

}  // namespace headrace

#endif  // HEADRACE_READER_H_
