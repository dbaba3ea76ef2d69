// Dataset takes rows by their numbers: RecordTable says where they are,
// RecordFetcher reads them, DecodeSpans decodes them.

#include "headrace/dataset.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "headrace/reader.h"
#include "src/base/out_of_memory.h"
#include "src/base/system_error.h"
#include "src/base/without_content.h"
#include "src/decode/example/entry_order.h"
#include "src/input/record/finding.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/late_features.h"
#include "src/read/batch/batch_storage.h"
#include "src/read/dataset/record_fetcher.h"
#include "src/read/dataset/record_table.h"
#include "src/read/reader/first_look.h"
#include "src/read/reader/span_decoder.h"
#include "src/read/stream/record_ranges.h"

namespace headrace {
namespace dataset {

// Findings about the rows taken so far, shared by all copies of a dataset.
class SharedReport {
 public:
  explicit SharedReport(const Plan& plan) : plan_(plan), absent_(plan) {}

  // Calls `look` only the first time; other calls wait for it and return the
  // same verdict. `look` returns the verdict on the rows, and may add notices.
  template <class Look>
  Status LookOnce(Look look) {
    if (has_looked_) return verdict_;
    const std::lock_guard looking(look_mutex_);
    if (has_looked_) return verdict_;
    std::vector<Notice> notices;
    verdict_ = look(&notices);
    const std::lock_guard lock(mutex_);
    report_.notices = std::move(notices);
    has_looked_ = true;
    return verdict_;
  }

  void Add(const infer::LateFeatures& more, reader::BatchStorage* storage) {
    const std::lock_guard lock(mutex_);
    late_.Add(more);
    reader::NoteLists(late_.num_lists(), &report_);
    absent_.Note(storage);
  }
  uint64_t num_late() const {
    const std::lock_guard lock(mutex_);
    return late_.total();
  }
  uint64_t num_lists() const {
    const std::lock_guard lock(mutex_);
    return late_.num_lists();
  }
  ReadReport Get(size_t most) const {
    const std::lock_guard lock(mutex_);
    ReadReport report = report_;
    report.late = late_.List(most);
    report.num_late = late_.total();
    report.absent = absent_.List(plan_, most);
    return report;
  }

 private:
  const Plan plan_;
  mutable std::mutex mutex_;
  infer::LateFeatures late_;
  reader::AbsentSlots absent_;
  ReadReport report_;
  std::mutex look_mutex_;
  std::atomic<bool> has_looked_ = false;
  Status verdict_;  // constant once has_looked_
};

// Shared by all copies of a dataset. Only `report` changes.
struct Shared {
  Shared(std::shared_ptr<const RecordTable> rows, const Plan& wanted,
         DatasetOptions how, std::shared_ptr<const FoundFiles> files)
      : table(std::move(rows)),
        plan(wanted),
        options(std::move(how)),
        found(std::move(files)),
        report(std::make_unique<SharedReport>(wanted)) {}

  std::shared_ptr<const RecordTable> table;  // other plans share it, too
  Plan plan;
  DatasetOptions options;
  std::shared_ptr<const FoundFiles> found;
  std::unique_ptr<SharedReport> report;
};

}  // namespace dataset

namespace {

using dataset::Shared;

class FetchedPlaces : public reader::SpanPlaces {
 public:
  FetchedPlaces(const Shared& shared, const dataset::Fetched& fetched)
      : shared_(shared), records_(fetched.records), memory_(fetched.memory) {}

  RowOrigin OriginOf(size_t i) const override {
    return {.record = records_[i].record,
            .offset = records_[i].span.offset,
            .file = records_[i].file};
  }
  reader::RowPlace PlaceOf(size_t i) const override {
    const dataset::FetchedRecord& record = records_[i];
    return {.file = &shared_.table->files()[record.file],
            .record = record.record,
            .offset = record.span.offset};
  }
  void PinAll(reader::BatchStorage* storage) const override {
    for (const dataset::FetchedMemory& memory : memory_) {
      storage->PinStretch(memory.bytes, memory.pin);
    }
  }

 private:
  const Shared& shared_;
  const std::span<const dataset::FetchedRecord> records_;
  const std::span<const dataset::FetchedMemory> memory_;
};

Status CheckRows(std::span<const uint64_t> rows, uint64_t size) {
  const auto bad = std::find_if(rows.begin(), rows.end(),
                                [size](uint64_t row) { return row >= size; });
  if (bad == rows.end()) return Status();
  return Status(ErrorCode::kInvalidArgument,
                "there is no row " + std::to_string(*bad) + ": there are " +
                    std::to_string(size) + " rows, counted from 0");
}

Result<Plan> FindPlan(const std::vector<std::string>& paths,
                      const DatasetOptions& options) {
  if (options.message == MessageType::kRaw) return Plan::ForRaw();
  const Result<Reader> reader =
      Reader::Open(paths, {.message = options.message,
                           .verify_payload = options.verify_payload,
                           .mmap = options.mmap,
                           .sample = options.sample,
                           .sample_bytes = options.sample_bytes,
                           .features = options.features,
                           .record_ranges = options.record_ranges,
                           .open_input = options.open_input,
                           .limits = options.limits});
  if (!reader.ok()) return reader.status();
  return reader->plan();
}

void LookAt(const dataset::Fetched& fetched, reader::FirstLook* look) {
  for (const dataset::FetchedRecord& record : fetched.records) {
    if (!look->WantsMore()) break;
    if (!record.is_intact) continue;
    look->Add(
        {reinterpret_cast<const char*>(record.span.payload), record.span.size});
  }
}

}  // namespace

class Dataset::Impl {
 public:
  explicit Impl(std::shared_ptr<const Shared> shared)
      : shared_(std::move(shared)),
        pool_(std::make_shared<reader::BatchPool>(shared_->options.limits,
                                                  shared_->options.allocator)),
        fetcher_(*shared_->table, shared_->options) {}
  Impl(const Impl& other) : Impl(other.shared_) {}

  static Dataset MakeDataset(Shared shared) {
    const Plan plan = shared.plan;
    return Dataset(std::make_unique<Impl>(
                       std::make_shared<const Shared>(std::move(shared))),
                   plan);
  }

  const Shared& shared() const { return *shared_; }
  const dataset::RecordTable& table() const { return *shared_->table; }

  Result<Batch> Take(std::span<const uint64_t> rows,
                     const TakeOptions& options) {
    Status status = CheckRows(rows, table().size());
    if (!status.ok()) return status;
    if (!options.lanes.empty() && options.lanes.size() != rows.size()) {
      return Status(ErrorCode::kInvalidArgument,
                    std::to_string(rows.size()) + " rows do not have " +
                        std::to_string(options.lanes.size()) + " lanes");
    }
    const Result<dataset::Fetched> fetched = fetcher_.Fetch(rows, options);
    if (!fetched.ok()) return fetched.status();
    if (status = LookFirst(*fetched); !status.ok()) return status;
    spans_.clear();
    const auto damaged = std::ranges::find(fetched->records, false,
                                           &dataset::FetchedRecord::is_intact);
    for (auto record = fetched->records.begin(); record != damaged; ++record) {
      spans_.push_back(record->span);
    }
    reader::BatchStorage* const storage = pool_->Acquire(shared_->plan);
    Batch batch = reader::BatchStorage::MakeBatch(storage);
    reader::SkippedRows skipped;
    infer::LateFeatures late;
    status = reader::DecodeSpans(
        spans_, FetchedPlaces(*shared_, *fetched),
        {.verify_payload = false,
         .verify_unselected = shared_->options.verify_unselected,
         .strict_columns = shared_->options.strict_columns},
        &order_, storage, &skipped, &late);
    if (!status.ok()) return status;
    if (damaged != fetched->records.end()) {
      return record::BadPayload(damaged->span, damaged->record,
                                table().files()[damaged->file]);
    }
    shared_->report->Add(late, storage);
    return batch;
  }

 private:
  // Inspects the rows of the first call. Usually they have all features. If
  // they lack one, it may be rare, so the first rows of the dataset are
  // inspected, too.
  Status LookFirst(const dataset::Fetched& fetched) {
    if (fetched.records.empty()) return Status();
    return shared_->report->LookOnce([&](std::vector<Notice>* notices) {
      reader::FirstLook taken(shared_->plan);
      LookAt(fetched, &taken);
      if (taken.FoundAll()) return Status();
      reader::FirstLook look(shared_->plan);
      LookAtFirstRows(&look);
      look.AddFound(taken);
      Status verdict = look.Judge(shared_->options.on_absent);
      if (verdict.ok()) {
        *notices = look.Notices(shared_->options.on_absent,
                                shared_->options.limits.max_reported);
        return verdict;
      }
      return NameFile(verdict, table().files().front());
    });
  }

  // Rows that cannot be read are ignored here: Take reports them.
  void LookAtFirstRows(reader::FirstLook* look) const {
    constexpr uint64_t kRowsAtOnce = 16;
    dataset::RecordFetcher fetcher(table(), shared_->options);
    const uint64_t size =
        std::min<uint64_t>(table().size(), reader::FirstLook::kRecords);
    std::vector<uint64_t> rows;
    for (uint64_t row = 0; row < size && look->WantsMore();) {
      rows.clear();
      while (row < size && rows.size() < kRowsAtOnce) rows.push_back(row++);
      const Result<dataset::Fetched> fetched = fetcher.Fetch(rows, {});
      if (!fetched.ok()) break;
      LookAt(*fetched, look);
    }
  }

  const std::shared_ptr<const Shared> shared_;
  const std::shared_ptr<reader::BatchPool> pool_;
  dataset::RecordFetcher fetcher_;
  decode::EntryOrder order_;
  std::vector<record::RecordSpan> spans_;
};

Result<Dataset> Dataset::Open(const std::vector<std::string>& paths,
                              const DatasetOptions& options) {
  return CatchOutOfMemory([&]() -> Result<Dataset> {
    if (options.allocator) return reader::AllocatorNeedsSpec();
    const Result<Plan> plan = FindPlan(paths, options);
    if (!plan.ok()) return plan.status();
    DatasetOptions for_plan = options;
    for_plan.features.clear();
    for_plan.plan_is_of_sample = false;  // the plan itself says so
    return Open(paths, *plan, for_plan);
  });
}

Result<Dataset> Dataset::Open(const std::vector<std::string>& paths,
                              const Plan& plan, const DatasetOptions& options) {
  return CatchOutOfMemory([&]() -> Result<Dataset> {
    if (!options.features.empty()) return plan::FeaturesBesidePlan();
    if (options.allocator && plan.tensors().empty()) {
      return reader::AllocatorNeedsSpec();
    }
    auto found =
        reader::FilesOf(paths, options.record_ranges, options.open_input);
    if (!found.ok()) return found.status();
    const auto of_sample =
        options.plan_is_of_sample ? plan::Program::OfSample(plan) : plan;
    if (!of_sample.ok()) return of_sample.status();
    auto table = dataset::RecordTable::Open(std::move(found->files), options);
    if (!table.ok()) return table.status();
    // Files that are opened later are walked without reporting progress.
    DatasetOptions kept = options;
    kept.progress = nullptr;
    return Impl::MakeDataset(
        {*table, *of_sample, kept,
         std::make_shared<const FoundFiles>(*std::move(found))});
  });
}

Result<Dataset> Dataset::With(const Plan& plan) const {
  if (impl_ == nullptr) return WithoutContent("Dataset");
  return CatchOutOfMemory([&]() -> Result<Dataset> {
    const Shared& shared = impl_->shared();
    if (shared.options.allocator && plan.tensors().empty()) {
      return reader::AllocatorNeedsSpec();
    }
    return Impl::MakeDataset(
        {shared.table, plan, shared.options, shared.found});
  });
}

Result<Dataset> Dataset::WithAllocator(
    std::shared_ptr<BatchAllocator> allocator) const {
  if (impl_ == nullptr) return WithoutContent("Dataset");
  return CatchOutOfMemory([&]() -> Result<Dataset> {
    const Shared& shared = impl_->shared();
    if (allocator && shared.plan.tensors().empty()) {
      return reader::AllocatorNeedsSpec();
    }
    DatasetOptions options = shared.options;
    options.allocator = std::move(allocator);
    return Impl::MakeDataset(
        {shared.table, shared.plan, std::move(options), shared.found});
  });
}

Dataset::Dataset(std::unique_ptr<Impl> impl, const Plan& plan)
    : impl_(std::move(impl)), plan_(plan) {}
Dataset::Dataset(const Dataset& other)
    : impl_(other.impl_ ? std::make_unique<Impl>(*other.impl_) : nullptr),
      plan_(other.plan_) {}
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset other) noexcept {
  impl_ = std::move(other.impl_);
  plan_ = other.plan_;
  return *this;
}
Dataset::~Dataset() = default;

uint64_t Dataset::size() const { return impl_ ? impl_->table().size() : 0; }
const std::vector<std::string>& Dataset::files() const {
  return impl_ ? impl_->table().files() : Empty<std::vector<std::string>>();
}
std::span<const uint64_t> Dataset::first_rows() const {
  if (impl_ == nullptr) return {};
  return impl_->table().first_rows();
}
uint64_t Dataset::fingerprint() const {
  return impl_ ? impl_->table().fingerprint() : 0;
}

Result<RowOrigin> Dataset::Origin(uint64_t row) const {
  if (impl_ == nullptr) return WithoutContent("Dataset");
  return CatchOutOfMemory([&]() -> Result<RowOrigin> {
    const dataset::RecordTable& table = impl_->table();
    Status status = CheckRows({&row, 1}, table.size());
    if (!status.ok()) return status;
    const uint32_t file = table.FileOf(row);
    const uint64_t record = table.RecordOf(file, row);
    RecordPlace place;
    status = table.OpenFiles({&file, 1}, impl_->shared().options);
    if (!status.ok()) return status;
    status = table.Find(file, {&record, 1}, {&place, 1});
    if (!status.ok()) return status;
    return RowOrigin{.record = record, .offset = place.offset, .file = file};
  });
}

Result<Batch> Dataset::Take(std::span<const uint64_t> rows,
                            const TakeOptions& options) {
  if (impl_ == nullptr) return WithoutContent("Dataset");
  return CatchOutOfMemory([&] { return impl_->Take(rows, options); });
}

Result<std::vector<LateFeature>> Dataset::Late() const {
  if (impl_ == nullptr) return WithoutContent("Dataset");
  return CatchOutOfMemory([&]() -> Result<std::vector<LateFeature>> {
    const Shared& shared = impl_->shared();
    return shared.report->Get(shared.options.limits.max_reported).late;
  });
}
Result<ReadReport> Dataset::Report() const {
  if (impl_ == nullptr) return WithoutContent("Dataset");
  return CatchOutOfMemory([&]() -> Result<ReadReport> {
    const Shared& shared = impl_->shared();
    const size_t most = shared.options.limits.max_reported;
    ReadReport report = shared.report->Get(most);
    report.left_out = shared.found->left_out;
    if (report.left_out.size() > most) report.left_out.resize(most);
    report.num_left_out = shared.found->num_left_out;
    return report;
  });
}
uint64_t Dataset::num_late() const {
  return impl_ ? impl_->shared().report->num_late() : 0;
}

uint64_t Dataset::num_lists_left_out() const {
  return impl_ ? impl_->shared().report->num_lists() : 0;
}

}  // namespace headrace
