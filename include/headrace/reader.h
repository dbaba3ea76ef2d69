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
// says so: read the report, or set ReadOptions::strict_columns to make such
// values errors. With a plan the reader checks that the first records have the
// features that the plan names; see ReadOptions::on_absent.
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
#include "headrace/batch_allocator.h"
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

// Lets the reader choose 16 to 1024 rows per batch from the size of the first
// rows, so that a batch stays in the processor's cache.
inline constexpr size_t kAutoBatchSize = ~size_t{0};

// The part of the rows that one of several readers of the same files delivers.
// Together the readers deliver each row once (rule: docs/formats/tfrecord.md).
struct Shard {
  uint32_t index = 0;  // below count
  uint32_t count = 1;  // at least 1

  bool operator==(const Shard&) const = default;
};
// The number of consecutive records that one shard delivers before the next
// shard's turn, in a file that all shards must read from the beginning.
inline constexpr uint64_t kShardRun = 16;

// The records [begin, end) of a file, numbered from 0. Without an `end` the
// range extends to the end of the file.
//
// `file_records` is the number of records in the file, if it is known. A file
// with a different number fails with kWrongRecordCount. The reader notices the
// difference without reading more than it was asked for: if the file ends
// before `end`, if it continues after an `end` that equals `file_records`, or
// if it has an index, which is opened to find `begin`.
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
  // may be shorter, and so may a batch that reaches Limits::max_batch_bytes.
  size_t batch_size = 256;
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  OnRowError on_row_error = OnRowError::kFail;
  // The maximum number of skipped regions and skipped rows together; one more
  // fails with kTooManyBad. Default: any number.
  uint64_t max_bad = ~uint64_t{0};
  bool verify_payload = true;
  bool verify_unselected = false;  // see DecodeOptions
  bool mmap = false;               // see RecordReaderOptions
  // The number of records in the sample from which Open finds the columns if no
  // plan is given. The sample is the first `sample` records of all files, or
  // the records that begin in the first `sample_bytes` of the uncompressed
  // files, whichever are fewer, and at least one. Defaults: 10,000 records and
  // 16 MiB. `sample_bytes` is at most 256 MiB, and 0 means 256 MiB. Open reads
  // the sample and at most one window (256 KiB) after it. Next delivers the
  // sample from memory, so nothing is read twice.
  //
  // `sample` 0 means all records, whatever their size. They are not kept: the
  // files are read twice. Open returns kInvalidArgument for inputs that can be
  // read only once: standard input, pipes and inputs that cannot seek.
  uint64_t sample = 10000;
  uint64_t sample_bytes = uint64_t{16} << 20;
  // Treat a value that the sample did not show as an error. A row that
  // ReadReport::late would count fails with kWrongKind, with file, record,
  // offset, feature, expected and found. OnRowError::kSkip skips the row and
  // lists it in ReadReport::rows. Default false: the row is kept without the
  // value.
  bool strict_columns = false;
  // True if the given plan was found from a sample, for example by another
  // reader. Values that the plan does not show are then reported as late, too.
  // Default false: the reader ignores features outside a given plan.
  bool plan_is_of_sample = false;
  // What happens if the records lack a feature that the given plan names.
  // Before the first batch, and before threads start, the reader examines the
  // first records that it will read. It stops when it has seen each feature, or
  // after 256 records or 16 MiB. In inputs that can be read only once it goes
  // no further than the first batch. Nothing is read twice.
  //
  // kWarn: if none of these records has a feature, but they have one with a
  // similar name, ReadReport::notices names it; at the end it also names the
  // features that no record had. kError: if none of these records has a
  // feature, the reader fails with kMissingFeature, without a record, before
  // any row; if no row had a feature, it fails in the same way at the end.
  // kIgnore: nothing is reported.
  //
  // If the first records hold another message (rule M7 of docs/semantics.md), a
  // reader with a plan of features fails with kMalformed before any row, except
  // with kIgnore.
  OnAbsent on_absent = OnAbsent::kWarn;
  // The number of threads that decode. Default 1: only the caller of Next
  // decodes, and no thread is started. 0: one thread per processor that this
  // process may use. At most 1024. With more than 1, the other threads work
  // ahead while the caller uses a batch. The number of threads changes neither
  // rows, nor their order, nor the report. It changes batches only where
  // Limits::max_batch_bytes cuts them.
  size_t threads = 1;
  // The names of the columns to decode if no plan is given. Default: all. Open
  // returns kInvalidArgument for a name that the sample does not show, and for
  // any name with kRaw or with a plan (Plan::Select narrows plans).
  std::vector<std::string> features = {};
  // Deliver only the rows of this shard. Default: all rows. Files and parts of
  // files that belong to other shards are not read. Each reader must read some
  // files from the beginning: inputs that cannot seek, and compressed files
  // that do not record from which places they can be inflated. In these files
  // only the headers of other shards' records are checked. Columns are found
  // from all files, so they are the same for all shards.
  Shard shard = {};
  // Divide the rows of `shard` further, for example a rank's rows among its
  // workers: each entry selects one part of what the entry before it left.
  // Parts of a shard are disjoint, and together they deliver exactly its rows.
  // Default: not divided. The product of all counts must be below 2^32.
  std::vector<Shard> subshards = {};
  // Deliver only the rows of this part of the one file that is read. Not
  // allowed together with `shard`. Default: the whole file. Columns are found
  // from the first records of the file, so they are the same for all parts.
  ByteRange range = {};
  // Deliver only these records: one range per path, in the order of the paths.
  // Default: all records. Each path is then the name of one file, without globs
  // or other patterns. A file may appear several times, and a file with an
  // empty range is not opened. Not allowed together with `range`.
  //
  // Records keep their numbers in the file. Before a range only headers are
  // read, or nothing if an index (see `index`) says where the range begins;
  // after the range nothing is read. Records with bad payloads have numbers,
  // too. With OnCorrupt::kRescan, which continues after framing is lost, only
  // the records that are found have numbers, `file_records` is not compared,
  // and everything before the range is read. `shard` divides the records evenly
  // if all ranges have ends (docs/formats/tfrecord.md).
  std::vector<RecordRange> record_ranges = {};
  // Resume after this row, the last one that an earlier run over the same files
  // with the same options delivered. The reader returns the rows, origins and
  // errors that would have followed. It neither reports nor counts again what
  // the earlier run skipped. Where a file can be read from the middle (for a
  // compressed file, see `index`), the reader jumps to the row; it reads other
  // files up to the row. Columns are still found from the first records.
  // kInvalidArgument if no record begins there: the file has changed.
  std::optional<RowOrigin> resume_after = {};
  // Blocked gzip and seekable zstd files record from which places they can be
  // inflated. For other compressed files an index (index.h) has these places;
  // it is beside the file or in index_directory. The reader uses it to resume,
  // for `range`, and to inflate with all `threads`; rows are the same with and
  // without it. Shards divide such a file by its index only with kRequired,
  // because they must not depend on whether an index exists.
  IndexUse index = IndexUse::kAuto;
  std::string index_directory = {};
  // Write the index of each file, FILE.hri beside the file or in
  // index_directory, when all of the file has been read and no valid index
  // exists. Indexes are written only by a reader of whole files (no shards, no
  // ranges) that were opened by their paths, and not for a file that has damage
  // outside payloads. A failure to write the index ends the reading. Default
  // false.
  bool write_index = false;
  // Opens every file, if set. Names are then passed on unchanged (no globs,
  // shard sets or standard input), and `mmap` is ignored. See input_file.h.
  OpenInput open_input = {};
  // Asked whether to stop, for programs that a signal may interrupt. True makes
  // the reader end with kCancelled, without the rows of an unfinished batch. It
  // is called only on the thread inside Open or Next: about once per window
  // read (256 KiB; 2 MiB if batches hold many), some 20 times per second while
  // that thread waits for other threads or for a pipe, and after a signal. It
  // may be empty and must not throw. It does not interrupt calls of an
  // InputFile: the reader's destructor waits for them.
  std::function<bool()> interrupted = {};
  // The memory of the tensors of batches; see batch_allocator.h. Default: the
  // reader's own. kInvalidArgument without a plan of tensors.
  std::shared_ptr<BatchAllocator> allocator = {};
  Limits limits = {};
};

// A region that the reader skipped, and its file.
struct FileRegion {
  std::string file = {};
  SkippedRegion region = {};
};

// A file or folder, inside a folder given as input, that is not read.
struct LeftOutFile {
  std::string path;
  // "TFRecord by the first bytes, but not by the name"
  std::string reason = {};
  // False if its first bytes show that nothing is lost: text, an image, an
  // event file of TensorBoard.
  bool may_have_records = true;
};

// What the reader skipped, and why. Each list has at most Limits::max_reported
// entries; the counts include the entries beyond that.
struct ReadReport {
  std::vector<FileRegion> regions;
  uint64_t num_regions = 0;
  std::vector<Status> rows;  // each with file, record, offset, feature
  uint64_t num_rows = 0;
  std::vector<LateFeature> late;      // sorted by name
  uint64_t num_late = 0;              // sum of the rows of all names
  std::vector<AbsentFeature> absent;  // in plan order; empty before any row
  // The number of records whose feature lists were left out because the records
  // were read as Examples.
  uint64_t num_lists_left_out = 0;
  // Notices for the user. Notices about the first records are added with the
  // first batch, or by Open if it finds the columns. Notices about features
  // that no record had are added at the end.
  std::vector<Notice> notices;
  // The files that are not read although they are in a folder among the paths,
  // sorted by path for each folder. Hidden files and indexes are not listed.
  std::vector<LeftOutFile> left_out;
  uint64_t num_left_out = 0;
};

// Returns the kAbsent notice of a feature; `message` is what the records are
// read as.
HEADRACE_EXPORT Notice AbsentNotice(const AbsentFeature& absent,
                                    MessageType message);
// Returns a kAbsent notice for each feature in report.absent about which the
// report has no notice yet.
HEADRACE_EXPORT std::vector<Notice> AbsentNotices(const ReadReport& report,
                                                  MessageType message);

class HEADRACE_EXPORT Reader {
 public:
  // A reader without files, to assign another reader to. Its Next and status,
  // like those of a moved-from reader, return kInvalidArgument; its other
  // values are empty or 0.
  Reader();
  // Opens the files and finds the columns from a sample; with kRaw the columns
  // are those of Plan::ForRaw. A path is
  //   - a file; the name of an existing file is used literally, whatever
  //     characters it has;
  //   - a glob with *, ? or [..], sorted by name; kNotFound if nothing matches.
  //     A part ** matches any number of folders. Indexes (.hri, .idx) of other
  //     files match only if the pattern has the same ending;
  //   - a shard set: name@4 is name-00000-of-00004 and so on, and name@4.gz
  //     puts the extension after each;
  //   - a directory, for its files that have names of TFRecord files
  //     (docs/cli.md), sorted by name; kNotFound if it has none.
  //     ReadReport::left_out lists its other files;
  //   - "-", standard input, at most once.
  // A dangling link in a directory or glob is kNotFound. A pipe or socket there
  // is kIo: it is read only if it is named itself. kInvalidArgument for an
  // empty list of paths.
  static Result<Reader> Open(const std::vector<std::string>& paths,
                             const ReadOptions& options = {});
  // Opens the files to read the columns or tensors of a plan. This is a
  // template so that a call with {} as the second argument passes options.
  static Result<Reader> Open(const std::vector<std::string>& paths,
                             std::same_as<Plan> auto plan,
                             const ReadOptions& options = {}) {
    return OpenPlan(paths, std::move(plan), options);
  }
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  // Does what ReadOptions::allocator does; null means none. Call before the
  // first Next; kInvalidArgument later, or without a plan of tensors. A failure
  // changes nothing.
  Status SetAllocator(std::shared_ptr<BatchAllocator> allocator);

  // Returns the next rows; empty at the end. An error is final: every later
  // call returns it. Rows before the error are delivered first, unless it is
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
  // The first call after errors of rows formats their texts.
  const ReadReport& report() const HEADRACE_LIFETIME_BOUND;

  // Progress: the records and uncompressed bytes (framing included) read so
  // far, and the stored bytes read so far and in total. Other threads may call
  // these, too, while this reader lives and is not moved. stored_size is 0
  // until the last input of open_input has been opened, and if the size of any
  // input is unknown.
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
