// The C functions of headrace_dataset.

#include "headrace/dataset.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/c.h"
#include "headrace/order.h"
#include "headrace/status.h"
#include "src/c/allocator.h"
#include "src/c/arguments.h"
#include "src/c/error.h"
#include "src/c/handles.h"
#include "src/c/opening.h"
#include "src/c/report.h"
#include "src/exchange/arrow/c_stream.h"
#include "src/read/reader/given_options.h"

namespace headrace::c {

// SharedDataset is a dataset that any number of threads may use together.
class SharedDataset {
 public:
  SharedDataset(Dataset dataset, ArrowOptions arrow)
      : dataset_(std::move(dataset)), arrow_(std::move(arrow)) {
    // Errors of rows name their files.
    arrow_.files = dataset_.files();
  }

  // Rows are never taken from this dataset, so it has no open files; each copy
  // has its own.
  const Dataset& dataset() const { return dataset_; }
  const ArrowOptions& arrow() const { return arrow_; }

  Status SetAllocator(const headrace_allocator* allocator);
  Result<Batch> Take(std::span<const uint64_t> rows);

 private:
  std::unique_ptr<Dataset> TakeCopy();

  Dataset dataset_;
  ArrowOptions arrow_;
  std::mutex mutex_;                            // guards free_
  std::vector<std::unique_ptr<Dataset>> free_;  // copies not in use
};

Status SharedDataset::SetAllocator(const headrace_allocator* allocator) {
  const auto made = Allocator::From(allocator);
  if (!made.ok()) return made.status();
  Result<Dataset> with = dataset_.WithAllocator(*made);
  if (!with.ok()) return with.status();
  const std::lock_guard lock(mutex_);
  dataset_ = *std::move(with);
  free_.clear();
  (*made)->Own();
  return Status();
}

std::unique_ptr<Dataset> SharedDataset::TakeCopy() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Dataset> copy = std::move(free_.back());
      free_.pop_back();
      return copy;
    }
  }
  return std::make_unique<Dataset>(dataset_);
}

Result<Batch> SharedDataset::Take(std::span<const uint64_t> rows) {
  std::unique_ptr<Dataset> copy = TakeCopy();
  Result<Batch> batch = copy->Take(rows);
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(copy));
  return batch;
}

namespace {

Status OpenDataset(const char* const* paths, size_t n, const char* json,
                   headrace_dataset** out) {
  auto opening = Opening<DatasetOptions>::From(paths, n, json);
  if (!opening) return opening.status();
  Result<Dataset> dataset = opening->Open<Dataset>();
  if (!dataset) return dataset.status();
  *out = new headrace_dataset{std::make_shared<SharedDataset>(
      *std::move(dataset), std::move(opening->arrow))};
  return Status();
}

struct Epoch {
  uint64_t batch_size = 256;
  uint64_t rank = 0;
  uint64_t world_size = 1;
  std::optional<OrderOptions> order = {};  // empty: in the order of the files
};

// Takes "shuffle". An object has the arguments of Python's Shuffle.
void TakeShuffle(GivenOptions* options, OrderOptions* order,
                 bool* is_shuffled) {
  const spec::JsonValue* const value = options->Get("shuffle");
  if (value == nullptr) return;
  if (const auto* const flag = value->As<bool>()) {
    *is_shuffled = *flag;
    return;
  }
  const auto* const members = value->As<spec::JsonValue::Object>();
  if (members == nullptr) {
    return options->Refuse(
        "shuffle", *value,
        "true, false or an object like {\"seed\": 7, \"block\": 64}");
  }
  *is_shuffled = true;
  order->window = 32;
  GivenOptions shuffle(*members);
  shuffle.Take("seed", &order->seed);
  shuffle.Take("block", &order->block, {.least = 1});
  shuffle.Take("window", &order->window, {.least = 1});
  shuffle.Take("lanes", &order->lanes, {.least = 1});
  options->Complain(shuffle.Finish());
}

Result<Epoch> TakeEpoch(const char* json, uint64_t rows) {
  Result<GivenOptions> options = GivenOptions::Parse(json);
  if (!options) return options.status();
  Epoch epoch;
  OrderOptions order{.rows = rows};
  bool is_shuffled = false;
  options->Take("batch_size", &epoch.batch_size, {.least = 1});
  options->Take("seed", &order.seed);
  options->Take("epoch", &order.epoch);
  options->Take("rank", &epoch.rank);
  options->Take("world_size", &epoch.world_size, {.least = 1});
  TakeShuffle(&*options, &order, &is_shuffled);
  if (Status status = options->Finish(); !status.ok()) return status;
  if (epoch.rank >= epoch.world_size || epoch.world_size > UINT32_MAX) {
    return InvalidArgument(
        "\"rank\" must be below \"world_size\", and \"world_size\" below 2^32");
  }
  if (order.lanes > 1 && order.block == 1) {
    return InvalidArgument(
        "\"lanes\" share whole blocks of rows: give \"block\", too");
  }
  // Sizes beyond the number of rows mean all rows.
  for (uint64_t* size : {&epoch.batch_size, &order.block, &order.window}) {
    *size = std::min(*size, std::max(rows, uint64_t{1}));
  }
  order.turn = epoch.batch_size;
  if (is_shuffled) epoch.order = order;
  return epoch;
}

// The rows of one epoch and rank. Has a copy of the dataset, so that the blocks
// it keeps are not shared.
class RowsOfEpoch : public arrow::ArraySource {
 public:
  RowsOfEpoch(const SharedDataset& shared, const Epoch& epoch,
              std::optional<Order> order)
      : dataset_(shared.dataset()),
        arrow_(shared.arrow()),
        epoch_(epoch),
        order_(std::move(order)) {}

  Status Schema(ArrowSchema* out) const override {
    return ExportSchema(dataset_.plan(), arrow_, out);
  }

  Status Next(ArrowArray* out) override {
    const uint64_t size = dataset_.size();
    // In step t, rank r has batch number t * world_size + r.
    const uint64_t batch = step_ * epoch_.world_size + epoch_.rank;
    const uint64_t batches = (size + epoch_.batch_size - 1) / epoch_.batch_size;
    if (batch >= batches) return Status();
    ++step_;
    const uint64_t begin = batch * epoch_.batch_size;
    std::vector<uint64_t> rows(
        static_cast<size_t>(std::min(epoch_.batch_size, size - begin)));
    if (order_) {
      Status status = order_->Rows(begin, rows);
      if (!status.ok()) return status;
    } else {
      std::iota(rows.begin(), rows.end(), begin);
    }
    // A batch is one turn of one lane.
    if (order_) lanes_.assign(rows.size(), batch % order_->options().lanes);
    const Result<Batch> taken = dataset_.Take(rows, TakeBlocks());
    return taken ? ExportBatch(*taken, arrow_, out) : taken.status();
  }

 private:
  TakeOptions TakeBlocks() const {
    if (!order_ || order_->options().block == 1) return {};
    return {.block = order_->options().block,
            .kept = order_->options().window,
            .lanes = lanes_};
  }

  Dataset dataset_;
  const ArrowOptions arrow_;
  const Epoch epoch_;
  const std::optional<Order> order_;
  uint64_t step_ = 0;
  std::vector<uint64_t> lanes_;  // of the rows of a batch
};

Status StreamDataset(const SharedDataset& shared, const char* json,
                     ArrowArrayStream* out) {
  const Result<Epoch> epoch = TakeEpoch(json, shared.dataset().size());
  if (!epoch) return epoch.status();
  std::optional<Order> order;
  if (epoch->order) {
    const Result<Order> made = Order::Make(*epoch->order);
    if (!made.ok()) return made.status();
    order.emplace(*made);
  }
  return arrow::ExportArrays(
      std::make_unique<RowsOfEpoch>(shared, *epoch, std::move(order)), out);
}

Status TakeRows(SharedDataset* shared, const uint64_t* rows, size_t n,
                ArrowArray* array, ArrowSchema* schema) {
  const Result<Batch> batch = shared->Take({rows, n});
  if (!batch) return batch.status();
  return GiveBatch(*batch, shared->dataset().plan(), shared->arrow(), array,
                   schema);
}

}  // namespace
}  // namespace headrace::c

int32_t headrace_dataset_open(const char* const* paths, size_t n,
                              const char* options_json,
                              headrace_dataset** dataset,
                              headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (dataset == nullptr) return headrace::c::IsNull("dataset");
    *dataset = nullptr;
    return headrace::c::OpenDataset(paths, n, options_json, dataset);
  });
}

int32_t headrace_dataset_plan(const headrace_dataset* dataset,
                              headrace_plan** plan, headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (plan == nullptr) return headrace::c::IsNull("plan");
    *plan = nullptr;
    if (dataset == nullptr) return headrace::c::IsNull("dataset");
    *plan = new headrace_plan{dataset->shared->dataset().plan()};
    return headrace::Status();
  });
}

uint64_t headrace_dataset_size(const headrace_dataset* dataset) {
  return dataset == nullptr ? 0 : dataset->shared->dataset().size();
}

int32_t headrace_dataset_set_allocator(headrace_dataset* dataset,
                                       const headrace_allocator* allocator,
                                       headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (dataset == nullptr) return headrace::c::IsNull("dataset");
    return dataset->shared->SetAllocator(allocator);
  });
}

int32_t headrace_dataset_take(headrace_dataset* dataset, const uint64_t* rows,
                              size_t n, struct ArrowArray* array,
                              struct ArrowSchema* schema,
                              headrace_error** error) {
  return headrace::c::Call(error, [&] {
    headrace::c::Empty(schema);
    if (array == nullptr) return headrace::c::IsNull("array");
    headrace::c::Empty(array);
    if (dataset == nullptr) return headrace::c::IsNull("dataset");
    if (rows == nullptr && n > 0) return headrace::c::IsNull("rows");
    return headrace::c::TakeRows(dataset->shared.get(), rows, n, array, schema);
  });
}

int32_t headrace_dataset_stream(headrace_dataset* dataset,
                                const char* options_json,
                                struct ArrowArrayStream* stream,
                                headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (stream == nullptr) return headrace::c::IsNull("stream");
    *stream = {};
    if (dataset == nullptr) return headrace::c::IsNull("dataset");
    return headrace::c::StreamDataset(*dataset->shared, options_json, stream);
  });
}

int32_t headrace_dataset_report(const headrace_dataset* dataset, char** json,
                                headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (json == nullptr) return headrace::c::IsNull("json");
    *json = nullptr;
    if (dataset == nullptr) return headrace::c::IsNull("dataset");
    const auto report = dataset->shared->dataset().Report();
    if (!report) return report.status();
    return headrace::c::GiveText(headrace::c::ReportJson(*report), json);
  });
}

void headrace_dataset_close(headrace_dataset* dataset) { delete dataset; }
