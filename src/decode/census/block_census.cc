// Counts the decoded rows of a block column by column: offsets and validity
// show everything that is counted. FeatureCensus::Add counts the records that
// are walked.

#include "src/decode/census/block_census.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "src/base/out_of_memory.h"
#include "src/decode/census/block_counter.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/keys.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/census.h"
#include "src/plan/infer/example_text.h"
#include "src/plan/infer/tensor_head.h"

namespace headrace {
namespace census {
namespace {

using column::Builder;

// Counts of the lists in rows, or in steps.
struct ListCounts {
  uint32_t typed = 0;
  uint32_t unset = 0;
  uint32_t empty = 0;
  uint32_t shortest = std::numeric_limits<uint32_t>::max();
  uint32_t longest = 0;
};

// Lists without a kind are marked with `unset`, and have no values. The loop
// has no branch, so that compilers vectorize it.
ListCounts CountLists(const int32_t* offsets, const uint8_t* valid, size_t size,
                      uint8_t unset) {
  ListCounts counts;
  for (size_t i = 0; i < size; ++i) {
    const auto length = static_cast<uint32_t>(offsets[i + 1] - offsets[i]);
    const uint32_t is_typed = valid[i] == 1;
    counts.typed += is_typed;
    counts.unset += valid[i] == unset;
    counts.empty += is_typed & static_cast<uint32_t>(length == 0);
    counts.shortest = std::min(counts.shortest, length | (is_typed - 1));
    counts.longest = std::max(counts.longest, length);
  }
  return counts;
}

void AddLists(const ListCounts& lists, uint64_t values, FeatureCount* count) {
  count->present += lists.typed + uint64_t{lists.unset};
  count->unset += lists.unset;
  if (lists.typed == 0) return;
  count->empty += lists.empty;
  count->values += values;
  count->min_length = std::min<uint64_t>(count->min_length, lists.shortest);
  count->max_length = std::max<uint64_t>(count->max_length, lists.longest);
}

void AddSteps(const Builder& builder, FeatureCount* count) {
  const ListCounts rows = CountLists(builder.rows.offsets, builder.rows.valid,
                                     builder.next_row, column::kUnsetMark);
  if (rows.typed == 0) return;
  count->lists += rows.typed;
  count->min_steps = std::min<uint64_t>(count->min_steps, rows.shortest);
  count->max_steps = std::max<uint64_t>(count->max_steps, rows.longest);
  if (builder.steps == 0) return;
  AddLists(CountLists(builder.step_offsets, builder.step_valid, builder.steps,
                      /*unset=*/0),
           builder.count, count);
}

void SetExample(const Builder& builder, FeatureCount* count) {
  Feature feature;
  feature.kind = builder.kind;
  switch (builder.kind) {
    case Kind::kBytes:
      // The bytes of a mapped file may change, so this makes a copy.
      feature.bytes.emplace_back(
          *reinterpret_cast<const std::string_view*>(builder.values));
      count->tensor = infer::TensorHeadText(feature.bytes.front(),
                                            feature.bytes.front().size());
      break;
    case Kind::kFloat:
      feature.floats.push_back(*reinterpret_cast<const float*>(builder.values));
      break;
    default:
      feature.int64s.push_back(
          *reinterpret_cast<const int64_t*>(builder.values));
  }
  count->example = infer::ExampleText(feature);
}

// True if any row has a list with a kind, even an empty one. The column must
// belong to a feature, not to a feature list.
bool HasTyped(const Builder& builder) {
  if (builder.next_row == 0) return false;
  return builder.form == plan::SlotForm::kRegular ||
         std::memchr(builder.rows.valid, 1, builder.next_row) != nullptr;
}

// Adds the column to the count, which must have the column's kind; only feature
// lists may lack a kind. The set must mark cells without a kind and be settled.
void AddColumn(const Builder& builder, FeatureCount* count) {
  if (builder.next_row == 0) return;
  if (builder.form == plan::SlotForm::kRegular) {
    AddLists({.typed = builder.next_row, .shortest = 1, .longest = 1},
             builder.count, count);
  } else if (builder.form == plan::SlotForm::kSteps) {
    AddSteps(builder, count);
  } else {
    AddLists(CountLists(builder.rows.offsets, builder.rows.valid,
                        builder.next_row, column::kUnsetMark),
             builder.count, count);
  }
  if (count->example.empty() && builder.count > 0) {
    SetExample(builder, count);
  }
}

}  // namespace
}  // namespace census

class BlockCensus::Impl final : public census::BlockCounter {
 public:
  Impl(bool padded_input, FeatureCensus* census)
      : BlockCounter(padded_input), census_(census) {}

  // Points to the census again after its owner has moved.
  void set_census(FeatureCensus* census) { census_ = census; }

 private:
  Status Walk(const NumberedRecord& record) override {
    return census_->Add(record.payload, record.number);
  }
  void CountRows(const column::ColumnSet& columns,
                 std::span<const NumberedRecord* const> records) override;

  size_t num_columns() const override {
    return census_->features_.size() + census_->feature_lists_.size();
  }
  uint64_t num_kinds() const override { return census_->num_kinds_; }
  std::vector<ColumnField> columns() const override {
    return census_->columns();
  }
  MessageType message() const override { return census_->message_; }
  void NotePlan(const plan::Program& program) override;

  // Until kAuto is decided, only walking can find the type of the messages.
  // Lists are always walked.
  bool MayDecode() const override {
    return census_->as_others_.empty() &&
           census_->message_ != MessageType::kElwc;
  }
  void NoteDecoded(std::span<const NumberedRecord> records) override;
  bool NeedsOrder() const override { return !knows_all_; }
  bool MustWalk(const column::ColumnSet& columns) const override;

  bool KnowsAll() const;
  // False for a feature that had no kind when the plan was made, unless its
  // kind has turned out to be the one that the plan assumed.
  bool HasKindOfPlan(uint32_t slot) const {
    return counts_[slot]->kind == program_->kind(slot) &&
           counts_[slot]->kind != Kind::kNull;
  }

  FeatureCensus* census_;
  const plan::Program* program_ = nullptr;
  std::vector<FeatureCount*> counts_;  // of each slot
  // True once every column has a kind and an example; until then the order of
  // records matters.
  bool knows_all_ = false;
};

void BlockCensus::Impl::NotePlan(const plan::Program& program) {
  program_ = &program;
  counts_.clear();
  for (auto& [key, count] : census_->features_) counts_.push_back(&count);
  for (auto& [key, count] : census_->feature_lists_) counts_.push_back(&count);
  knows_all_ = KnowsAll();
}

void BlockCensus::Impl::NoteDecoded(std::span<const NumberedRecord> records) {
  if (census_->message_ != MessageType::kSequence) return;
  for (const NumberedRecord& record : records) {
    if (census_->has_feature_lists_) return;
    census_->has_feature_lists_ = decode::HasListsField(record.payload);
  }
}

void BlockCensus::Impl::CountRows(
    const column::ColumnSet& columns,
    std::span<const NumberedRecord* const> records) {
  census_->num_records_ += records.size();
  for (const NumberedRecord* const record : records) {
    census_->judge_.Look(record->payload);
    if (census_->message_ != MessageType::kExample) continue;
    census_->num_lists_left_out_ += HasFeatureLists(record->payload);
  }
  for (uint32_t slot = 0; slot < counts_.size(); ++slot) {
    census::AddColumn(columns.builder(slot), counts_[slot]);
  }
  if (!knows_all_) knows_all_ = KnowsAll();
}

// True if a feature without a known kind, which the plan took for int64, has
// values: only walking can find the first record that has them.
bool BlockCensus::Impl::MustWalk(const column::ColumnSet& columns) const {
  if (knows_all_) return false;
  for (uint32_t slot = 0; slot < counts_.size(); ++slot) {
    if (!HasKindOfPlan(slot) && !program_->slots()[slot].in_sequence &&
        census::HasTyped(columns.builder(slot))) {
      return true;
    }
  }
  return false;
}

bool BlockCensus::Impl::KnowsAll() const {
  for (uint32_t slot = 0; slot < counts_.size(); ++slot) {
    if (!HasKindOfPlan(slot) || counts_[slot]->example.empty()) return false;
  }
  return true;
}

BlockCensus::BlockCensus(MessageType message, bool padded_input)
    : census_(message), padded_input_(padded_input) {}
BlockCensus::BlockCensus(BlockCensus&& other) noexcept
    : census_(std::move(other.census_)),
      padded_input_(other.padded_input_),
      impl_(std::move(other.impl_)) {
  if (impl_) impl_->set_census(&census_);
}
BlockCensus& BlockCensus::operator=(BlockCensus&& other) noexcept {
  census_ = std::move(other.census_);
  padded_input_ = other.padded_input_;
  impl_ = std::move(other.impl_);
  if (impl_) impl_->set_census(&census_);
  return *this;
}
BlockCensus::~BlockCensus() = default;

Status BlockCensus::Add(std::span<const NumberedRecord> records,
                        const Refused& refused) {
  if (!census_.status_.ok()) return census_.status_;
  return CatchOutOfMemory(&census_.status_, [&] {
    if (impl_ == nullptr) {
      impl_ = std::make_unique<Impl>(padded_input_, &census_);
    }
    Status status = impl_->Add(records, refused);
    if (status.code() == ErrorCode::kOutOfMemory) census_.status_ = status;
    return status;
  });
}

}  // namespace headrace
