// ReaderCore is a headrace::Reader that can restart at a row, and read several
// epochs. It uses Python only through the callbacks in its options.

#ifndef HEADRACE_PYTHON_SRC_READER_CORE_H_
#define HEADRACE_PYTHON_SRC_READER_CORE_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/stats.h"
#include "headrace/status.h"
#include "python/src/reader/warnings.h"

namespace headrace::python {

struct ReaderArguments {
  std::vector<std::string> paths = {};
  // Without a plan the columns are found from the data.
  std::optional<Plan> plan = {};
  // One thread per processor by default.
  ReadOptions options = {.threads = 0};
  bool drop_remainder = false;
  uint64_t epochs = 1;  // 0: endless
};

// A position in the rows.
struct ReaderPosition {
  uint64_t epoch = 0;  // from 0
  // The last row returned; empty at the beginning of an epoch.
  std::optional<RowOrigin> last = {};
  uint64_t num_rows = 0;  // returned in this epoch
};

// One call at a time may use a ReaderCore. A second call, from another thread
// or from a callback, finds it busy (TryEnter).
class ReaderCore {
 public:
  static Result<std::unique_ptr<ReaderCore>> Open(ReaderArguments arguments);
  ~ReaderCore();

  // Returns false while another call is inside.
  bool TryEnter() { return !busy_.exchange(true, std::memory_order_acquire); }
  void Leave() { busy_.store(false, std::memory_order_release); }
  // The threads of a reader do not survive a fork.
  bool is_of_this_process() const;

  // Whether the files or the allocator are Python objects, so that the threads
  // need the GIL.
  bool calls_python() const { return calls_python_; }
  // The plan and the files do not change.
  const Plan& plan() const { return *arguments_.plan; }
  const std::vector<std::string>& files() const { return files_; }

  // All methods below may be called only between TryEnter and Leave.

  // Returns the next batch; all epochs follow one another.
  Result<std::optional<Batch>> Next();
  Status Restart(const ReaderPosition& position);
#ifndef HEADRACE_LEAVES_OUT_STATS
  // Counts the statistics of the remaining rows, which must be raw records.
  Result<FeatureStats> Count(const CountOptions& options);
#endif
  // Ends all threads and releases the files. Next then returns
  // kInvalidArgument.
  void Close();

  bool is_closed() const { return !reader_.has_value(); }
  // Whether all epochs have been read.
  bool at_end() const { return at_end_; }
  // The reader must not be closed.
  const Reader& reader() const { return *reader_; }
  const ReaderPosition& position() const { return position_; }
  const ReadReport& report() const;
  // Returns the error of the last call of Next. It is kept because consumers of
  // a stream get only its text. May be called at any time.
  Status failure() const;
  void NoteFailure(const Status& failure);
  // Returns what to warn the user of, each thing once: notices about the first
  // records and, when an epoch or the reading ends, features that the sample
  // did not show or that no record had. Empty if there is nothing new.
  std::optional<ReadReport> TakeWarning() {
    return std::exchange(warning_, std::nullopt);
  }
  // Whether only a part of the records is read. Notices at the end then refer
  // to that part.
  bool reads_part() const;

 private:
  explicit ReaderCore(ReaderArguments arguments);
  Status OpenReader();
  Result<std::optional<Batch>> NextBatch();
  void Tell(bool at_end);

  ReaderArguments arguments_;
  const pid_t process_;
  const bool calls_python_;
  std::atomic<bool> busy_ = false;
  std::optional<Reader> reader_;
  std::vector<std::string> files_;
  ReaderPosition position_;
  bool at_end_ = false;
  ReadReport last_report_;  // from a closed reader
  mutable std::mutex failure_mutex_;
  Status failure_;
  bool has_resumed_ = false;  // reader_ began in the middle of an epoch
  Teller teller_;
  std::optional<ReadReport> warning_;  // not yet returned by TakeWarning
};

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_CORE_H_
