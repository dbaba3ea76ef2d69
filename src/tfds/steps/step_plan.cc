// StepPlan makes batches of steps, or of windows, from batches of episodes.

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/steps.h"
#include "src/base/convert.h"
#include "src/base/memory/pin.h"
#include "src/base/out_of_memory.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/plan/compile/shape.h"
#include "src/read/batch/batch_storage.h"
#include "src/tfds/steps/gather.h"

namespace headrace {
namespace steps {

// A tensor of the batches that Take makes.
struct StepField {
  size_t index = 0;      // among the tensors of episodes
  bool of_steps = true;  // otherwise of episodes
  bool is_dense = true;  // whether its items are dense
};

}  // namespace steps

namespace {

using reader::BatchPool;
using reader::BatchStorage;
using steps::Items;
using steps::Runs;
using steps::StepField;
using Sizes = std::vector<int64_t>;

constexpr int64_t kUnknownSize = -1;

Status Refuse(std::string message) {
  return Status(ErrorCode::kInvalidArgument, std::move(message));
}

// Returns the dimensions of a row, outermost first; kUnknownSize where rows
// differ. Returns nullopt for layouts whose rows are not simply arrays (sparse,
// padded).
std::optional<Sizes> RowShape(const FeatureConfig& config) {
  switch (config.layout) {
    case Layout::kFixedLen:
      return config.shape;
    case Layout::kRagged:
      return plan::RaggedShapeOf(config).dimensions;
    default:
      return std::nullopt;
  }
}

// Whether rows of these sizes are dense arrays.
bool IsKnown(std::span<const int64_t> sizes) {
  return std::find(sizes.begin(), sizes.end(), kUnknownSize) == sizes.end();
}

// Returns the config of the feature `name` whose tensor has this type and rows
// of this shape. It is fixed_len if the shape is known, otherwise ragged with
// splits of type `splits`. The keys of its partitions are made up: no record
// has them.
FeatureConfig ConfigOfRows(const std::string& name, DType dtype, Sizes sizes,
                           DType splits) {
  const DType wire = WireTypeOf(dtype);
  FeatureConfig config;
  if (IsKnown(sizes)) {
    config = FixedLen(wire, std::move(sizes));
  } else {
    config = Ragged(wire);
    // A row that is one list of values needs neither partitions nor a shape.
    for (size_t i = 1; i < sizes.size(); ++i) {
      config.partitions.push_back(
          {.key = name + "#lengths_" + std::to_string(i)});
    }
    if (sizes.size() > 1) config.shape = std::move(sizes);
    config.row_splits_dtype = splits;
  }
  if (wire != dtype) config.as = dtype;
  return config;
}

// Keeps a batch of episodes alive while a batch of steps uses its values.
class HeldBatch : public Pinnable {
 public:
  explicit HeldBatch(Batch batch) : batch_(std::move(batch)) {}

 private:
  void OnUnpinned() override { delete this; }
  const Batch batch_;
};

size_t Product(std::span<const int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), size_t{1},
                         [](size_t product, int64_t size) {
                           return product * static_cast<size_t>(size);
                         });
}

// Returns the items of a tensor of episodes: the steps of all rows if the field
// is of steps, otherwise the rows.
Items ItemsOf(const Tensor& tensor, const StepField& field) {
  const bool ragged = tensor.kind == TensorKind::kRagged;
  const size_t outer = field.of_steps ? 1 : 0;
  Items items{.values = tensor.values};
  if (ragged) {
    items.splits = tensor.row_splits.subspan(outer);
    items.item_values = Product(tensor.shape);
  } else {
    items.item_values = Product(tensor.shape.subspan(1 + outer));
  }
  return items;
}

// Returns the number of steps before `row`, which may be the number of rows.
size_t FirstStep(const Tensor& tensor, size_t row) {
  if (tensor.kind == TensorKind::kRagged) {
    return static_cast<size_t>(tensor.row_splits[0][row]);
  }
  return row * static_cast<size_t>(tensor.shape[1]);
}

}  // namespace

class StepPlan::Impl {
 public:
  static Result<std::shared_ptr<const StepPlan::Impl>> Make(
      const Plan& episodes, const StepOptions& options) {
    if (options.steps.empty()) {
      return Refuse("no tensor of steps is asked for");
    }
    std::shared_ptr<Impl> impl(new Impl(options.window));
    impl->num_inputs_ = episodes.tensors().size();
    FeatureSpec spec;
    for (const bool of_steps : {true, false}) {
      for (const std::string& name :
           of_steps ? options.steps : options.context) {
        Status status = impl->AddField(episodes, name, of_steps, &spec);
        if (!status.ok()) return status;
      }
    }
    auto plan = Plan::Compile(spec);
    if (!plan.ok()) return plan.status();
    impl->plan_ = *std::move(plan);
    impl->pool_ = std::make_shared<BatchPool>(
        Limits{.max_batch_bytes = std::numeric_limits<uint64_t>::max()});
    return std::shared_ptr<const Impl>(std::move(impl));
  }

  const Plan& plan() const { return *plan_; }

  Result<std::vector<uint64_t>> Lengths(const Batch& episodes) const {
    if (Status status = CheckBatch(episodes); !status.ok()) return status;
    std::vector<uint64_t> lengths(episodes.num_rows());
    const Tensor* first = nullptr;
    for (const StepField& field : fields_) {
      if (!field.of_steps) continue;
      const Tensor& tensor = episodes.tensors()[field.index];
      for (size_t row = 0; row < lengths.size(); ++row) {
        const uint64_t length =
            FirstStep(tensor, row + 1) - FirstStep(tensor, row);
        if (first == nullptr) {
          lengths[row] = length;
        } else if (length != lengths[row]) {
          return Status(ErrorInfo{
              .code = ErrorCode::kWrongCount,
              .message = "feature " + Quote(std::string(tensor.name)) +
                         " has " + std::to_string(length) + " steps, feature " +
                         Quote(std::string(first->name)) + " has " +
                         std::to_string(lengths[row]),
              .record = episodes.origins()[row].record,
              .offset = episodes.origins()[row].offset,
              .feature = std::string(tensor.name),
              .expected = std::to_string(lengths[row]) + " steps",
              .found = std::to_string(length)});
        }
      }
      if (first == nullptr) first = &tensor;
    }
    return lengths;
  }

  Result<Batch> Take(std::span<const Batch> episodes,
                     std::span<const StepRef> refs) const {
    if (episodes.empty()) return Refuse("there is no batch of episodes");
    if (Status status = CheckSteps(episodes, refs); !status.ok()) return status;
    const size_t rows = refs.size() / per_row();
    BatchStorage* const storage = pool_->Acquire(*plan_);
    Batch batch = BatchStorage::MakeBatch(storage);
    reader::CopiedRows made{.num_rows = rows};
    const StepField& first = fields_[0];
    Runs of_steps, of_rows;
    for (size_t i = 0; i < refs.size(); ++i) {
      const StepRef& ref = refs[i];
      const Batch& source = episodes[ref.batch];
      of_steps.Add(
          ref.batch,
          FirstStep(source.tensors()[first.index], ref.row) + ref.step);
      if (i % per_row() != 0) continue;
      of_rows.Add(ref.batch, ref.row);
      made.origins.push_back(source.origins()[ref.row]);
    }
    for (size_t i = 0; i < fields_.size(); ++i) {
      const TensorField& field = plan_->tensors()[i];
      Tensor& tensor = made.tensors.emplace_back();
      tensor.name = field.feature.name;
      tensor.dtype = field.feature.tensor_dtype();
      Status status =
          Build(episodes, fields_[i], fields_[i].of_steps ? of_steps : of_rows,
                rows, storage, &tensor);
      if (!status.ok()) return status;
    }
    for (const Batch& source : episodes) {
      const Pin pin(new HeldBatch(source));
      storage->PinStretch({}, pin);
      for (const reader::PinnedBytes& bytes :
           BatchStorage::Of(source)->pinned()) {
        storage->PinStretch(bytes, pin);
      }
    }
    storage->Hold(std::move(made));
    return batch;
  }

 private:
  explicit Impl(uint32_t window) : window_(window) {}

  Status AddField(const Plan& episodes, const std::string& name, bool of_steps,
                  FeatureSpec* spec) {
    const std::vector<TensorField>& tensors = episodes.tensors();
    const auto found = std::find_if(
        tensors.begin(), tensors.end(), [&name](const TensorField& tensor) {
          return tensor.feature.name == name && !tensor.in_sequence;
        });
    if (found == tensors.end()) {
      std::vector<std::string_view> names;
      for (const TensorField& tensor : tensors) {
        if (!tensor.in_sequence) names.push_back(tensor.feature.name);
      }
      return Refuse("there is no tensor " + Quote(name) + " of episodes" +
                    DidYouMean(name, names));
    }
    const FeatureConfig& config = found->feature.config;
    std::optional<Sizes> shape = RowShape(config);
    if (!shape || (of_steps && shape->empty())) {
      return Refuse("tensor " + Quote(name) + " is " +
                    std::string(LayoutName(config.layout)) +
                    (of_steps ? ", which has no list of steps in a row"
                              : ", whose rows cannot be taken"));
    }
    if (of_steps) {
      shape->erase(shape->begin());
      if (window_ > 0) shape->insert(shape->begin(), window_);
    }
    fields_.push_back({.index = static_cast<size_t>(found - tensors.begin()),
                       .of_steps = of_steps,
                       .is_dense = IsKnown(*shape)});
    shapes_.push_back(*shape);
    spec->Add(name, ConfigOfRows(name, found->feature.tensor_dtype(),
                                 *std::move(shape), config.row_splits_dtype));
    return Status();
  }

  Status CheckBatch(const Batch& episodes) const {
    if (episodes.tensors().size() == num_inputs_) return Status();
    return Refuse("the batch is not of the plan of the episodes");
  }

  Status CheckSteps(std::span<const Batch> episodes,
                    std::span<const StepRef> steps) const {
    if (steps.size() % per_row() != 0) {
      return Refuse(std::to_string(steps.size()) +
                    " steps cannot be cut into windows of " +
                    std::to_string(window_));
    }
    std::vector<std::vector<uint64_t>> lengths;
    for (const Batch& batch : episodes) {
      auto found = Lengths(batch);
      if (!found.ok()) return found.status();
      lengths.push_back(*std::move(found));
    }
    for (const StepRef& step : steps) {
      if (step.batch < lengths.size() &&
          step.row < lengths[step.batch].size() &&
          step.step < lengths[step.batch][step.row]) {
        continue;
      }
      return Refuse("there is no step " + std::to_string(step.step) +
                    " in episode " + std::to_string(step.row) + " of batch " +
                    std::to_string(step.batch));
    }
    return Status();
  }

  Status Build(std::span<const Batch> episodes, const StepField& field,
               const Runs& runs, size_t rows, BatchStorage* storage,
               Tensor* tensor) const {
    const Status no_room(ErrorCode::kLimit,
                         "the rows do not fit memory, or have 2^31 values or "
                         "more; take fewer at once");
    std::vector<Items> items;
    for (const Batch& batch : episodes) {
      items.push_back(ItemsOf(batch.tensors()[field.index], field));
    }
    const size_t number = static_cast<size_t>(&field - fields_.data());
    const Sizes& shape = shapes_[number];
    const bool windowed = field.of_steps && window_ > 0;
    if (field.is_dense) {
      // A ragged tensor has at least one level of row splits, even if all its
      // sizes are known. Dense items need none.
      for (Items& item : items) {
        item.splits = {};
        item.item_values =
            Product(std::span<const int64_t>(shape).subspan(windowed ? 1 : 0));
      }
    }
    const size_t inner = items[0].splits.size();
    const size_t levels = field.is_dense ? 0 : inner + (windowed ? 1 : 0);
    auto* const splits = reinterpret_cast<RowSplits*>(
        storage->AllocateInput((levels + 1) * sizeof(RowSplits)));
    auto* const sizes = reinterpret_cast<int64_t*>(
        storage->AllocateInput((shape.size() + 1) * sizeof(int64_t)));
    if (splits == nullptr || sizes == nullptr) return no_room;
    tensor->kind = field.is_dense ? TensorKind::kDense : TensorKind::kRagged;
    tensor->row_splits = {splits, levels};
    std::uninitialized_value_construct_n(splits, levels + 1);
    if (!steps::Gather(items, runs.all(), tensor->dtype, storage,
                       {splits + (levels - inner), inner}, tensor)) {
      return no_room;
    }
    if (field.is_dense) {
      sizes[0] = static_cast<int64_t>(rows);
      std::copy(shape.begin(), shape.end(), sizes + 1);
      tensor->shape = {sizes, shape.size() + 1};
      return Status();
    }
    const std::span<const int64_t> item =
        episodes[0].tensors()[field.index].shape;
    std::copy(item.begin(), item.end(), sizes);
    tensor->shape = {sizes, item.size()};
    if (windowed) {
      auto* const window = reinterpret_cast<int64_t*>(
          storage->AllocateInput((rows + 1) * sizeof(int64_t)));
      if (window == nullptr) return no_room;
      for (size_t row = 0; row <= rows; ++row) {
        window[row] = static_cast<int64_t>(row * window_);
      }
      splits[0] = {window, rows + 1, true};
    }
    if (shape.size() == 1 && !BuildList(storage, tensor)) return no_room;
    return Status();
  }

  // Adds the 32-bit offsets that Arrow needs to a ragged tensor of one level.
  bool BuildList(BatchStorage* storage, Tensor* tensor) const {
    const RowSplits& splits = tensor->row_splits[0];
    auto* const offsets = reinterpret_cast<int32_t*>(
        storage->AllocateInput(splits.size * sizeof(int32_t)));
    if (offsets == nullptr) return false;
    for (size_t i = 0; i < splits.size; ++i) {
      if (!std::in_range<int32_t>(splits[i])) return false;
      offsets[i] = static_cast<int32_t>(splits[i]);
    }
    tensor->row_offsets = offsets;
    tensor->list_values = tensor->values;
    tensor->num_list_values = tensor->num_values;
    return true;
  }

  size_t per_row() const { return std::max<size_t>(window_, 1); }

  const uint32_t window_;
  size_t num_inputs_ = 0;  // tensors of episodes
  std::vector<StepField> fields_;
  std::vector<Sizes> shapes_;  // of a row, window included
  std::optional<Plan> plan_;
  std::shared_ptr<BatchPool> pool_;
};

StepPlan::StepPlan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<StepPlan> StepPlan::Make(const Plan& episodes,
                                const StepOptions& options) {
  return CatchOutOfMemory([&]() -> Result<StepPlan> {
    auto impl = Impl::Make(episodes, options);
    if (!impl.ok()) return impl.status();
    return StepPlan(*std::move(impl));
  });
}

const Plan& StepPlan::plan() const { return impl_->plan(); }

Result<std::vector<uint64_t>> StepPlan::Lengths(const Batch& episodes) const {
  return CatchOutOfMemory([&] { return impl_->Lengths(episodes); });
}

Result<Batch> StepPlan::Take(std::span<const Batch> episodes,
                             std::span<const StepRef> steps) const {
  return CatchOutOfMemory([&] { return impl_->Take(episodes, steps); });
}

}  // namespace headrace
