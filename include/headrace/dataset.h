// Dataset: the records of some files by number, in any order.
//
//   auto dataset = headrace::Dataset::Open({"train-*.tfrecord"});
//   if (!dataset) return dataset.status();
//   auto batch = dataset->Take({17, 3, 100000});
//
// Rows are numbered over all files in their order, from 0. An index (index.h)
// that lies beside a file says where its records are; the headers of other
// files are walked when the dataset is opened, for which compressed files are
// inflated. Files must be readable at any place: pipes, standard input and
// files compressed with snappy are kInvalidArgument.
//
// A record of a compressed file is found by inflating what lies before it, from
// the last place where its index lets inflating begin. Ask for many records at
// once, or by blocks (TakeOptions): each stretch is then inflated once.
//
// One thread at a time may use a Dataset; copies share what is known of the
// files, and other threads may use them.

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
  // This is what the records are if no plan is given; kAuto goes by the first.
  MessageType message = MessageType::kAuto;
  IndexUse index = IndexUse::kAuto;
  // The folder of the indexes; empty for that of each file. The index of
  // a.tfrecord is a.tfrecord.hri there, or a.tfrecord.idx or a.idx of DALI.
  std::string index_directory = {};
  // Refuse compressed files (kInvalidArgument), for who would rather read them
  // in order than inflate a stretch for each row. Default false.
  bool plain_only = false;
  // Check payloads' CRCs. Default true; those of headers always are.
  bool verify_payload = true;
  bool verify_unselected = false;  // see DecodeOptions
  bool mmap = false;               // see RecordReaderOptions
  // If no plan is given, columns are found as ReadOptions says.
  uint64_t sample = 10000;
  uint64_t sample_bytes = uint64_t{16} << 20;
  // Names beside a plan are kInvalidArgument.
  std::vector<std::string> features = {};
  // See ReadOptions; Dataset::Late has what ReadReport::late has.
  bool strict_columns = false;
  bool plan_is_of_sample = false;
  // What becomes of features that a given plan names and the records lack, as
  // ReadOptions says. The first Take looks: at the rows that it takes, and if
  // these lack something, at the first 256 rows or 16 MiB of the dataset, too.
  // It fails where a reader would before any row. Report has the notices.
  OnAbsent on_absent = OnAbsent::kWarn;
  // Opens every file, if set; see input_file.h. The inputs must be able to seek
  // and know their size. Indexes are then looked for in index_directory alone.
  OpenInput open_input = {};
  // The rows are these records alone: a range for each path, as in ReadOptions.
  // If every range says how many records its file has, Open reads no file,
  // apart from the sample. A file is opened, and its records are counted, when
  // a row of it is first asked for: kWrongRecordCount if they are not as many.
  std::vector<RecordRange> record_ranges = {};
  // So many threads walk headers, and inflate compressed files, while the
  // dataset is opened; read from inputs of open_input at a time; and inflate
  // for Take. They end with the call. Local plain files are read by the
  // caller's thread.
  size_t threads = 1;
  // Asked while headers are walked, with the bytes done and in all files that
  // were begun; true ends Open with kCancelled. One thread at a time asks. It
  // may be empty and must not throw.
  std::function<bool(uint64_t done, uint64_t size)> progress = {};
  Limits limits = {};
};

// How Take reads. By default exactly the records asked for.
struct TakeOptions {
  // If not 0, blocks of so many consecutive rows are read whole, and the last
  // `kept` of them, at least one, stay in memory. It is for orders by blocks
  // (order.h): each block is then read once.
  uint64_t block = 0;
  uint64_t kept = 1;
  // Asked whether to stop: before each run of neighbouring records that the
  // thread that calls Take reads, and while files are opened that no row was
  // asked of before. One thread at a time asks. True ends Take with kCancelled,
  // once reads that were begun have ended. It may be empty and must not throw.
  std::function<bool()> interrupted = {};
  // The lane of each row, if the order has several (order.h), or any number
  // that tells the rows of one lane from those of others; empty: all are of one
  // lane. Lanes take turns, each with a window of its own, so `kept` blocks
  // stay of each lane that rows are taken of.
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
  // The same rows for another plan. It shares what is known of the files, so it
  // reads nothing; Late of it counts anew.
  Result<Dataset> With(const Plan& plan) const;
  Dataset(const Dataset& other);
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset other) noexcept;
  ~Dataset();

  uint64_t size() const;  // rows of all files
  const Plan& plan() const HEADRACE_LIFETIME_BOUND { return plan_; }
  const std::vector<std::string>& files() const HEADRACE_LIFETIME_BOUND;
  // The first row of each file, and then size().
  std::span<const uint64_t> first_rows() const HEADRACE_LIFETIME_BOUND;
  // A digest of the number and sizes of the records in all files, for telling
  // the state of one dataset from that of another. Of files that Open does not
  // read it is of what their ranges say, their names without folders, and, of
  // local ones, their sizes.
  uint64_t fingerprint() const;

  // The place of a row. kInvalidArgument for one that there is not.
  Result<RowOrigin> Origin(uint64_t row) const;

  // Gives these rows in the order asked for; rows may repeat. kInvalidArgument
  // for one that there is not; kBadIndex where a file has another record than
  // when it was opened; errors of records as a reader's. A batch that
  // does not fit Limits::max_batch_bytes is kLimit. After an error the dataset
  // can be used as before, except where `on_absent` makes Take fail.
  Result<Batch> Take(std::span<const uint64_t> rows,
                     const TakeOptions& options = {});
  Result<Batch> Take(std::initializer_list<uint64_t> rows,
                     const TakeOptions& options = {}) {
    return Take(std::span<const uint64_t>(rows.begin(), rows.size()), options);
  }

  // The values that Take of this dataset and of its copies left out, because
  // the sample that the columns were found from did not show them; and the sum
  // of their rows. A row counts as often as it was taken.
  Result<std::vector<LateFeature>> Late() const;
  uint64_t num_late() const;
  // What Take of this dataset and of its copies left out, and what their user
  // should hear of: `late` and `num_late` as above; `absent`, the features that
  // no row so far had; `num_lists_left_out`, where a row counts as often as it
  // was taken; `notices`, of which none are of NoticeKind::kAbsent, as nobody
  // knows which Take is the last one; and `left_out`, what folders among the
  // paths have besides their files. The rest is empty.
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
