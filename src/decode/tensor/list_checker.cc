#include "src/decode/tensor/list_checker.h"

#include <algorithm>

#include "src/decode/tensor/row_rules.h"

namespace headrace::tensor {
namespace {

// The View (row_rules.h) of an Example without features.
class AbsentRow {
 public:
  column::CellState Find(uint32_t) const { return column::CellState::kAbsent; }
  size_t Steps(uint32_t) const { return 0; }
  Values ValuesOf(uint32_t, size_t) const { return {}; }
  size_t FindOtherStep(uint32_t, size_t) const { return 0; }
  Unpacked Unpack(const plan::Output&, size_t, size_t) const { return {}; }
};

// Checks a place without an Example. Sets *length to the size of the outermost
// dimension of a ragged row.
Fault CheckPlace(const plan::Output& output, size_t* length) {
  return CheckLayout(AbsentRow(), output, [length](size_t level, size_t rows) {
    if (level == 0) *length = rows;
  });
}

}  // namespace

Required FindRequired(const plan::Program& examples) {
  Required required;
  for (const plan::Output& output : examples.outputs()) {
    size_t length = 0;
    Fault fault = CheckPlace(output, &length);
    if (fault.rule == Rule::kNone && output.group != plan::kNoGroup) {
      size_t first = 0;
      fault = CheckPlace(examples.outputs()[output.group], &first);
      if (fault.rule == Rule::kNone) fault = CheckGroup(first, length);
    }
    if (fault.rule == Rule::kNone) continue;
    if (required.output == nullptr || fault.code() < required.code) {
      required = {&output, fault.code()};
    }
  }
  return required;
}

size_t ListPlaces(uint64_t list_size, size_t longest) {
  return list_size > 0 ? static_cast<size_t>(list_size)
                       : std::max<size_t>(longest, 1);
}

void ListChecker::Start(const plan::Program& program, RowChecker* examples) {
  parts_ = program.lists();
  examples_ = examples;
  required_ = FindRequired(*parts_->examples);
  longest_ = 0;
  shortest_ = ~size_t{0};
  coordinate_slots_.clear();
  place_bytes_ =
      static_cast<double>(parts_->examples->slots().size()) * sizeof(int32_t);
  for (const plan::Output& output : parts_->examples->outputs()) {
    const auto to = static_cast<double>(DTypeSize(output.to));
    if (output.layout == Layout::kFixedLen) {
      place_bytes_ += static_cast<double>(output.elements) *
                      (static_cast<double>(DTypeSize(output.from)) + to);
    } else if (output.layout == Layout::kRagged) {
      place_bytes_ += 8 * static_cast<double>(output.ragged.num_levels + 1);
      // Known lengths make rows even where there are no values.
      static_cast<void>(
          CheckLayout(AbsentRow(), output, [this](size_t, size_t rows) {
            place_bytes_ += 8 * static_cast<double>(rows);
          }));
    } else if (output.pad_to > 0) {
      place_bytes_ += static_cast<double>(output.pad_to) * to;
    } else if (output.layout != Layout::kFixedLenSequence) {
      coordinate_slots_.push_back(output.slot);
    }
  }
}

// Returns the memory that tensors take because lists have places; RowChecker
// counts what the values need. A double is exact enough, and cannot overflow.
double ListChecker::BytesOfPlaces(const column::ColumnSet& examples,
                                  size_t lists, size_t places,
                                  bool is_even) const {
  const double cells = static_cast<double>(lists) * static_cast<double>(places);
  double bytes = static_cast<double>(lists) * 16 + cells;  // sizes, mask
  for (const uint32_t slot : coordinate_slots_) {
    bytes += 8 * static_cast<double>(examples.Count(examples.builder(slot)));
  }
  if (is_even) return bytes;
  return bytes + cells * (place_bytes_ + examples_->BytesOfLongestRow());
}

// A short list in a batch with a long one costs as much as the long one, so a
// few bytes of input may ask for gigabytes.
ErrorCode ListChecker::Check(column::ColumnSet* context,
                             column::ColumnSet* examples, size_t count) {
  if (required_.output != nullptr && count < ListPlaces(parts_->list_size, 0)) {
    return required_.code;
  }
  const size_t longest = std::max(longest_, count);
  const size_t shortest = std::min(shortest_, count);
  const size_t places = ListPlaces(parts_->list_size, longest);
  const double bytes =
      BytesOfPlaces(*examples, size_t{context->num_rows()} + 1, places,
                    /*is_even=*/shortest == places);
  const auto left = static_cast<double>(examples->memory_left());
  // The memory that is set aside for the rows' tensors stays. The memory set
  // aside for earlier lists is released, because `bytes` covers all lists.
  examples->KeepBesides(0);
  if (places > kMaxRows / (context->num_rows() + 1)) return ErrorCode::kLimit;
  const auto kept =
      static_cast<double>(context->kept_memory() + examples->kept_memory());
  if (kept + bytes > left ||
      (kept + 2 * bytes > left && context->num_rows() > 0)) {
    return ErrorCode::kLimit;
  }
  examples->KeepBesides(static_cast<uint64_t>(std::min(2 * bytes, left)));
  longest_ = longest;
  shortest_ = shortest;
  return ErrorCode::kOk;
}

}  // namespace headrace::tensor
