// FeatureStats is a handle on a DatasetCounter. It turns failed allocations
// into errors, and remembers a final error. CountRecords counts the records of
// a reader on several threads.

#include "headrace/stats.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "headrace/notice.h"
#include "src/base/out_of_memory.h"
#include "src/plan/infer/message_judge.h"
#include "src/stats/count/dataset_counter.h"

namespace headrace {
namespace {

StatsOptions Checked(StatsOptions options) {
  options.max_distinct =
      std::clamp(options.max_distinct, kMinDistinct, kMaxDistinct);
  if (options.message != MessageType::kSequence) {
    options.message = MessageType::kExample;
  }
  return options;
}

// Counts the records of a reader on several threads. The threads take batches
// in turns, so that the same number of threads yields the same result each
// time.
class Counting {
 public:
  Counting(Reader* reader, const CountOptions& options)
      : reader_(reader),
        options_(options),
        judge_(options.stats.message),
        left_(options.sample) {}

  Result<FeatureStats> Run() {
    LookAtFirst();
    const Result<MessageType> message = CountableMessage(judge_.message());
    if (!message.ok()) return message.status();
    StatsOptions options = options_.stats;
    options.message = *message;
    const size_t threads =
        options_.threads > 0
            ? options_.threads
            : std::max(1u, std::thread::hardware_concurrency());
    std::vector<FeatureStats> parts;
    for (size_t i = 0; i < threads; ++i) {
      parts.emplace_back(options, /*padded_input=*/true);
    }
    StartThreads(&parts);
    if (options_.notices != nullptr) TellNotices(parts);
    if (!failure_.ok()) return failure_;
    for (size_t i = 1; i < parts.size(); ++i) {
      if (Status s = parts[0].Merge(parts[i]); !s.ok()) return s;
    }
    parts[0].AddBad(num_skipped_, reader_->report().num_regions);
    return std::move(parts[0]);
  }

 private:
  // The first `count` rows of a batch; none at the end of the input.
  struct Rows {
    Batch batch;
    size_t count = 0;
  };

  Result<Counting::Rows> Take(size_t thread) {
    std::unique_lock lock(mutex_);
    changed_.wait(
        lock, [&] { return at_end_ || (num_threads_ > 0 && turn_ == thread); });
    if (at_end_) return Rows();
    Result<std::optional<Batch>> batch = std::optional<Batch>();
    if (left_ > 0) batch = TakeNext();
    at_end_ = !batch;
    turn_ = (thread + 1) % num_threads_;
    changed_.notify_all();
    if (!batch.ok()) return batch.status();
    if (!batch) return Rows();
    const uint64_t count = std::min<uint64_t>(batch->num_rows(), left_);
    left_ -= count;
    return Rows{*std::move(batch), static_cast<size_t>(count)};
  }

  Result<std::optional<Batch>> TakeNext() {
    if (next_first_ < first_.size()) {
      return std::optional(std::move(first_[next_first_++]));
    }
    return reader_->Next();
  }

  void LookAtFirst() {
    uint64_t left = options_.sample;
    while (judge_.WantsMore() && left > 0) {
      auto batch = reader_->Next();
      // The batches before an error are counted first; TakeNext then gets the
      // error again.
      if (!batch) break;
      for (const std::string_view payload : batch->columns()[0].bytes()) {
        if (left == 0) break;
        --left;
        if (judge_.WantsMore()) judge_.Look(payload);
      }
      first_.push_back(*std::move(batch));
    }
  }

  void TellNotices(std::span<const FeatureStats> parts) const {
    if (judge_.HoldOther()) {
      options_.notices->push_back(OtherMessageNotice(judge_));
    }
    uint64_t num_lists = 0;
    for (const FeatureStats& part : parts) {
      num_lists += part.num_lists_left_out();
    }
    if (num_lists > 0) {
      options_.notices->push_back(ListsLeftOutNotice(num_lists));
    }
  }

  // Counts on this thread and on a new one for each other part; on fewer
  // threads if the system does not allow more.
  void StartThreads(std::vector<FeatureStats>* parts) {
    const auto work = [&](size_t thread) {
      const Status status =
          CatchOutOfMemory([&] { return CountAs(thread, &(*parts)[thread]); });
      if (!status.ok()) Fail(status);
    };
    std::vector<std::thread> others;
    others.reserve(parts->size() - 1);
    while (others.size() + 1 < parts->size()) {
      try {
        others.emplace_back(work, others.size() + 1);
      } catch (const std::exception&) {
        break;
      }
    }
    {
      const std::lock_guard lock(mutex_);
      num_threads_ = others.size() + 1;
      changed_.notify_all();
    }
    work(0);
    for (std::thread& other : others) other.join();
  }

  Status CountAs(size_t thread, FeatureStats* stats) {
    for (;;) {
      const Result<Rows> rows = Take(thread);
      if (!rows.ok()) return rows.status();
      if (rows->count == 0) return Status();
      if (Status status = CountRows(*rows, stats); !status.ok()) return status;
    }
  }

  Status CountRows(const Rows& rows, FeatureStats* stats) {
    const auto origins = rows.batch.origins().first(rows.count);
    for (size_t first = 0; first < origins.size();) {
      size_t end = first + 1;
      while (end < origins.size() && origins[end].file == origins[first].file) {
        ++end;
      }
      Status status = CountRun(rows.batch, first, end - first, stats);
      if (!status.ok()) return status;
      first = end;
    }
    return Status();
  }

  // Counts consecutive records of one file.
  Status CountRun(const Batch& batch, size_t first, size_t size,
                  FeatureStats* stats) {
    const auto payloads = batch.columns()[0].bytes().subspan(first, size);
    const auto origins = batch.origins().subspan(first, size);
    std::vector<NumberedRecord> records;
    records.reserve(size);
    for (size_t i = 0; i < size; ++i) {
      records.push_back({payloads[i], origins[i].record});
    }
    const std::string& file = reader_->files()[origins[0].file];
    const uint64_t end =
        origins.back().offset + kRecordOverhead + payloads.back().size();
    stats->AddFile(
        {.name = file,
         .records = size,
         .bytes = end - origins[0].offset,
         .compression = CompressionOfName(file).value_or(Compression::kNone)});
    return stats->AddRecords(file, records, [&](size_t i, const Status& error) {
      return Refuse(error, origins[i]);
    });
  }

  Status Refuse(const Status& error, const RowOrigin& origin) {
    ErrorInfo info = *error.info();
    info.file = reader_->files()[origin.file];
    info.record = origin.record;
    info.offset = origin.offset;
    Status placed(std::move(info));
    if (options_.on_row_error == OnRowError::kFail) return placed;
    const std::lock_guard lock(mutex_);
    ++num_skipped_;
    return options_.skipped ? options_.skipped(placed) : Status();
  }

  void Fail(const Status& error) {
    const std::lock_guard lock(mutex_);
    if (failure_.ok()) failure_ = error;
    at_end_ = true;
    changed_.notify_all();
  }

  Reader* const reader_;
  const CountOptions& options_;
  MessageJudge judge_;
  std::vector<Batch> first_;  // looked at, still to be counted
  size_t next_first_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t num_threads_ = 0;  // 0 until all have been started
  size_t turn_ = 0;         // the thread that takes the next batch
  bool at_end_ = false;
  uint64_t left_;  // records that may still be counted
  uint64_t num_skipped_ = 0;
  Status failure_;  // the first
};

}  // namespace

class FeatureStats::Impl {
 public:
  Impl(StatsOptions options, bool padded_input)
      : counter(std::move(options), padded_input) {}

  stats::DatasetCounter counter;
  Status status;  // an error that is final
};

FeatureStats::FeatureStats(StatsOptions options, bool padded_input)
    : impl_(std::make_unique<Impl>(Checked(std::move(options)), padded_input)) {
}
FeatureStats::FeatureStats(FeatureStats&&) noexcept = default;
FeatureStats& FeatureStats::operator=(FeatureStats&&) noexcept = default;
FeatureStats::~FeatureStats() = default;

Status FeatureStats::Add(const Batch& batch,
                         std::span<const std::string> files) {
  if (!impl_->status.ok()) return impl_->status;
  return CatchOutOfMemory(
      &impl_->status, [&] { return impl_->counter.AddBatch(batch, files); });
}

Status FeatureStats::AddRecords(std::string_view file,
                                std::span<const NumberedRecord> records,
                                const BlockCensus::Refused& refused) {
  if (!impl_->status.ok()) return impl_->status;
  return CatchOutOfMemory(&impl_->status, [&] {
    Status status = impl_->counter.AddRecords(file, records, refused);
    if (status.code() == ErrorCode::kOutOfMemory) impl_->status = status;
    return status;
  });
}

void FeatureStats::AddFile(const FileSummary& file) {
  impl_->counter.AddFile(file);
}

void FeatureStats::AddBad(uint64_t records, uint64_t regions) {
  impl_->counter.AddBad(records, regions);
}

Status FeatureStats::Merge(const FeatureStats& other) {
  if (!impl_->status.ok()) return impl_->status;
  if (!other.impl_->status.ok()) return other.impl_->status;
  return CatchOutOfMemory(&impl_->status, [&] {
    return impl_->counter.Merge(other.impl_->counter);
  });
}

uint64_t FeatureStats::num_records() const {
  return impl_->counter.num_records();
}

uint64_t FeatureStats::num_lists_left_out() const {
  return impl_->counter.num_lists_left_out();
}

std::vector<Notice> FeatureStats::notices() const {
  return impl_->counter.ToNotices();
}

StatsSummary FeatureStats::Summary() const {
  return impl_->counter.ToSummary();
}

std::string FeatureStats::Serialize() const {
  return impl_->counter.Serialize();
}

// Also returns true for statistics of other versions, which Parse refuses.
bool FeatureStats::IsSerialized(std::string_view bytes) {
  constexpr std::string_view kMagic = stats::kStateMagic;
  constexpr size_t kVersionAt = kMagic.size() - 1;
  return bytes.size() >= kMagic.size() &&
         bytes.starts_with(kMagic.substr(0, kVersionAt)) &&
         bytes[kVersionAt] >= '0' && bytes[kVersionAt] <= '9';
}

Result<FeatureStats> FeatureStats::Parse(std::string_view bytes) {
  return CatchOutOfMemory([&]() -> Result<FeatureStats> {
    constexpr std::string_view kMagic = stats::kStateMagic;
    if (IsSerialized(bytes) && !bytes.starts_with(kMagic)) {
      return Status(ErrorCode::kInvalidArgument,
                    std::string("the saved statistics have version ") +
                        bytes[kMagic.size() - 1] +
                        "; this headrace reads version " + kMagic.back());
    }
    FeatureStats stats;
    if (!stats.impl_->counter.Parse(bytes)) {
      return Status(ErrorCode::kInvalidArgument,
                    "these bytes are not statistics that headrace has saved");
    }
    return stats;
  });
}

Result<MessageType> CountableMessage(MessageType likely) {
  if (likely != MessageType::kElwc) return likely;
  return Status(ErrorCode::kInvalidArgument,
                "the records look like ExampleListWithContext (message "
                "\"elwc\"), and there are no statistics of lists of Examples");
}

Result<FeatureStats> CountRecords(Reader* reader, const CountOptions& options) {
  if (reader->message() != MessageType::kRaw) {
    return Status(ErrorCode::kInvalidArgument,
                  "statistics need a reader of raw records");
  }
  if (IsListOfExamples(options.stats.message)) {
    return Status(ErrorCode::kInvalidArgument,
                  "there are no statistics of lists of Examples (message "
                  "\"elwc\")");
  }
  return CatchOutOfMemory([&] { return Counting(reader, options).Run(); });
}

}  // namespace headrace
