// Reader: TFRecord files in, batches of columns or tensors out. Start here.
//
//   auto reader = headrace::Reader::Open({"train-*.tfrecord.gz"});
//   if (!reader) return reader.status();
//   while (auto batch = reader->Next()) Use(batch->num_rows());
//   if (!reader->status().ok()) return reader->status();
//   for (const auto& late : reader->report().late) Use(late.name);  // skipped
//   for (const auto& notice : reader->report().notices) {
//     Use(NoticeText(notice));  // such as a misspelt feature
//   }
//
// Without a plan the reader finds the columns from a sample of the first
// records. It skips values that the sample did not show, and only the report
// says so: look at it, or set ReadOptions::strict_columns to make them errors.
// With a plan it looks at the first records for what the plan names; see
// ReadOptions::on_absent.
//
// One thread at a time may use a Reader; any number may use its batches.

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
#include "headrace/export.h"
#include "headrace/index.h"
#include "headrace/input_file.h"
#include "headrace/limits.h"
#include "headrace/notice.h"
#include "headrace/plan.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// Let the reader choose 16 to 1024 rows per batch from the size of the first
// rows, so that a batch stays in the processor's cache.
inline constexpr size_t kAutoBatchSize = ~size_t{0};

// The part of the rows that one of several readers of the same files delivers.
// Together they deliver each row once (rule: docs/formats/tfrecord.md).
struct Shard {
  uint32_t index = 0;  // below count
  uint32_t count = 1;  // at least 1

  bool operator==(const Shard&) const = default;
};
// The consecutive records that a shard takes of a file that shards must all
// read from the beginning.
inline constexpr uint64_t kShardRun = 16;

// The records [begin, end) of a file, numbered from 0; `end` may be left to be
// that of the file.
//
// `file_records` says how many records the file has, where that is known. A
// file that has another number is kWrongRecordCount, at the latest where that
// shows without reading more than was asked for: if the file ends before `end`,
// if it goes on behind `end` where that is `file_records`, or if an index is
// opened to find `begin`.
struct RecordRange {
  uint64_t begin = 0;
  uint64_t end = ~uint64_t{0};
  uint64_t file_records = ~uint64_t{0};

  bool operator==(const RecordRange&) const = default;
};

struct ReadOptions {
  MessageType message = MessageType::kAuto;
  Compression compression = Compression::kAuto;
  // Rows per batch, or kAutoBatchSize. Default 256; at least 1. The last batch
  // may be shorter, and so may any that reaches Limits::max_batch_bytes.
  size_t batch_size = 256;
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  OnRowError on_row_error = OnRowError::kFail;
  // How many skipped regions plus skipped rows are allowed; one more is
  // kTooManyBad. Default: any number.
  uint64_t max_bad = ~uint64_t{0};
  bool verify_payload = true;
  bool verify_unselected = false;  // see DecodeOptions
  bool mmap = false;               // see RecordReaderOptions
  // How many records Open looks at to find the columns if no plan is given: the
  // first `sample` records of all files, or those that begin in the first
  // `sample_bytes` of the uncompressed files, whichever are fewer, and at least
  // one. Defaults 10,000 records and 16 MiB; `sample_bytes` is at most 256 MiB,
  // and 0 means 256 MiB. Open reads the sample and at most one window (256 KiB)
  // behind it; Next delivers it from memory, so nothing is read twice.
  //
  // `sample` 0 means all records, whatever their size. They are not kept: the
  // files are read twice. Open returns kInvalidArgument for inputs that can be
  // read only once: standard input, pipes and inputs that cannot seek.
  uint64_t sample = 10000;
  uint64_t sample_bytes = uint64_t{16} << 20;
  // Make a value that the sample did not show an error. A row that
  // ReadReport::late would count is kWrongKind, with file, record, offset,
  // feature, expected and found; OnRowError::kSkip skips it and lists it in
  // ReadReport::rows. Default false: the row is kept without the value.
  bool strict_columns = false;
  // Say that the given plan was found from a sample, such as another reader's:
  // values that it does not show are then reported as late, too. Default false:
  // the reader ignores features outside a given plan.
  bool plan_is_of_sample = false;
  // What becomes of a feature that the given plan names and the records lack.
  // Before the first batch, and before threads start, the reader looks at the
  // first records that it will read: until one has been seen with each feature,
  // and at most 256, or 16 MiB; of inputs that can be read only once no more
  // than the first batch. Nothing is read twice.
  //
  // kWarn: ReadReport::notices names a feature that none of them has, if they
  // have another one of a similar name, and at the end those that no record
  // had. kError: a feature that none of the first records has is
  // kMissingFeature, without a record, before any row; at the end, so is one
  // that no row had. kIgnore: nothing is said.
  //
  // Where the first records hold another message (rule M7), a plan of features
  // is kMalformed before any row, except with kIgnore.
  OnAbsent on_absent = OnAbsent::kWarn;
  // How many threads decode. Default 1: the caller of Next alone, no thread is
  // started. 0: one per processor that this process may use. At most 1024. With
  // more than 1 the others work ahead while the caller uses a batch. Rows,
  // their order and the report are the same for any number. Batches are the
  // same, too, except where Limits::max_batch_bytes cuts them.
  size_t threads = 1;
  // The names of the columns to decode if no plan is given. Default: all. Open
  // returns kInvalidArgument for a name that the sample does not show, and for
  // any name with kRaw or beside a plan (Plan::Select narrows plans).
  std::vector<std::string> features = {};
  // Deliver only the rows of this shard. Default: all rows. Other shards'
  // files, or parts of files, are not read; of files that each reader must read
  // from the beginning (compressed ones that do not say themselves where they
  // can be inflated from, inputs that cannot seek), just the headers of their
  // records are checked. Columns are found from all files, so they are the same
  // for all shards.
  Shard shard = {};
  // Divide the rows of `shard` further, such as those of a rank among its
  // workers: each entry takes one part of what the one before it left. Parts of
  // a shard are disjoint, and together they deliver exactly its rows. Default:
  // not divided. The product of all counts must be below 2^32.
  std::vector<Shard> subshards = {};
  // Deliver only the rows of this part of the one file that is read; not
  // together with `shard`. Default: the whole file. Columns are found from the
  // first records of the file, so they are the same for all parts.
  ByteRange range = {};
  // Deliver only these records: a range for each path, and in their order.
  // Default: all records. Paths are then names of files, each of one, without
  // globs and so on; a file may come several times, and one with an empty range
  // is not opened. Not together with `range`.
  //
  // Records keep the numbers that they have in their files. Of those before a
  // range only headers are looked at, or nothing where an index (see `index`)
  // says where it begins; of those behind it nothing. Records with bad payloads
  // have numbers, too. A policy that goes on where framing is lost numbers the
  // records that it finds, and does not compare `file_records`; kRescan reads
  // all before the range. `shard` divides the records evenly if all
  // ranges have ends (docs/formats/tfrecord.md).
  std::vector<RecordRange> record_ranges = {};
  // Resume behind this row, the last one that an earlier run over the same
  // files with the same options delivered. The reader gives the rows, origins
  // and errors that would have followed; it neither reports nor counts again
  // what the earlier run skipped. It jumps to the place in a file that can be
  // read there (of a compressed one, see `index`), and reads other files up to
  // it. Columns are still found from the first records. kInvalidArgument if no
  // record begins there: the file has changed.
  std::optional<RowOrigin> resume_after = {};
  // Blocked gzip and seekable zstd files say themselves where they can be
  // inflated from; for other compressed files an index (index.h) says it, which
  // lies beside the file or in index_directory. It is used to resume, for
  // `range`, and to inflate with all `threads`; rows are the same with and
  // without. Shards of a compressed file that only its index divides need
  // kRequired: they must not depend on whether an index is there.
  IndexUse index = IndexUse::kAuto;
  std::string index_directory = {};
  // Write the index of each file, FILE.hri beside it or in index_directory,
  // when all of the file has been read and no valid one is there. Only a reader
  // of whole files (no shards, no ranges) that were opened by their paths
  // writes any, and none of a file where more than a payload is damaged. A
  // failure to write ends the reading. Default false.
  bool write_index = false;
  // Opens every file, if set. Names are then passed on as they are (no globs,
  // shard sets or standard input), and `mmap` is ignored. See input_file.h.
  OpenInput open_input = {};
  // Asked whether to stop, for programs that a signal may interrupt: true makes
  // the reader end with kCancelled, without the rows of an unfinished batch. It
  // is called only on the thread inside Open or Next: about once per window
  // read (256 KiB; 2 MiB if batches hold many), some 20 times per second while
  // that thread waits for other threads or for a pipe, and after a signal. It
  // may be empty and must not throw. It does not interrupt calls of an
  // InputFile: the reader's destructor waits for them.
  std::function<bool()> interrupted = {};
  Limits limits = {};
};

// A region that the reader skipped, and its file.
struct FileRegion {
  std::string file = {};
  SkippedRegion region = {};
};

// A file or folder that lies in a folder named as input, and that is not read.
struct LeftOutFile {
  std::string path;
  // "TFRecord by the first bytes, but not by the name"
  std::string reason = {};
  // False if what it begins with shows that nothing is lost: text, an image, an
  // event file of TensorBoard.
  bool may_have_records = true;
};

// A ReadReport says what the reader skipped, and why. Each list has at most
// Limits::max_reported entries; the counts count all.
struct ReadReport {
  std::vector<FileRegion> regions;
  uint64_t num_regions = 0;
  std::vector<Status> rows;  // each with file, record, offset, feature
  uint64_t num_rows = 0;
  std::vector<LateFeature> late;      // sorted by name
  uint64_t num_late = 0;              // sum of the rows of all names
  std::vector<AbsentFeature> absent;  // in plan order; empty before any row
  // The records whose feature lists were left out, because they were read as
  // Examples.
  uint64_t num_lists_left_out = 0;
  // What the user should hear of. What the first records show is there after
  // the first batch, or after Open if columns are found; features that no
  // record had are there at the end.
  std::vector<Notice> notices;
  // The files of folders among the paths that are not read, sorted by path for
  // each folder; hidden files and indexes are not listed.
  std::vector<LeftOutFile> left_out;
  uint64_t num_left_out = 0;
};

// Returns the notice of kAbsent of a feature; `message` is what the records are
// read as.
HEADRACE_EXPORT Notice AbsentNotice(const AbsentFeature& absent,
                                    MessageType message);
// Returns those of the features in report.absent of which no notice of the
// report tells yet.
HEADRACE_EXPORT std::vector<Notice> AbsentNotices(const ReadReport& report,
                                                  MessageType message);

class HEADRACE_EXPORT Reader {
 public:
  // A reader without files, for assigning another to it. Next and status of it,
  // and of a reader that was moved from, return kInvalidArgument; its other
  // values are empty or 0.
  Reader();
  // Opens the files and finds the columns from a sample; kRaw has those of
  // Plan::ForRaw. A path is
  //   - a file; one that exists is taken as it is, whatever characters it has;
  //   - a glob with *, ? or [..], sorted by name; kNotFound if nothing matches.
  //     A part ** stands for any number of folders. Indexes (.hri, .idx) of
  //     other files do not match, unless the pattern has that ending;
  //   - a shard set: name@4 is name-00000-of-00004 and so on, and name@4.gz
  //     puts the extension after each;
  //   - a directory, for its files that are named as TFRecord
  //     (docs/cli.md), sorted by name; kNotFound if it has none.
  //     ReadReport::left_out says which others it has;
  //   - "-", standard input, at most once.
  // A file of a directory or glob that is a link to nothing is kNotFound; a
  // pipe or a socket among them, which would have to be named to be read, is
  // kIo. kInvalidArgument for no paths at all.
  static Result<Reader> Open(const std::vector<std::string>& paths,
                             const ReadOptions& options = {});
  // Opens the files to read the columns or tensors of a plan. This is a
  // template so that a call with {} as second argument passes options.
  static Result<Reader> Open(const std::vector<std::string>& paths,
                             std::same_as<Plan> auto plan,
                             const ReadOptions& options = {}) {
    return OpenPlan(paths, std::move(plan), options);
  }
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  // Returns the next rows; empty at the end. An error is final: every later
  // call returns it. The rows before it are delivered first, unless it is
  // kCancelled.
  Result<std::optional<Batch>> Next();

  Status status() const;  // the error that ended the stream, or success
  const Plan& plan() const HEADRACE_LIFETIME_BOUND { return plan_; }
  const std::vector<ColumnField>& columns() const HEADRACE_LIFETIME_BOUND {
    return plan().columns();
  }
  MessageType message() const;  // as given, or found for kAuto
  // The files, after globs and shard sets; with open_input, the names given.
  const std::vector<std::string>& files() const HEADRACE_LIFETIME_BOUND;
  // The texts of errors of rows are made by the first call after they came.
  const ReadReport& report() const HEADRACE_LIFETIME_BOUND;

  // Progress, which other threads may ask for, too, while this reader lives and
  // is not moved: the records and uncompressed bytes (framing included) read so
  // far, and the stored bytes read so far and in all. stored_size is 0 until
  // the last input of open_input has been opened, and if any input's size is
  // unknown.
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
