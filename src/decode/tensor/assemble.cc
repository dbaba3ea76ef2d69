// The parts of Assembler that all kinds of tensors share: shapes, conversion,
// and the choice of the function that builds an output.

#include "src/decode/tensor/assemble.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "src/base/cast.h"
#include "src/decode/tensor/assembler.h"
#include "src/decode/tensor/padding.h"

namespace headrace::tensor {

size_t Longest(const int32_t* offsets, size_t rows) {
  int32_t longest = 0;
  for (size_t i = 0; i < rows; ++i) {
    longest = std::max(longest, offsets[i + 1] - offsets[i]);
  }
  return static_cast<size_t>(longest);
}

void ConvertValues(const plan::Output& output, const void* values, size_t count,
                   void* out) {
  const function::Chain* const chain = output.chain.get();
  if (chain == nullptr) {
    return Cast(output.from, output.to, values, count, out);
  }
  const auto* const from = static_cast<const uint8_t*>(values);
  auto* const to = static_cast<uint8_t*>(out);
  alignas(64) uint8_t mapped[kBlockOfValues * sizeof(int64_t)];
  for (size_t begin = 0; begin < count; begin += kBlockOfValues) {
    const size_t size = std::min(kBlockOfValues, count - begin);
    chain->Apply(from + begin * DTypeSize(output.from), size, mapped);
    Cast(chain->output(), output.to, mapped, size,
         to + begin * DTypeSize(output.to));
  }
}

void MapInPlace(const plan::Program& program, column::ColumnSet* columns) {
  alignas(64) uint8_t results[kBlockOfValues * sizeof(int64_t)];
  for (const plan::Output* const output : program.mapped_in_place()) {
    column::Builder& builder = columns->builders()[output->slot];
    const size_t from = column::ValueSize(builder.kind);
    const size_t to = DTypeSize(output->to);
    while (builder.mapped < builder.count) {
      const size_t begin = builder.mapped;
      const size_t size = std::min(kBlockOfValues, builder.count - begin);
      ConvertValues(*output, builder.values + begin * from, size, results);
      std::memcpy(builder.values + begin * to, results, size * to);
      builder.mapped += size;
    }
  }
}

bool Assembler::SetShape(std::span<const size_t> next,
                         std::span<const int64_t> rest, Tensor* tensor) {
  const size_t rank = (grid_ ? 2 : 1) + next.size() + rest.size();
  auto* const shape = Allocate<int64_t>(rank);
  if (shape == nullptr) return false;
  int64_t* out = shape;
  *out++ = static_cast<int64_t>(grid_ ? grid_->num_lists() : rows_);
  if (grid_) *out++ = static_cast<int64_t>(grid_->places);
  for (const size_t dimension : next) *out++ = static_cast<int64_t>(dimension);
  std::copy(rest.begin(), rest.end(), out);
  tensor->shape = {shape, rank};
  return true;
}

// Returns where the places of each list begin and end.
const int32_t* Assembler::ListOffsets() {
  auto* const offsets = Allocate<int32_t>(grid_->ends.size());
  if (offsets == nullptr) return nullptr;
  for (size_t i = 0; i < grid_->ends.size(); ++i) {
    offsets[i] = static_cast<int32_t>(i * grid_->places);
  }
  return offsets;
}

bool Assembler::Narrow(const plan::Output& output, const void** values,
                       size_t count) {
  if (!output.converts() || BuilderOf(output.slot).mapped > 0) return true;
  // Padding reads past the values.
  uint8_t* const narrow = AllocateValues(output.to, count, kPaddingSlack);
  if (narrow == nullptr) return false;
  ConvertValues(output, *values, count, narrow);
  *values = narrow;
  return true;
}

void Assembler::SetLists(const plan::Output& output, const void* values,
                         size_t count, Tensor* tensor) {
  const Column& column = columns_->columns()[output.slot];
  tensor->row_offsets = grid_ ? grid_->ends.data() : column.offsets;
  tensor->step_offsets = grid_ ? column.offsets : column.step_offsets;
  tensor->list_values = values;
  tensor->num_list_values = count;
}

bool Assembler::Build(const plan::Output& output, Tensor* tensor) {
  const TensorField& field = program_.tensors()[output.field];
  tensor->name = field.feature.name;
  tensor->dtype = output.to;
  tensor->in_sequence = output.in_sequence;
  dimensions_ = nullptr;
  switch (output.layout) {
    case Layout::kFixedLen:
      return BuildFixedLen(output, tensor);
    case Layout::kFixedLenSequence: {
      const void* values = ColumnOf(output.slot).values;
      if (!Narrow(output, &values, BuilderOf(output.slot).count)) return false;
      return output.in_sequence ? BuildListSequence(output, values, tensor)
                                : BuildSequence(output, values, tensor);
    }
    case Layout::kVarLen:
      return BuildVarLen(output, tensor);
    case Layout::kSparse:
      return BuildSparse(output, tensor);
    case Layout::kMatrix:
      return BuildMatrix(output, tensor);
    case Layout::kJagged:
      return BuildJagged(output, tensor);
    case Layout::kRagged:
      break;
  }
  return BuildRagged(output, tensor);
}

bool Assemble(const plan::Program& program, column::ColumnSet* columns,
              std::vector<Tensor>* tensors) {
  tensors->assign(program.outputs().size(), Tensor());
  Assembler assembler(program, columns);
  for (size_t i = 0; i < tensors->size(); ++i) {
    if (!assembler.Build(program.outputs()[i], &(*tensors)[i])) return false;
  }
  return true;
}

}  // namespace headrace::tensor
