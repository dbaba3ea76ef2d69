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

// Let the reader choose 16 to 1024 rows per batch, from the size of the first
// rows: as many as stay in the processor's cache with their columns.
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
  // Rows per batch, or kAutoBatchSize. The last batch of a reader may be
  // shorter, and so may any that reaches Limits::max_batch_bytes.
  size_t batch_size = 256;
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  OnRowError on_row_error = OnRowError::kFail;
  // Skipped regions plus skipped rows allowed; one more is kTooManyBad.
  uint64_t max_bad = ~uint64_t{0};
  bool verify_payload = true;
  bool verify_unselected = false;  // see DecodeOptions
  bool mmap = false;               // see RecordReaderOptions
  // How many records Open looks at to find the columns, where no plan is given:
  // the first `sample` records over all files in order, or those that begin
  // within the first `sample_bytes` of the uncompressed files, whichever are
  // fewer, and at least one. Open reads these bytes and at most one window (256
  // KiB) behind them. It keeps them in memory until Next delivers their rows,
  // so nothing is read twice. `sample_bytes` is at most 256 MiB; 0 means 256
  // MiB.
  //
  // `sample` 0 means all records, however many bytes. They are not kept, and
  // the files are read twice. Standard input, pipes and inputs that cannot seek
  // can be read only once: for them Open returns kInvalidArgument.
  uint64_t sample = 10000;
  uint64_t sample_bytes = uint64_t{16} << 20;
  // Make a feature that the sample did not show an error instead of leaving it
  // out: a row that ReadReport::late would count is a row error of class
  // kWrongKind, with file, record, offset, feature, expected and found.
  // OnRowError::kSkip skips such rows and lists them in ReadReport::rows.
  bool strict_columns = false;
  // Treat the given plan as one that a sample showed, say that of another
  // reader: features that it does not have are late where they have a value.
  // Otherwise features outside the plan are ignored, and count as no loss.
  bool plan_is_of_sample = false;
  // Threads that decode, the caller of Next among them; the others work ahead
  // while the caller uses a batch. Default 1: no thread is started. 0: one per
  // processor that this process may use. At most 1024. Rows, their order and
  // what is left out are the same for any number; batches are, too, except
  // where Limits::max_batch_bytes cuts them.
  size_t threads = 1;
  // The columns to decode, where no plan is given; empty means all. Open
  // returns kInvalidArgument for a name that the sample does not show, and with
  // kRaw for any name.
  std::vector<std::string> features = {};
  // Deliver only the rows of this shard. Of records of other shards the reader
  // checks the header alone; it neither decodes nor counts them. Columns are
  // found from all files, so they are the same for every shard.
  Shard shard = {};
  // Go on behind this row, the last that an earlier run over the same files
  // with the same options has delivered. Rows, their origins and errors are
  // those of a reader that has come so far; columns are still found from the
  // beginning of the files. What was left out before is neither reported nor
  // counted again. In an uncompressed file that can seek the reader jumps to
  // the place; it reads any other up to it. kInvalidArgument where no record
  // begins there: then the file has changed.
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
