#include "tests/arrow/tensor_maker.h"

namespace headrace::testing {

Tensor& TensorMaker::Add(Feature feature, TensorKind kind) {
  has_sequence_ |= feature.in_sequence;
  const TensorField& field = fields_.emplace_back(
      TensorField{.feature = {.name = std::move(feature.name),
                              .config = std::move(feature.config)},
                  .in_sequence = feature.in_sequence});
  return tensors_.emplace_back(Tensor{.name = {},
                                      .kind = kind,
                                      .dtype = field.feature.tensor_dtype(),
                                      .in_sequence = field.in_sequence,
                                      .shape = {},
                                      .indices = {},
                                      .row_splits = {},
                                      .lengths = {},
                                      .keys = {},
                                      .key_lengths = {},
                                      .key_offsets = {},
                                      .key_ends = {}});
}

void TensorMaker::SetSplits(const std::vector<std::vector<int64_t>>& splits,
                            Tensor* tensor) {
  const bool is_int64 =
      fields_.back().feature.config.row_splits_dtype == DType::kInt64;
  std::vector<RowSplits> levels;
  for (const std::vector<int64_t>& level : splits) {
    RowSplits& made = levels.emplace_back(
        RowSplits{.size = level.size(), .is_int64 = is_int64});
    if (is_int64) {
      made.data = Keep(level);
    } else {
      made.data = Keep(std::vector<int32_t>(level.begin(), level.end()));
    }
  }
  const size_t count = levels.size();
  tensor->row_splits = {Keep(std::move(levels)), count};
}

void TensorMaker::SetLengths(const std::vector<int64_t>& lengths,
                             Tensor* tensor) {
  std::vector<int64_t> offsets = {0}, ends;
  for (const int64_t length : lengths) {
    offsets.push_back(offsets.back() + length);
  }
  for (size_t key = 1; key <= tensor->keys.size(); ++key) {
    ends.push_back(offsets[key * num_rows_]);
  }
  const bool is_int64 =
      fields_.back().feature.config.lengths_dtype == DType::kInt64;
  const auto keep = [&](const std::vector<int64_t>& ints) {
    const void* const data =
        is_int64 ? static_cast<const void*>(Keep(ints))
                 : Keep(std::vector<int32_t>(ints.begin(), ints.end()));
    return RowSplits{data, ints.size(), is_int64};
  };
  tensor->key_lengths = keep(lengths);
  tensor->key_offsets = keep(offsets);
  const size_t count = ends.size();
  tensor->key_ends = {Keep(std::move(ends)), count};
}

arrow::ColumnBatch TensorMaker::batch() {
  finished_.assign(tensors_.begin(), tensors_.end());
  for (size_t i = 0; i < finished_.size(); ++i) {
    finished_[i].name = fields_[i].feature.name;
  }
  return {.num_rows = num_rows_,
          .tensors = finished_,
          .fields = fields_,
          .has_sequence_struct = has_sequence_,
          .pinned = pinned_};
}

}  // namespace headrace::testing
