// Counts the decoded rows of a block column by column: offsets and validity
// show all that is counted. FeatureCensus::Add counts the records that are
// walked.

#include "src/decode/census/block_census.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "src/base/out_of_memory.h"
#include "src/decode/census/block_counter.h"
#include "src/decode/census/column_counts.h"
#include "src/decode/example/keys.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/census.h"

namespace headrace {

class BlockCensus::Impl final : public census::BlockCounter {
 public:
  Impl(bool padded_input, FeatureCensus* census)
      : BlockCounter(padded_input), census_(census) {}

  // Follows the census of an owner that has moved.
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
  // Every column has a kind and an example; until then the order of records
  // matters.
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
