// Reader decodes the records of files into batches: on the caller's thread with
// BatchFiller, or on several with BatchPipeline. Its columns are from a plan,
// or from a sample of the first records.

#include "headrace/reader.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "src/base/interrupt.h"
#include "src/base/out_of_memory.h"
#include "src/base/progress.h"
#include "src/base/system_error.h"
#include "src/base/without_content.h"
#include "src/decode/example/decode_block.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/census.h"
#include "src/read/batch/batch_storage.h"
#include "src/read/reader/batch_filler.h"
#include "src/read/reader/batch_pipeline.h"
#include "src/read/reader/first_look.h"
#include "src/read/reader/sampler.h"
#include "src/read/stream/record_ranges.h"
#include "src/read/stream/record_stream.h"

namespace headrace {
namespace {

constexpr size_t kMaxThreads = 1024;

ReadOptions WithThreads(ReadOptions options) {
  if (options.threads == 0) {
    options.threads = std::max(1u, std::thread::hardware_concurrency());
  }
  options.threads = std::min(options.threads, kMaxThreads);
  return options;
}

// Extends the error of Plan::Select for a name that the sample did not show,
// maybe because records could not be read.
Status NotInSample(const Status& error, const reader::Sampler& sampler) {
  ErrorInfo info = *error.info();
  if (info.code == ErrorCode::kInvalidArgument) {
    // "there is no column X": say where there is none.
    constexpr std::string_view kThereIs = "there is ";
    if (info.message.starts_with(kThereIs)) {
      info.message.replace(0, kThereIs.size(), "the sample has ");
    }
    info.message += sampler.ExplainGaps(&info);
  }
  return Status(std::move(info));
}

// Returns the number of shards: the product of the counts of the shard and its
// subshards.
Result<uint64_t> NumShards(const ReadOptions& options) {
  uint64_t product = 1;
  std::vector<Shard> shards = options.subshards;
  shards.insert(shards.begin(), options.shard);
  for (const Shard& shard : shards) {
    if (shard.index >= shard.count) {
      return Status(ErrorCode::kInvalidArgument,
                    "there is no shard " + std::to_string(shard.index) +
                        ": there are " + std::to_string(shard.count) +
                        " shards, counted from 0");
    }
    product *= shard.count;
    if (product > ~uint32_t{0}) {
      return Status(ErrorCode::kInvalidArgument,
                    "shards and their parts must be fewer than 2^32");
    }
  }
  return product;
}

// Checks the options, then returns the files that the paths name.
Result<FoundFiles> CheckedFiles(const std::vector<std::string>& paths,
                                const ReadOptions& options) {
  if (options.batch_size == 0) {
    return Status(ErrorCode::kInvalidArgument, "a batch has at least one row");
  }
  const auto num_shards = NumShards(options);
  if (!num_shards.ok()) return num_shards.status();
  if (paths.empty()) {
    return Status(ErrorCode::kInvalidArgument, "no files: no path is given");
  }
  auto found =
      reader::FilesOf(paths, options.record_ranges, options.open_input);
  if (!found.ok()) return found;
  const std::vector<std::string>& files = found->files;
  if (options.range != ByteRange() && !options.record_ranges.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "give a range of bytes or ranges of records, not both");
  }
  if (options.range != ByteRange()) {
    Status status = record::Check(options.range);
    if (!status.ok()) return status;
    if (files.size() != 1 || *num_shards > 1) {
      return Status(ErrorCode::kInvalidArgument,
                    "a range of bytes needs one file and one shard; "
                    "there are " +
                        std::to_string(files.size()) + " files and " +
                        std::to_string(*num_shards) + " shards");
    }
  }
  if (options.resume_after && options.resume_after->file >= files.size()) {
    return Status(ErrorCode::kInvalidArgument,
                  "resume_after is in file " +
                      std::to_string(options.resume_after->file) +
                      ": there are " + std::to_string(files.size()) +
                      " files, counted from 0");
  }
  return found;
}

}  // namespace

class Reader::Impl {
 public:
  Impl(FoundFiles found, const ReadOptions& options)
      : files_(std::move(found.files)),
        options_(WithThreads(options)),
        interrupt_(options.interrupted),
        stream_(files_, options_, interrupt()),
        pool_(std::make_shared<reader::BatchPool>(options.limits,
                                                  options.allocator)),
        filler_(files_, &options_, &stream_, &report_),
        has_pipeline_(options_.threads > 1) {
    report_.num_left_out = found.num_left_out;
    report_.left_out = std::move(found.left_out);
    const size_t most = options.limits.max_reported;
    if (report_.left_out.size() > most) report_.left_out.resize(most);
    interrupt_.EnterCaller();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  // Lets the threads of the pipeline end without finishing their jobs.
  ~Impl() { interrupt_.Set(); }

  // Call either FindColumns, which takes the columns from a sample, or UsePlan.
  Status FindColumns() {
    if (options_.allocator) return reader::AllocatorNeedsSpec();
    if (options_.message == MessageType::kRaw) {
      const Plan raw = Plan::ForRaw();
      if (options_.features.empty()) return UsePlan(raw);
      return raw.Select(options_.features).status();
    }
    if (options_.message == MessageType::kExampleInExample) {
      return Status(ErrorCode::kInvalidArgument,
                    "records of message \"example_in_example\" are read by a "
                    "spec; as Examples their columns are bytes");
    }
    reader::Sampler sampler(options_, &stream_, interrupt_);
    auto counted = sampler.Run();
    if (!counted.ok()) return counted.status();
    const FeatureCensus& census = counted->census();
    message_ = census.message();
    if (census.judge().HoldOther()) {
      report_.notices.push_back(OtherMessageNotice(census.judge()));
    }
    const bool is_guess = options_.message == MessageType::kAuto &&
                          message_ == MessageType::kExample;
    auto program = plan::Program::ForColumns(
        census.columns(), message_, census.has_feature_lists(),
        is_guess ? plan::LateKeys::kCollectedWithLists
                 : plan::LateKeys::kCollected);
    if (!program.ok()) return program.status();
    plan_ = plan::Program::MakePlan(*std::move(program));
    if (!options_.features.empty()) {
      // Features of the sample that are not selected do not count as late.
      // Features that the sample did not show do.
      const Result<Plan> selected = plan_->Select(options_.features);
      if (!selected.ok()) return NotInSample(selected.status(), sampler);
      plan_ = *selected;
    }
    stored_size_ = stream_.stored_size();
    return Status();
  }

  Status UsePlan(Plan plan) {
    if (options_.message != MessageType::kAuto &&
        options_.message != plan.message()) {
      return Status(ErrorCode::kInvalidArgument,
                    "the plan is for another message than was asked for");
    }
    if (options_.allocator && plan.tensors().empty()) {
      return reader::AllocatorNeedsSpec();
    }
    if (options_.plan_is_of_sample) {
      auto of_sample = plan::Program::OfSample(plan);
      if (!of_sample.ok()) return of_sample.status();
      plan = *std::move(of_sample);
    }
    plan_ = std::move(plan);
    message_ = plan_->message();
    absent_ = reader::AbsentSlots(*plan_);
    must_look_ = true;
    stored_size_ = stream_.stored_size();
    return stream_.Rewind();
  }

  Status SetAllocator(std::shared_ptr<BatchAllocator> allocator) {
    if (has_begun_) {
      return Status(ErrorCode::kInvalidArgument,
                    "the reader has begun; set its allocator before the first "
                    "rows");
    }
    if (allocator && plan_->tensors().empty()) {
      return reader::AllocatorNeedsSpec();
    }
    pool_ = std::make_shared<reader::BatchPool>(options_.limits,
                                                std::move(allocator));
    return Status();
  }

  Result<std::optional<Batch>> Next() {
    has_begun_ = true;
    if (!status_.ok()) return status_;
    if (ended_) return std::optional<Batch>();
    interrupt_.EnterCaller();
    if (std::exchange(must_look_, false)) status_ = LookFirst();
    if (!status_.ok()) return status_;
    Batch batch;
    // With kAutoBatchSize, the caller makes the first batch alone, which
    // decides the size of the others.
    const bool use_pipeline =
        has_pipeline_ && options_.batch_size != kAutoBatchSize;
    const bool taken = use_pipeline && TakeFromPipeline(&batch);
    const bool filled = taken || interrupt_.is_set() || FillOne(&batch);
    if (interrupt_.is_set()) return status_ = Cancelled();
    if (!filled) return status_;
    reader::NoteLate(late_, options_.limits.max_reported, &report_);
    if (ended_ && status_.ok()) status_ = NoteEnd();
    if (batch.num_rows() > 0) return std::optional(std::move(batch));
    if (!status_.ok()) return status_;
    return std::optional<Batch>();
  }

  Status* final_status() { return &status_; }
  const Status& status() const { return status_; }
  const Plan& plan() const { return *plan_; }
  MessageType message() const { return message_; }
  const std::vector<std::string>& files() const { return files_; }
  const ReadReport& report() {
    filler_.ExplainSkipped();
    return report_;
  }
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }
  uint64_t stored_position() const { return stored_position_; }
  uint64_t stored_size() const { return stored_size_; }

 private:
  // Null if the caller gave no function to ask.
  Interrupt* interrupt() {
    return interrupt_.has_function() ? &interrupt_ : nullptr;
  }

  // Takes a batch from the pipeline. Returns false if the records of the next
  // job do not become one whole batch, or if there is no job. All records are
  // then back in the stream.
  bool TakeFromPipeline(Batch* batch) {
    if (!pipeline_) {
      pipeline_.emplace(options_, *plan_, &stream_, pool_, filler_.most_rows(),
                        interrupt());
    }
    const reader::BatchJob* job = pipeline_->Take();
    // With max_bad, bad rows are counted only where the caller makes batches
    // alone.
    if (job != nullptr && job->is_judged && options_.max_bad == ~uint64_t{0}) {
      if (!pipeline_->StopJudged()) return false;
      job = pipeline_->Take();
    }
    if (job == nullptr) {
      has_pipeline_ = false;
      return false;
    }
    if (!job->refusal.ok()) {
      status_ = job->refusal;
      pipeline_->Stop();
      return true;
    }
    uint64_t regions = job->left_out.count;
    for (const auto& piece : job->pieces) regions += piece.left_out.count;
    const bool is_whole = job->storage != nullptr || job->spans.empty();
    if (!is_whole || filler_.IsTooBad(regions)) {
      pipeline_->Stop();
      return false;
    }
    num_records_ += job->spans.size();
    num_bytes_ += job->payload_bytes + kRecordOverhead * job->spans.size();
    stored_position_ = job->stored_position;
    stored_size_ = job->stored_size;
    ended_ = job->at_end;
    NoteSkipped(*job);
    if (!job->status.ok()) status_ = job->status;
    reader::Skipped left_out;
    reader::BatchStorage* const storage = pipeline_->Finish(&left_out, &late_);
    if (storage != nullptr) {
      *batch = reader::BatchStorage::MakeBatch(storage);
      NoteFeatures(storage);
    }
    filler_.AddRegions(std::move(left_out));
    return true;
  }

  bool FillOne(Batch* batch) {
    reader::BatchStorage* const storage = pool_->Acquire(*plan_);
    *batch = reader::BatchStorage::MakeBatch(storage);
    const uint64_t records = filler_.num_records();
    const uint64_t bytes = filler_.num_bytes();
    if (Status status = filler_.Fill(*plan_, storage, &late_); !status.ok()) {
      status_ = status;
      return false;
    }
    NoteFeatures(storage);
    num_records_ += filler_.num_records() - records;
    num_bytes_ += filler_.num_bytes() - bytes;
    stored_position_ = stream_.stored_position();
    stored_size_ = stream_.stored_size();
    ended_ = filler_.at_end();
    status_ = filler_.status();
    if (has_pipeline_) filler_.GiveBack();
    return true;
  }

  // Inspects the first records that this reader will read; they stay in the
  // stream.
  Status LookFirst() {
    reader::FirstLook look(*plan_);
    constexpr size_t kMax = reader::FirstLook::kRecords;
    const size_t batch_size = options_.batch_size == kAutoBatchSize
                                  ? reader::kMinRows
                                  : options_.batch_size;
    // A pipe may deliver no more than a batch for a long time, so only a batch
    // is inspected at first. An input of the caller shows whether it is a pipe
    // only once it is open.
    size_t most = std::min(kMax, batch_size);
    std::string file;
    for (size_t looked = 0; looked < most && look.WantsMore();) {
      const auto block = stream_.LookAhead(most - looked);
      if (interrupt_.is_set()) return Cancelled();
      if (!block) break;
      if (file.empty()) file = files_[block->file];
      looked += block->block.records.size();
      if (stream_.can_reopen()) most = kMax;
      if (!LookAt(*block, &look)) break;
    }
    const Status status = look.Judge(options_.on_absent);
    if (!status.ok()) return NameFile(status, file);
    report_.notices =
        look.Notices(options_.on_absent, options_.limits.max_reported);
    return Status();
  }

  // Returns false if damage in the block will end reading.
  bool LookAt(const reader::FileBlock& block, reader::FirstLook* look) const {
    for (const record::RecordSpan& span : block.block.records) {
      if (!look->WantsMore()) break;
      if (block.block.payloads_unverified && !record::PayloadIsIntact(span)) {
        if (options_.on_corrupt == OnCorrupt::kFail) return false;
        continue;
      }
      look->Add({reinterpret_cast<const char*>(span.payload), span.size});
    }
    return true;
  }

  void NoteFeatures(reader::BatchStorage* storage) {
    if (absent_.Note(storage)) {
      report_.absent = absent_.List(*plan_, options_.limits.max_reported);
    }
  }

  // Reports at the end which features no row had, unless that was reported
  // before.
  Status NoteEnd() {
    if (!SaysOfAbsent()) return Status();
    std::vector<Notice> notices = AbsentNotices(report_, message_);
    if (options_.on_absent == OnAbsent::kError && !notices.empty()) {
      return Status(ErrorInfo{.code = ErrorCode::kMissingFeature,
                              .message = NoticeText(notices.front()),
                              .feature = notices.front().feature});
    }
    report_.notices.insert(report_.notices.end(),
                           std::make_move_iterator(notices.begin()),
                           std::make_move_iterator(notices.end()));
    return Status();
  }

  // Whether absent features are reported. Columns from a sample cannot be
  // misspelt, so they are not reported as absent.
  bool SaysOfAbsent() const {
    return !plan::Program::Of(*plan_).collect_late() &&
           options_.on_absent != OnAbsent::kIgnore;
  }

  void NoteSkipped(const reader::BatchJob& job) {
    auto piece = job.pieces.begin();
    for (const decode::BadRow& bad : job.bad_rows) {
      while (bad.index >= piece->begin + piece->size) ++piece;
      filler_.AddSkipped(plan::Program::Of(*plan_), piece->block,
                         bad.index - piece->begin, job.spans[bad.index],
                         bad.code);
    }
  }

  const std::vector<std::string> files_;
  ReadOptions options_;
  ReadReport report_;
  Interrupt interrupt_;
  reader::RecordStream stream_;
  std::shared_ptr<reader::BatchPool> pool_;
  std::optional<Plan> plan_;
  MessageType message_ = MessageType::kExample;
  infer::LateFeatures late_;
  reader::AbsentSlots absent_;  // of a given plan
  bool has_begun_ = false;
  bool must_look_ = false;  // at the first records, for a given plan
  reader::BatchFiller filler_;
  bool has_pipeline_;  // threads are wanted and granted
  // Uses most of the members above, which must outlive it.
  std::optional<reader::BatchPipeline> pipeline_;
  Status status_;
  bool ended_ = false;
  Progress num_records_;
  Progress num_bytes_;
  Progress stored_position_;
  Progress stored_size_;
};

Reader::Reader() = default;
Reader::Reader(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)), plan_(impl_->plan()) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::Open(const std::vector<std::string>& paths,
                            const ReadOptions& options) {
  return CatchOutOfMemory([&]() -> Result<Reader> {
    auto files = CheckedFiles(paths, options);
    if (!files.ok()) return files.status();
    auto impl = std::make_unique<Impl>(*std::move(files), options);
    if (Status status = impl->FindColumns(); !status.ok()) return status;
    return Reader(std::move(impl));
  });
}

Result<Reader> Reader::OpenPlan(const std::vector<std::string>& paths,
                                Plan plan, const ReadOptions& options) {
  return CatchOutOfMemory([&]() -> Result<Reader> {
    if (!options.features.empty()) return plan::FeaturesBesidePlan();
    auto files = CheckedFiles(paths, options);
    if (!files.ok()) return files.status();
    auto impl = std::make_unique<Impl>(*std::move(files), options);
    Status status = impl->UsePlan(std::move(plan));
    if (!status.ok()) return status;
    return Reader(std::move(impl));
  });
}

Status Reader::SetAllocator(std::shared_ptr<BatchAllocator> allocator) {
  if (impl_ == nullptr) return WithoutContent("Reader");
  return CatchOutOfMemory(
      [&] { return impl_->SetAllocator(std::move(allocator)); });
}

Result<std::optional<Batch>> Reader::Next() {
  if (impl_ == nullptr) return WithoutContent("Reader");
  return CatchOutOfMemory(impl_->final_status(),
                          [this] { return impl_->Next(); });
}

Status Reader::status() const {
  return impl_ ? impl_->status() : WithoutContent("Reader");
}

MessageType Reader::message() const {
  return impl_ ? impl_->message() : plan_.message();
}

const std::vector<std::string>& Reader::files() const {
  return impl_ ? impl_->files() : Empty<std::vector<std::string>>();
}

const ReadReport& Reader::report() const {
  return impl_ ? impl_->report() : Empty<ReadReport>();
}

uint64_t Reader::num_records() const {
  return impl_ ? impl_->num_records() : 0;
}

uint64_t Reader::num_bytes() const { return impl_ ? impl_->num_bytes() : 0; }

uint64_t Reader::stored_position() const {
  return impl_ ? impl_->stored_position() : 0;
}

uint64_t Reader::stored_size() const {
  return impl_ ? impl_->stored_size() : 0;
}

}  // namespace headrace
