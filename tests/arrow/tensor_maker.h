// Tensors filled by hand, as a batch would hold them.

#ifndef HEADRACE_TESTS_ARROW_TENSOR_MAKER_H_
#define HEADRACE_TESTS_ARROW_TENSOR_MAKER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/batch.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "src/exchange/arrow/column_batch.h"
#include "src/exchange/arrow/layout.h"

namespace headrace::testing {

// Values of kind bytes are string_views, and are not copied.
class TensorMaker {
 public:
  // `in_sequence` as TensorField has it.
  struct Feature {
    std::string name;
    FeatureConfig config;
    bool in_sequence = false;
  };

  explicit TensorMaker(size_t num_rows) : num_rows_(num_rows) {}
  TensorMaker(const TensorMaker&) = delete;
  TensorMaker& operator=(const TensorMaker&) = delete;

  // The same number of values in every row.
  template <class T>
  TensorMaker& Dense(Feature feature, std::vector<T> values) {
    Tensor& tensor = Add(std::move(feature), TensorKind::kDense);
    SetValues(std::move(values), &tensor);
    return *this;
  }
  // Of a feature list, as many values in every step.
  template <class T>
  TensorMaker& Lists(Feature feature, std::vector<int32_t> row_offsets,
                     std::vector<T> values) {
    return Steps(std::move(feature), std::move(row_offsets), {},
                 std::move(values));
  }
  template <class T>
  TensorMaker& Steps(Feature feature, std::vector<int32_t> row_offsets,
                     std::vector<int32_t> step_offsets, std::vector<T> values) {
    Tensor& tensor = Add(std::move(feature), TensorKind::kDense);
    tensor.row_offsets = Keep(std::move(row_offsets));
    tensor.step_offsets = Keep(std::move(step_offsets));
    tensor.num_list_values = values.size();
    tensor.list_values = Keep(std::move(values));
    return *this;
  }
  // Splits outermost first, as 64-bit numbers where the feature has them.
  template <class T>
  TensorMaker& Ragged(Feature feature, std::vector<std::vector<int64_t>> splits,
                      std::vector<int64_t> shape, std::vector<T> values) {
    Tensor& tensor = Add(std::move(feature), TensorKind::kRagged);
    SetSplits(splits, &tensor);
    SetShape(std::move(shape), &tensor);
    SetValues(std::move(values), &tensor);
    return *this;
  }
  // `indices` with the row first.
  template <class T>
  TensorMaker& Sparse(Feature feature, std::vector<int32_t> row_offsets,
                      std::vector<int64_t> indices, std::vector<T> values) {
    Tensor& tensor = Add(std::move(feature), TensorKind::kSparse);
    std::vector<int64_t> shape = fields_.back().feature.config.size;
    shape.insert(shape.begin(), static_cast<int64_t>(num_rows_));
    SetShape(std::move(shape), &tensor);
    tensor.row_offsets = Keep(std::move(row_offsets));
    const size_t count = indices.size();
    tensor.indices = {Keep(std::move(indices)), count};
    SetValues(std::move(values), &tensor);
    return *this;
  }

  // The lengths of all keys, one key after another.
  template <class T>
  TensorMaker& Jagged(Feature feature, std::vector<int64_t> lengths,
                      std::vector<T> values, std::vector<float> weights = {}) {
    Tensor& tensor = Add(std::move(feature), TensorKind::kJagged);
    std::vector<std::string_view> keys;
    for (const NamedFeature& member : fields_.back().feature.config.members) {
      keys.push_back(member.name);
    }
    const size_t num_keys = keys.size();
    tensor.keys = {Keep(std::move(keys)), num_keys};
    SetLengths(lengths, &tensor);
    SetValues(std::move(values), &tensor);
    tensor.weights = Keep(std::move(weights));
    return *this;
  }

  void Pin(std::string_view bytes) {
    pinned_.push_back(
        {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  }

  // These live as long as the maker.
  arrow::ColumnBatch batch();
  arrow::PlanFields fields() const {
    return {.tensors = fields_, .has_sequence_struct = has_sequence_};
  }

 private:
  Tensor& Add(Feature feature, TensorKind kind);
  void SetSplits(const std::vector<std::vector<int64_t>>& splits,
                 Tensor* tensor);
  void SetLengths(const std::vector<int64_t>& lengths, Tensor* tensor);
  void SetShape(std::vector<int64_t> shape, Tensor* tensor) {
    const size_t rank = shape.size();
    tensor->shape = {Keep(std::move(shape)), rank};
  }
  template <class T>
  void SetValues(std::vector<T> values, Tensor* tensor) {
    tensor->num_values = values.size();
    tensor->values = Keep(std::move(values));
  }
  // Null for none: as a batch without rows may have it.
  template <class T>
  const T* Keep(std::vector<T> values) {
    if (values.empty()) return nullptr;
    auto kept = std::make_shared<std::vector<T>>(std::move(values));
    kept_.push_back(kept);
    return kept->data();
  }

  size_t num_rows_;
  bool has_sequence_ = false;
  std::deque<Tensor> tensors_;
  std::vector<Tensor> finished_;
  std::vector<TensorField> fields_;
  std::vector<reader::PinnedBytes> pinned_;
  std::vector<std::shared_ptr<void>> kept_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_ARROW_TENSOR_MAKER_H_
