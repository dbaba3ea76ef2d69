// Merges, summarizes, serializes and parses a FeatureCounter.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "src/stats/count/feature_counter.h"
#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {
namespace {

template <size_t kWords>
void AppendFixed(const FixedPoint<kWords>& value, std::string* out) {
  for (const uint64_t word : value.words) AppendNumber(word, out);
}

template <size_t kWords>
bool TakeFixed(std::string_view* bytes, FixedPoint<kWords>* value) {
  return std::all_of(
      value->words.begin(), value->words.end(),
      [bytes](uint64_t& word) { return TakeNumber(bytes, &word); });
}

template <class T>
void AppendSums(const NumberSums<T>& sums, std::string* out) {
  for (const uint64_t count :
       {sums.count, sums.zeros, sums.nan, sums.positive_infinities,
        sums.negative_infinities}) {
    AppendNumber(count, out);
  }
  AppendNumber<T>(sums.min, out);
  AppendNumber<T>(sums.max, out);
  AppendFixed(sums.sum, out);
  AppendFixed(sums.squares, out);
}

template <class T>
bool TakeSums(std::string_view* bytes, NumberSums<T>* sums) {
  if (!TakeNumber(bytes, &sums->count) || !TakeNumber(bytes, &sums->zeros) ||
      !TakeNumber(bytes, &sums->nan) ||
      !TakeNumber(bytes, &sums->positive_infinities) ||
      !TakeNumber(bytes, &sums->negative_infinities) ||
      !TakeNumber(bytes, &sums->min) || !TakeNumber(bytes, &sums->max) ||
      !TakeFixed(bytes, &sums->sum) || !TakeFixed(bytes, &sums->squares)) {
    return false;
  }
  uint64_t rest = sums->count;
  for (const uint64_t part :
       {sums->nan, sums->positive_infinities, sums->negative_infinities}) {
    if (part > rest) return false;
    rest -= part;
  }
  return sums->zeros <= rest && (rest == 0 || sums->min <= sums->max);
}

template <class T>
void AppendCounter(const std::optional<NumberCounter<T>>& counter,
                   std::string* out) {
  AppendNumber<uint8_t>(counter.has_value(), out);
  if (!counter) return;
  AppendSums(counter->sums, out);
  counter->sketch.Append(out);
}

template <class T>
bool TakeCounter(std::string_view* bytes,
                 std::optional<NumberCounter<T>>* counter) {
  bool has_value = false;
  if (!TakeFlag(bytes, &has_value)) return false;
  if (!has_value) return true;
  counter->emplace();
  return TakeSums(bytes, &(*counter)->sums) &&
         (*counter)->sketch.Parse(bytes) &&
         (*counter)->sketch.count() ==
             (*counter)->sums.count - (*counter)->sums.nan;
}

void AppendCounter(const std::optional<ValueCounter>& counter,
                   std::string* out) {
  AppendNumber<uint8_t>(counter.has_value(), out);
  if (counter) counter->Append(out);
}

bool TakeCounter(std::string_view* bytes,
                 std::optional<ValueCounter>* counter) {
  bool has_value = false;
  if (!TakeFlag(bytes, &has_value)) return false;
  return !has_value || counter->emplace().Parse(bytes);
}

template <class Counter>
void MergeOptional(const std::optional<Counter>& other,
                   std::optional<Counter>* counter) {
  if (!other) return;
  if (*counter) {
    (*counter)->Merge(*other);
  } else {
    *counter = other;
  }
}

}  // namespace

void FeatureCounter::Merge(const FeatureCounter& other,
                           std::span<const uint32_t> classes_of_other) {
  present_ += other.present_;
  unset_ += other.unset_;
  for (size_t i = 0; i < present_as_.size(); ++i) {
    present_as_[i] += other.present_as_[i];
  }
  for (const auto* const first : {&other.first_, &other.first_kind_}) {
    if (*first) {
      NotePlace({(*first)->file, (*first)->record}, (*first)->kind);
    }
  }
  lengths_.Merge(other.lengths_);
  steps_.Merge(other.steps_);
  step_lengths_.Merge(other.step_lengths_);
  unset_steps_ += other.unset_steps_;
  encoded_bytes_ += other.encoded_bytes_;
  MergeOptional(other.int64s_, &int64s_);
  MergeOptional(other.floats_, &floats_);
  MergeOptional(other.bytes_, &bytes_);
  MergeOptional(other.categories_, &categories_);
  for (size_t i = 0; i < other.classes_.size(); ++i) {
    const uint32_t index = classes_of_other[i];
    if (classes_.size() <= index) classes_.resize(index + 1);
    classes_[index].Merge(other.classes_[i]);
  }
}

FeatureSummary FeatureCounter::ToSummary(
    uint64_t records, std::span<const uint32_t> classes) const {
  FeatureSummary summary = {
      .name = name_,
      .in_sequence = in_sequence_,
      .kind = first_kind_ ? first_kind_->kind : Kind::kNull,
      .present = present_,
      .missing = records - present_ - unset_,
      .unset = unset_,
      .values = lengths_.ToStats(),
      .steps = steps_.ToStats(),
      .step_values = step_lengths_.ToStats(),
      .unset_steps = unset_steps_,
      .encoded_bytes = encoded_bytes_};
  std::copy(present_as_.begin(), present_as_.end(), summary.present_as);
  if (first_) {
    summary.first_file = first_->file;
    summary.first_record = first_->record;
  }
  if (int64s_) summary.int64s = int64s_->ToStats();
  if (floats_) summary.floats = floats_->ToStats();
  if (bytes_) summary.bytes = bytes_->ToStats();
  if (categories_) summary.categories = categories_->ToStats();
  for (const uint32_t index : classes) {
    summary.classes.push_back(
        index < classes_.size() ? classes_[index].ToStats() : ClassStats());
  }
  return summary;
}

void FeatureCounter::Append(std::string* out) const {
  AppendNumber(present_, out);
  AppendNumber(unset_, out);
  for (const uint64_t count : present_as_) AppendNumber(count, out);
  for (const auto* const first : {&first_, &first_kind_}) {
    AppendNumber<uint8_t>(first->has_value(), out);
    if (!*first) continue;
    AppendText((*first)->file, out);
    AppendNumber((*first)->record, out);
    AppendNumber<uint8_t>(static_cast<uint8_t>((*first)->kind), out);
  }
  lengths_.Append(out);
  steps_.Append(out);
  step_lengths_.Append(out);
  AppendNumber(unset_steps_, out);
  AppendNumber(encoded_bytes_, out);
  AppendCounter(int64s_, out);
  AppendCounter(floats_, out);
  AppendCounter(bytes_, out);
  AppendCounter(categories_, out);
  AppendNumber(classes_.size(), out);
  for (const ClassCounter& counter : classes_) {
    AppendNumber(counter.present, out);
    AppendSums(counter.int64s, out);
    AppendSums(counter.floats, out);
  }
}

bool FeatureCounter::Parse(std::string_view* bytes, uint64_t records,
                           size_t classes) {
  bool good = TakeNumber(bytes, &present_) && TakeNumber(bytes, &unset_);
  for (uint64_t& count : present_as_) {
    good = good && TakeNumber(bytes, &count) && count <= present_;
  }
  for (auto* const first : {&first_, &first_kind_}) {
    bool has_value = false;
    uint8_t kind = 0;
    if (!good || !TakeFlag(bytes, &has_value)) return false;
    if (!has_value) continue;
    First& place = first->emplace();
    good = TakeText(bytes, &place.file) && TakeNumber(bytes, &place.record) &&
           TakeNumber(bytes, &kind) &&
           kind <= static_cast<uint8_t>(Kind::kInt64);
    place.kind = static_cast<Kind>(kind);
  }
  if (first_kind_) kind_added_ = first_kind_->kind;
  uint64_t num_classes = 0;
  good = good && lengths_.Parse(bytes) && steps_.Parse(bytes) &&
         step_lengths_.Parse(bytes) && TakeNumber(bytes, &unset_steps_) &&
         TakeNumber(bytes, &encoded_bytes_) && TakeCounter(bytes, &int64s_) &&
         TakeCounter(bytes, &floats_) && TakeCounter(bytes, &bytes_) &&
         TakeCounter(bytes, &categories_) && TakeNumber(bytes, &num_classes) &&
         num_classes <= classes && present_ <= records &&
         unset_ <= records - present_ && first_.has_value() == (present_ > 0) &&
         (!first_kind_ || first_kind_->kind != Kind::kNull);
  if (!good) return false;
  classes_.resize(static_cast<size_t>(num_classes));
  return std::all_of(classes_.begin(), classes_.end(), [&](ClassCounter& c) {
    return TakeNumber(bytes, &c.present) && TakeSums(bytes, &c.int64s) &&
           TakeSums(bytes, &c.floats);
  });
}

}  // namespace headrace::stats
