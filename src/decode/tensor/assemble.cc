// The parts of Assembler that all kinds of tensors share: shapes, conversion,
// and the choice of the function that builds an output.

#include "src/decode/tensor/assemble.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "src/base/cast.h"
#include "src/decode/tensor/assembler.h"
#include "src/decode/tensor/coordinates.h"
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

static_assert(kPaddingSlack <= kSlabSlack &&
              kCoordinateSlack * sizeof(int64_t) <= kSlabSlack);

void* Assembler::AllocateOut(size_t size) {
  if (size == 0) return columns_->Allocate(size);
  if (place_ != nullptr) return place_;
  return is_in_rest_ ? slabs_->Take(size) : columns_->Allocate(size);
}

uint8_t* Assembler::AllocateOutValues(DType dtype, size_t count, size_t slack) {
  const bool is_in_slab = place_ != nullptr || is_in_rest_;
  if (!is_in_slab || dtype == DType::kBytes) {
    return AllocateValues(dtype, count, slack);
  }
  size_t size;
  if (!CheckedMul(count, DTypeSize(dtype), &size)) return nullptr;
  return static_cast<uint8_t*>(AllocateOut(size));
}

// `is_finished` says whether the tensor has these values, or others that are
// made of them.
bool Assembler::Narrow(const plan::Output& output, const void** values,
                       size_t count, bool is_finished) {
  if (!output.converts() || BuilderOf(output.slot).mapped > 0) return true;
  // Padding reads past the values.
  uint8_t* const narrow =
      is_finished ? AllocateOutValues(output.to, count, kPaddingSlack)
                  : AllocateValues(output.to, count, kPaddingSlack);
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
  if (slabs_ != nullptr) {
    place_ = slabs_->PlaceOf(
        static_cast<size_t>(&output - program_.outputs().data()));
    is_in_rest_ = KnowsPlaces(output);
  }
  switch (output.layout) {
    case Layout::kFixedLen:
      return BuildFixedLen(output, tensor);
    case Layout::kFixedLenSequence: {
      const void* values = ColumnOf(output.slot).values;
      if (!Narrow(output, &values, BuilderOf(output.slot).count,
                  /*is_finished=*/false)) {
        return false;
      }
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

bool Assembler::KnowsPlaces(const plan::Output& output) const {
  if (program_.lists() != nullptr) return false;
  switch (output.layout) {
    case Layout::kFixedLen:
    case Layout::kMatrix:
      return false;
    case Layout::kRagged:
      return output.ragged.is_plain() && !output.reinterpret;
    case Layout::kFixedLenSequence:
    case Layout::kVarLen:
    case Layout::kSparse:
    case Layout::kJagged:
      break;
  }
  return true;
}

size_t Assembler::PlacesOf(const plan::Output& output) const {
  const auto values_of = [&output](size_t count, size_t times = 1) {
    if (output.to == DType::kBytes) return size_t{0};
    if (!CheckedMul(count, times, &count)) return kTooLarge;
    return PlaceSize(count, DTypeSize(output.to));
  };
  if (output.layout == Layout::kJagged) return PlacesOfJagged(output);
  const Column& column = ColumnOf(output.slot);
  const size_t count = BuilderOf(output.slot).count;
  switch (output.layout) {
    case Layout::kFixedLenSequence: {
      const size_t longest = Longest(column.offsets, rows_);
      const size_t width =
          output.in_sequence ? longest * output.elements : longest;
      return AddSizes(values_of(rows_, width),
                      PlaceSize(rows_, sizeof(int64_t)));
    }
    case Layout::kVarLen: {
      if (output.pad_to > 0) return values_of(rows_, output.pad_to);
      const size_t rank = output.in_sequence ? 3 : 2;
      return AddSizes(values_of(count),
                      PlaceSize(count, rank * sizeof(int64_t)));
    }
    case Layout::kSparse: {
      const size_t rank = 1 + output.index_slots.size();
      return AddSizes(values_of(count),
                      PlaceSize(count, rank * sizeof(int64_t)));
    }
    case Layout::kRagged: {
      const size_t int_size = output.int64_splits ? 8 : 4;
      const size_t rows = PlaceSize(rows_ + 1, int_size);
      return AddSizes(
          AddSizes(values_of(count), rows),
          output.in_sequence ? PlaceSize(column.num_steps() + 1, int_size) : 0);
    }
    case Layout::kFixedLen:
    case Layout::kMatrix:
    case Layout::kJagged:
      break;
  }
  return 0;
}

bool Assemble(const plan::Program& program, column::ColumnSet* columns,
              Slabs* slabs, std::vector<Tensor>* tensors) {
  tensors->assign(program.outputs().size(), Tensor());
  Assembler assembler(program, columns, slabs);
  for (size_t i = 0; i < tensors->size(); ++i) {
    const plan::Output& output = program.outputs()[i];
    if (slabs != nullptr && assembler.KnowsPlaces(output)) continue;
    if (!assembler.Build(output, &(*tensors)[i])) return false;
  }
  return true;
}

bool AssembleRest(const plan::Program& program, column::ColumnSet* columns,
                  Slabs* slabs, std::vector<Tensor>* tensors, Status* refused) {
  Assembler assembler(program, columns, slabs);
  const std::span<const plan::Output> outputs = program.outputs();
  const auto is_left = [&](size_t i) {
    return i < outputs.size() && assembler.KnowsPlaces(outputs[i]);
  };
  size_t size = 0;
  for (size_t i = 0; i < tensors->size(); ++i) {
    size = AddSizes(size, is_left(i) ? assembler.PlacesOf(outputs[i])
                                     : slabs->PlacesOf((*tensors)[i]));
  }
  *refused = slabs->AskForRest(size, columns->memory_left());
  if (!refused->ok()) return false;
  for (size_t i = 0; i < tensors->size(); ++i) {
    Tensor& tensor = (*tensors)[i];
    if (is_left(i) && !assembler.Build(outputs[i], &tensor)) return false;
    slabs->MoveIn(&tensor);
  }
  return true;
}

}  // namespace headrace::tensor
