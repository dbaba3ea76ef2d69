// Shuffler writes the records of the input in the order of headrace::Order.
//
// The order says which record is at each position of the output, so the output
// depends only on the sequence of the records and the seed. Records that fit
// into memory are read once. Otherwise the first pass counts them; the second
// finds the position of each record by the inverse of the order, and puts the
// record into the bucket of a run of positions. Then the buckets, each of which
// fits into memory, are written one after another. An input that cannot be read
// twice, such as a pipe, goes to a temporary file in the first pass.

#ifndef HEADRACE_SRC_CLI_SHUFFLE_SHUFFLER_H_
#define HEADRACE_SRC_CLI_SHUFFLE_SHUFFLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/order.h"
#include "headrace/output_file.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/output/record_output.h"
#include "src/cli/process/console.h"
#include "src/cli/progress.h"
#include "src/cli/record_input.h"
#include "src/cli/shuffle/buckets.h"
#include "src/cli/shuffle/temporary_file.h"

namespace headrace::cli {

struct ShuffleOptions {
  InputOptions input;
  std::string output;
  uint64_t shards = 0;  // 0: as `output` says
  uint64_t seed = 0;
  uint64_t memory = uint64_t{1} << 30;  // bytes, a multiple of 8
  std::string temporary_folder;         // empty: the folder of the output
  RecordOutput stored;
};

// ShardWriter writes records to a file, or to the files of a shard set one
// after another.
//
// Of n records shard k of N has [n k / N, n (k + 1) / N). One file is open at a
// time. Without Close there is no output.
class ShardWriter {
 public:
  // Opens the first file.
  static Result<ShardWriter> Open(std::vector<std::string> paths,
                                  const RecordWriterOptions& stored);

  // Must be called before the first record is written.
  void set_num_records(uint64_t records) { num_records_ = records; }
  Status Write(std::string_view payload);
  // Gives all files their names, or none.
  Status Close();

 private:
  ShardWriter(std::vector<std::string> paths, const RecordWriterOptions& stored)
      : paths_(std::move(paths)), stored_(stored) {
    files_.reserve(paths_.size());
  }
  Status OpenShard();
  Status FinishShard();

  std::vector<std::string> paths_;
  RecordWriterOptions stored_;
  // The files that are written or finished. They do not move: `writer_` has a
  // pointer to the last.
  std::vector<OutputFile> files_;
  std::optional<RecordWriter> writer_;
  uint64_t num_records_ = 0;
  uint64_t next_record_ = 0;
};

class Shuffler {
 public:
  // `folder` is for temporary files. The options and the writer must outlive
  // the Shuffler.
  Shuffler(const ShuffleOptions& options, std::string folder,
           const Console& console, ShardWriter* out)
      : options_(options),
        folder_(std::move(folder)),
        console_(console),
        out_(out),
        progress_("shuffle", console, options.output) {}

  // Writes all records; the caller closes the writer.
  Status Run();

  uint64_t num_records() const { return num_records_; }
  // The size of the uncompressed output, framing included.
  uint64_t num_bytes() const { return num_bytes_; }
  // What the policy skipped, even after a failure.
  const ReadReport& report() const { return report_; }

 private:
  Status TakeMemory();
  Status Gather();
  Status Hold(std::string_view payload);
  Status WriteHeld();
  Status WriteBuckets();
  Status AnnounceSpace(const BucketPlan& plan) const;
  Status Scatter(Buckets* buckets);
  Status ScatterSpool(Buckets* buckets);
  // Writes the records at positions first, first + 1, ..., as many as `offsets`
  // has elements. `offsets` is scratch memory: its content on entry is ignored.
  Status WriteEntries(EntryReader* entries, uint64_t first,
                      std::span<uint64_t> offsets);
  size_t memory_bytes() const { return static_cast<size_t>(options_.memory); }
  // Return the beginning and the end of the memory.
  std::span<char> Bytes(size_t count) const;
  std::span<uint64_t> Numbers(uint64_t count) const;
  Result<uint64_t> PositionOf(uint64_t record) const;
  // Shows that `done` of `all` bytes of a pass are done.
  void Show(uint64_t pass, uint64_t done, uint64_t all);

  const ShuffleOptions& options_;
  const std::string folder_;
  const Console console_;
  ShardWriter* out_;
  Progress progress_;

  std::unique_ptr<uint64_t[]> memory_;  // numbers at its end, bytes before them
  std::optional<EntryWriter> held_;
  bool holds_all_ = true;  // all records so far are in memory
  bool can_read_again_ = true;
  std::optional<TemporaryFile> spool_;  // of an input that cannot be read again
  std::optional<Order> order_;
  uint64_t num_records_ = 0;
  uint64_t num_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  uint64_t num_passes_ = 2;
  ReadReport report_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_SHUFFLE_SHUFFLER_H_
