// Dataset: the records of some files by number, in any order.
//
//   auto dataset = headrace::Dataset::Open({"train-*.tfrecord"});
//   if (!dataset) return dataset.status();
//   auto batch = dataset->Take({17, 3, 100000});
//
// Rows are numbered from 0 over all files, in the order of the files. An index
// (index.h) beside a file says where its records are. For files without one,
// Open walks the headers, which inflates compressed files. Files must be
// readable at any place: Open returns kInvalidArgument for pipes, standard
// input and files compressed with snappy.
//
// To read a record of a compressed file, Take inflates the bytes before it. The
// index of the file lists places at which inflating can begin; Take begins at
// the last one before the record. Ask for many records in one call, or by
// blocks (TakeOptions): each stretch is then inflated once.
//
// One thread at a time may use a Dataset. Copies share what is known of the
// files, but each copy may be used by a different thread.

#ifndef HEADRACE_DATASET_H_
#define HEADRACE_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "headrace/batch.h"
#include "headrace/batch_allocator.h"
#include "headrace/export.h"
#include "headrace/index.h"
#include "headrace/input_file.h"
#include "headrace/limits.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

struct DatasetOptions {
  // The message of the records if no plan is given; kAuto goes by the first
  // records.
  MessageType message = MessageType::kAuto;
  IndexUse index = IndexUse::kAuto;
  // The folder of the indexes; if empty, the folder of each file. The index of
  // a.tfrecord is a.tfrecord.hri there, or DALI's a.tfrecord.idx or a.idx.
  std::string index_directory = {};
  // Refuse compressed files (kInvalidArgument), for callers that would rather
  // read them in order than inflate a stretch for each row. Default false.
  bool plain_only = false;
  // Check the CRCs of payloads. Default true; the CRCs of headers are always
  // checked.
  bool verify_payload = true;
  bool verify_unselected = false;  // see DecodeOptions
  bool mmap = false;               // see RecordReaderOptions
  // If no plan is given, columns are found as in ReadOptions.
  uint64_t sample = 10000;
  uint64_t sample_bytes = uint64_t{16} << 20;
  // The names of the columns, as in ReadOptions; kInvalidArgument together with
  // a plan.
  std::vector<std::string> features = {};
  // As in ReadOptions; Dataset::Late returns what ReadReport::late would have.
  bool strict_columns = false;
  bool plan_is_of_sample = false;
  // What happens if the records lack features that a given plan names, as in
  // ReadOptions. The first Take examines the rows that it was asked for and, if
  // these lack a feature, the first 256 rows or 16 MiB of the dataset. It fails
  // if a reader would fail before any row. Report has the notices.
  OnAbsent on_absent = OnAbsent::kWarn;
  // Opens every file, if set; see input_file.h. The inputs must be able to seek
  // and know their size. Indexes are then searched for only in index_directory.
  OpenInput open_input = {};
  // Use only these records as rows: one range per path, as in ReadOptions. If
  // every range has file_records, Open reads only the sample. A file is opened,
  // and its records are counted, when one of its rows is first asked for;
  // kWrongRecordCount if the count differs.
  std::vector<RecordRange> record_ranges = {};
  // The number of threads. In Open they walk headers and inflate compressed
  // files. In Take they inflate, and read from inputs of open_input; local
  // plain files are read by the caller's thread. The threads end with the call.
  size_t threads = 1;
  // Called while headers are walked, with the number of bytes done and the size
  // of all files begun so far; true ends Open with kCancelled. It is called by
  // one thread at a time. It may be empty and must not throw.
  std::function<bool(uint64_t done, uint64_t size)> progress = {};
  // Gives the tensors of batches their memory, as in ReadOptions.
  std::shared_ptr<BatchAllocator> allocator = {};
  Limits limits = {};
};

// How Take reads. By default it reads exactly the records asked for.
struct TakeOptions {
  // Rows per block, or 0. If not 0, blocks of this many consecutive rows are
  // read whole, and the last `kept` of them, at least one, stay in memory. Use
  // it for orders by blocks (order.h): each block is then read once.
  uint64_t block = 0;
  uint64_t kept = 1;
  // Asked whether to stop: before each run of neighbouring records that the
  // thread inside Take reads, and while files are opened for their first row.
  // It is called by one thread at a time. True ends Take with kCancelled, after
  // the reads that have begun. It may be empty and must not throw.
  std::function<bool()> interrupted = {};
  // For an order with several lanes (order.h): the lane of each row, or any
  // number that is the same for all rows of a lane. Empty: all rows are of one
  // lane. Lanes take turns, and each has its own window, so `kept` blocks stay
  // in memory for each lane that has rows.
  std::span<const uint64_t> lanes = {};
};

class HEADRACE_EXPORT Dataset {
 public:
  // Opens the files for the columns found from a sample, or for a plan.
  static Result<Dataset> Open(const std::vector<std::string>& paths,
                              const DatasetOptions& options = {});
  static Result<Dataset> Open(const std::vector<std::string>& paths,
                              const Plan& plan,
                              const DatasetOptions& options = {});
  // Returns the same rows for another plan. The new dataset shares what is
  // known of the files, so nothing is read; its Late counts from zero.
  Result<Dataset> With(const Plan& plan) const;
  // Returns the same rows in memory of another allocator, or of none; see
  // DatasetOptions. kInvalidArgument without a plan of tensors.
  Result<Dataset> WithAllocator(
      std::shared_ptr<BatchAllocator> allocator) const;
  Dataset(const Dataset& other);
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset other) noexcept;
  ~Dataset();

  uint64_t size() const;  // rows of all files
  const Plan& plan() const HEADRACE_LIFETIME_BOUND { return plan_; }
  const std::vector<std::string>& files() const HEADRACE_LIFETIME_BOUND;
  // The first row of each file, and then size().
  std::span<const uint64_t> first_rows() const HEADRACE_LIFETIME_BOUND;
  // Returns a digest of the number and sizes of the records in all files, which
  // shows whether a saved state belongs to this dataset. For files that Open
  // does not read, it covers what their ranges say, their names without folders
  // and, for local files, their sizes.
  uint64_t fingerprint() const;

  // Returns the file and the place of a row. kInvalidArgument for a row that
  // does not exist.
  Result<RowOrigin> Origin(uint64_t row) const;

  // Returns these rows in the order asked for; rows may repeat.
  // kInvalidArgument for a row that does not exist; kBadIndex if a file has a
  // different record there than when it was opened; errors of records as from a
  // reader. kLimit if the batch does not fit Limits::max_batch_bytes. After an
  // error the dataset can be used as before, unless `on_absent` made Take fail.
  Result<Batch> Take(std::span<const uint64_t> rows,
                     const TakeOptions& options = {});
  Result<Batch> Take(std::initializer_list<uint64_t> rows,
                     const TakeOptions& options = {}) {
    return Take(std::span<const uint64_t>(rows.begin(), rows.size()), options);
  }

  // Returns the features whose values Take left out, in this dataset and its
  // copies, because the sample from which the columns were found did not show
  // them; num_late is the sum of their rows. A row counts as often as it was
  // taken.
  Result<std::vector<LateFeature>> Late() const;
  uint64_t num_late() const;
  // Returns what Take left out, in this dataset and its copies, and the notices
  // for the user: `late` and `num_late` as above; `absent`, the features that
  // no row so far had; `num_lists_left_out`, where a row counts as often as it
  // was taken; `notices`, without NoticeKind::kAbsent, because no Take is known
  // to be the last one; and `left_out`, the files in folders among the paths
  // that are not read. The other members are empty.
  Result<ReadReport> Report() const;
  uint64_t num_lists_left_out() const;

 private:
  class Impl;
  Dataset(std::unique_ptr<Impl> impl, const Plan& plan);
  std::unique_ptr<Impl> impl_;
  Plan plan_;
};

}  // namespace headrace

#endif  // HEADRACE_DATASET_H_
