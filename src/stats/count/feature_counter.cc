#include "src/stats/count/feature_counter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "headrace/status.h"
#include "src/stats/count/feature_rows.h"
#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {
namespace {

constexpr size_t kRowsAtOnce = 256;

size_t IndexOf(Kind kind) { return static_cast<size_t>(kind); }

size_t CountMarks(const Lists& lists, uint8_t mark) {
  if (lists.marks == nullptr) return mark == kTypedMark ? lists.size : 0;
  return static_cast<size_t>(
      std::count(lists.marks, lists.marks + lists.size, mark));
}

// Adds the lengths of the typed lists.
void AddLengths(const Lists& lists, LengthCounter* counter) {
  if (lists.offsets == nullptr) {
    counter->AddRepeated(1, lists.size);
    return;
  }
  std::array<uint32_t, kRowsAtOnce> lengths;
  for (size_t first = 0; first < lists.size; first += kRowsAtOnce) {
    const size_t end = std::min(lists.size, first + kRowsAtOnce);
    size_t count = 0;
    for (size_t i = first; i < end; ++i) {
      lengths[count] =
          static_cast<uint32_t>(lists.offsets[i + 1] - lists.offsets[i]);
      count += lists.marks == nullptr || lists.marks[i] == kTypedMark;
    }
    counter->Add(std::span(lengths).first(count));
  }
}

// Returns the row's range of values, [first, second).
std::pair<size_t, size_t> ValuesOfRow(const FeatureRows& rows, size_t row) {
  if (rows.rows.offsets == nullptr) return {row, row + 1};
  auto begin = static_cast<size_t>(rows.rows.offsets[row]);
  auto end = static_cast<size_t>(rows.rows.offsets[row + 1]);
  if (rows.in_sequence && rows.steps.offsets != nullptr) {
    begin = static_cast<size_t>(rows.steps.offsets[begin]);
    end = static_cast<size_t>(rows.steps.offsets[end]);
  }
  return {begin, end};
}

const void* ValueAt(Kind kind, const void* values, size_t i) {
  constexpr size_t kSizes[] = {0, sizeof(std::string_view), sizeof(float),
                               sizeof(int64_t)};
  return static_cast<const char*>(values) + kSizes[IndexOf(kind)] * i;
}

// Returns the values that are not NaN.
std::vector<float> WithoutNan(std::span<const float> values) {
  std::vector<float> numbers;
  std::copy_if(values.begin(), values.end(), std::back_inserter(numbers),
               [](float value) { return !std::isnan(value); });
  return numbers;
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

void First::Append(std::string* out) const {
  AppendFields(out, file, record, kind);
}

bool First::Parse(std::string_view* bytes) {
  return TakeFields(bytes, &file, &record, &kind);
}

template <class T>
void NumberCounter<T>::Add(std::span<const T> values) {
  NumberSums<T> more;
  AddNumbers(values, &more);
  sums.Merge(more);
  if (more.min == more.max && more.finite() == values.size()) {
    sketch.AddRepeated(more.min, values.size());
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (more.nan > 0) {
      sketch.Add(WithoutNan(values));
      return;
    }
  }
  sketch.Add(values);
}

template <class T>
void NumberCounter<T>::Merge(const NumberCounter& other) {
  sums.Merge(other.sums);
  sketch.Merge(other.sketch);
}

template <class T>
NumberStats<T> NumberCounter<T>::ToStats() const {
  const bool has_finite = sums.finite() > 0;
  return {.count = sums.count,
          .zeros = sums.zeros,
          .nan = sums.nan,
          .positive_infinities = sums.positive_infinities,
          .negative_infinities = sums.negative_infinities,
          .min = has_finite ? sums.min : T(),
          .max = has_finite ? sums.max : T(),
          .mean = sums.mean(),
          .std_dev = sums.std_dev(),
          .distribution = sketch.template ToDistribution<T>()};
}

template <class T>
void NumberCounter<T>::Append(std::string* out) const {
  AppendFields(out, sums, sketch);
}

template <class T>
bool NumberCounter<T>::Parse(std::string_view* bytes) {
  return TakeFields(bytes, &sums, &sketch) &&
         sketch.count() == sums.count - sums.nan;
}

template struct NumberCounter<int64_t>;
template struct NumberCounter<float>;

void ClassCounter::Merge(const ClassCounter& other) {
  present += other.present;
  int64s.Merge(other.int64s);
  floats.Merge(other.floats);
}

ClassStats ClassCounter::ToStats() const {
  return {.present = present,
          .count = int64s.finite() + floats.finite(),
          .mean = MeanOf(int64s, floats)};
}

void ClassCounter::Append(std::string* out) const {
  AppendFields(out, present, int64s, floats);
}

bool ClassCounter::Parse(std::string_view* bytes) {
  return TakeFields(bytes, &present, &int64s, &floats);
}

void FeatureCounter::SetCapacity(size_t capacity) {
  capacity_ = capacity;
  if (bytes_) bytes_->SetCapacity(capacity);
  if (categories_) categories_->SetCapacity(capacity);
}

ValueCounter* FeatureCounter::Started(std::optional<ValueCounter>* counter) {
  if (!*counter) {
    counter->emplace();
    (*counter)->SetCapacity(capacity_);
  }
  return &**counter;
}

void FeatureCounter::Add(const FeatureRows& rows, const RowContext& context) {
  if (rows.rows.size == 0) return;
  CountRows(rows);
  if (rows.in_sequence) CountSteps(rows);
  if (rows.kind != Kind::kNull) {
    AddValues(rows.kind, rows.values, rows.num_values, context);
  }
  encoded_bytes_ += EncodedSize(name_.size(), rows);
  const auto* const marks = rows.rows.marks;
  const void* const typed =
      marks == nullptr ? nullptr
                       : std::memchr(marks, kTypedMark, rows.rows.size);
  if (marks == nullptr || typed != nullptr) {
    const auto row = static_cast<size_t>(
        typed == nullptr ? 0 : static_cast<const uint8_t*>(typed) - marks);
    NotePlace(context.place(row), rows.in_sequence ? Kind::kNull : rows.kind);
  }
  if (rows.in_sequence) NoteListKinds(rows, context);
  if (!context.classes.empty()) AddToClasses(rows, context);
}

void FeatureCounter::CountRows(const FeatureRows& rows) {
  const size_t present = CountMarks(rows.rows, kTypedMark);
  present_ += present;
  unset_ += CountMarks(rows.rows, kUnsetMark);
  if (rows.in_sequence) {
    AddLengths(rows.rows, &steps_);
  } else {
    if (rows.kind != Kind::kNull) present_as_[IndexOf(rows.kind)] += present;
    AddLengths(rows.rows, &lengths_);
  }
}

void FeatureCounter::CountSteps(const FeatureRows& rows) {
  AddLengths(rows.steps, &step_lengths_);
  unset_steps_ += CountMarks(rows.steps, kNullMark);
  std::array<uint32_t, kRowsAtOnce> lengths;
  size_t count = 0;
  for (size_t row = 0; row < rows.rows.size; ++row) {
    if (rows.rows.marks != nullptr && rows.rows.marks[row] != kTypedMark) {
      continue;
    }
    const auto [begin, end] = ValuesOfRow(rows, row);
    lengths[count++] =
        static_cast<uint32_t>(rows.kind == Kind::kNull ? 0 : end - begin);
    if (count == kRowsAtOnce) {
      lengths_.Add(lengths);
      count = 0;
    }
  }
  lengths_.Add(std::span(lengths).first(count));
}

// Counts the rows that have a step with a kind, and notes the first of these
// rows.
void FeatureCounter::NoteListKinds(const FeatureRows& rows,
                                   const RowContext& context) {
  if (rows.kind == Kind::kNull) return;
  bool is_noted = false;
  for (size_t row = 0; row < rows.rows.size; ++row) {
    const int32_t begin = rows.rows.offsets[row];
    const int32_t end = rows.rows.offsets[row + 1];
    const bool has_kind =
        begin < end &&
        (rows.steps.marks == nullptr ||
         std::memchr(rows.steps.marks + begin, kTypedMark,
                     static_cast<size_t>(end - begin)) != nullptr);
    if (!has_kind) continue;
    ++present_as_[IndexOf(rows.kind)];
    if (!is_noted) NotePlace(context.place(row), rows.kind);
    is_noted = true;
  }
}

void FeatureCounter::NotePlace(const RowPlace& place, Kind kind) {
  const auto keep = [&place, kind](std::optional<First>* first) {
    if (*first) {
      const int order = (*first)->file.compare(place.file);
      // Among records without numbers the lowest kind wins, so that the order
      // of adding them does not matter.
      const bool is_before =
          (*first)->record < place.record ||
          ((*first)->record == place.record &&
           (place.record != kUnknown || (*first)->kind <= kind));
      if (order < 0 || (order == 0 && is_before)) return;
    }
    *first = First{std::string(place.file), place.record, kind};
  };
  keep(&first_);
  if (kind == Kind::kNull) return;
  keep(&first_kind_);
  if (kind_added_ == Kind::kNull) kind_added_ = kind;
}

void FeatureCounter::AddValues(Kind kind, const void* values, size_t size,
                               const RowContext& context) {
  switch (kind) {
    case Kind::kInt64: {
      if (!int64s_) int64s_.emplace();
      const std::span numbers(static_cast<const int64_t*>(values), size);
      int64s_->Add(numbers);
      if (!is_categorical_) break;
      ValueCounter* const counter = Started(&categories_);
      for (const int64_t number : numbers) {
        const std::string text = std::to_string(number);
        const std::string_view value = text;
        counter->Add({&value, 1}, /*pictures=*/false);
      }
      break;
    }
    case Kind::kFloat:
      if (!floats_) floats_.emplace();
      floats_->Add({static_cast<const float*>(values), size});
      break;
    case Kind::kBytes:
      Started(&bytes_)->Add(
          {static_cast<const std::string_view*>(values), size},
          context.keep_pictures);
      break;
    case Kind::kNull:
      break;
  }
}

void FeatureCounter::AddToClass(Kind kind, const void* values, size_t size,
                                uint32_t index) {
  if (index == kNoClass) return;
  if (classes_.size() <= index) classes_.resize(index + 1);
  ClassCounter& counter = classes_[index];
  ++counter.present;
  for (size_t i = 0; i < size && kind == Kind::kInt64; ++i) {
    AddNumber(static_cast<const int64_t*>(values)[i], &counter.int64s);
  }
  for (size_t i = 0; i < size && kind == Kind::kFloat; ++i) {
    AddNumber(static_cast<const float*>(values)[i], &counter.floats);
  }
}

void FeatureCounter::AddToClasses(const FeatureRows& rows,
                                  const RowContext& context) {
  for (size_t row = 0; row < rows.rows.size; ++row) {
    if (rows.rows.marks != nullptr && rows.rows.marks[row] != kTypedMark) {
      continue;
    }
    const auto [begin, end] = ValuesOfRow(rows, row);
    const bool has_values = rows.kind != Kind::kNull;
    AddToClass(rows.kind, ValueAt(rows.kind, rows.values, begin),
               has_values ? end - begin : 0, context.classes[row]);
  }
}

void FeatureCounter::AddFeature(const Feature& feature,
                                const RowContext& context) {
  const int32_t offsets[2] = {0, static_cast<int32_t>(feature.size())};
  const uint8_t mark = feature.kind == Kind::kNull ? kUnsetMark : kTypedMark;
  const std::vector<std::string_view> views(feature.bytes.begin(),
                                            feature.bytes.end());
  FeatureRows rows = {.kind = feature.kind,
                      .rows = {.offsets = offsets, .marks = &mark, .size = 1},
                      .num_values = feature.size()};
  if (feature.kind == Kind::kInt64) rows.values = feature.int64s.data();
  if (feature.kind == Kind::kFloat) rows.values = feature.floats.data();
  if (feature.kind == Kind::kBytes) rows.values = views.data();
  Add(rows, context);
}

void FeatureCounter::AddList(std::span<const Feature> steps,
                             const RowContext& context) {
  ++present_;
  NotePlace(context.place(0), Kind::kNull);
  const uint32_t index =
      context.classes.empty() ? kNoClass : context.classes[0];
  AddToClass(Kind::kNull, nullptr, 0, index);
  std::array<bool, 4> has_kind = {};
  size_t num_values = 0;
  for (const Feature& step : steps) {
    if (step.kind == Kind::kNull) {
      ++unset_steps_;
      continue;
    }
    if (!has_kind[IndexOf(step.kind)]) ++present_as_[IndexOf(step.kind)];
    has_kind[IndexOf(step.kind)] = true;
    NotePlace(context.place(0), step.kind);
    num_values += step.size();
    step_lengths_.AddRepeated(static_cast<uint32_t>(step.size()), 1);
    const std::vector<std::string_view> views(step.bytes.begin(),
                                              step.bytes.end());
    const void* values = views.data();
    if (step.kind == Kind::kInt64) values = step.int64s.data();
    if (step.kind == Kind::kFloat) values = step.floats.data();
    AddValues(step.kind, values, step.size(), context);
    if (index != kNoClass) {
      AddToClass(step.kind, values, step.size(), index);
      --classes_[index].present;  // the record itself counts once, above
    }
  }
  lengths_.AddRepeated(static_cast<uint32_t>(num_values), 1);
  steps_.AddRepeated(static_cast<uint32_t>(steps.size()), 1);
  encoded_bytes_ += EncodedSize(name_.size(), steps);
}

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
  AppendFields(out, present_, unset_, present_as_, first_, first_kind_,
               lengths_, steps_, step_lengths_, unset_steps_, encoded_bytes_,
               int64s_, floats_, bytes_, categories_, classes_);
}

bool FeatureCounter::Parse(std::string_view* bytes, uint64_t records,
                           size_t classes) {
  if (!TakeFields(bytes, &present_, &unset_, &present_as_, &first_,
                  &first_kind_, &lengths_, &steps_, &step_lengths_,
                  &unset_steps_, &encoded_bytes_, &int64s_, &floats_, &bytes_,
                  &categories_, &classes_)) {
    return false;
  }
  if (first_kind_) kind_added_ = first_kind_->kind;
  return std::ranges::all_of(
             present_as_,
             [this](uint64_t count) { return count <= present_; }) &&
         classes_.size() <= classes && present_ <= records &&
         unset_ <= records - present_ && first_.has_value() == (present_ > 0) &&
         (!first_kind_ || first_kind_->kind != Kind::kNull);
}

}  // namespace headrace::stats
