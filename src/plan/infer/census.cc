#include "src/plan/infer/census.h"

#include <algorithm>
#include <string>
#include <utility>

#include "headrace/message.h"
#include "src/base/out_of_memory.h"
#include "src/base/text/quote.h"
#include "src/plan/infer/example_text.h"
#include "src/plan/infer/tensor_head.h"

namespace headrace {
namespace {

// The number of conflicts that are kept; further ones are only counted.
constexpr size_t kConflictsKept = 1000;

// Counts a feature. Returns whether it is the first of its key that has a kind.
bool Count(const Feature& feature, uint64_t record, FeatureCount* count) {
  ++count->present;
  if (feature.kind == Kind::kNull) {
    ++count->unset;
    return false;
  }
  const bool is_first = count->kind == Kind::kNull;
  if (is_first) {
    count->kind = feature.kind;
    count->first_typed_record = record;
  }
  const uint64_t length = feature.size();
  if (length == 0) ++count->empty;
  count->values += length;
  count->min_length = std::min(count->min_length, length);
  count->max_length = std::max(count->max_length, length);
  if (count->example.empty() && length > 0) {
    count->example = infer::ExampleText(feature);
    if (feature.kind == Kind::kBytes) {
      const std::string& value = feature.bytes.front();
      count->tensor = infer::TensorHeadText(value, value.size());
    }
  }
  return is_first;
}

using Counts = std::map<std::string, FeatureCount>;

// Returns the first step whose kind contradicts the kind known for `key`, or
// that of an earlier step of the record; null if none does.
const Feature* FindConflict(const Counts& counts, const std::string& key,
                            const Feature* steps, size_t num_steps, Kind* known,
                            uint64_t* known_record, uint64_t record) {
  const auto it = counts.find(key);
  *known = it == counts.end() ? Kind::kNull : it->second.kind;
  *known_record = it == counts.end() ? record : it->second.first_typed_record;
  for (size_t i = 0; i < num_steps; ++i) {
    if (steps[i].kind == Kind::kNull) continue;
    if (*known == Kind::kNull) {
      *known = steps[i].kind;
      *known_record = record;
    }
    if (steps[i].kind != *known) return &steps[i];
  }
  return nullptr;
}

using Steps = std::map<std::string, std::vector<Feature>>;

// A feature of the Examples of a list is counted like a feature list: its steps
// are the Examples that have it.
Steps StepsOf(const std::vector<Message>& examples) {
  Steps steps;
  for (const Message& example : examples) {
    for (const auto& [key, feature] : example.features) {
      steps[key].push_back(feature);
    }
  }
  return steps;
}

}  // namespace

FeatureCensus::FeatureCensus(MessageType message)
    : judge_(message),
      message_(message == MessageType::kAuto ? MessageType::kExample
                                             : message) {
  if (message != MessageType::kAuto) return;
  as_others_.emplace_back(MessageType::kSequence);
  as_others_.emplace_back(MessageType::kElwc);
}

// Counts the record as every type that the records may still have, until the
// judge knows their type.
Status FeatureCensus::AddUndecided(std::string_view payload, uint64_t record) {
  const MessageType found = judge_.message();
  if (found != MessageType::kExample) {
    const MessageJudge judge = judge_;
    FeatureCensus decided = std::move(*std::find_if(
        as_others_.begin(), as_others_.end(),
        [&](const FeatureCensus& other) { return other.message_ == found; }));
    *this = std::move(decided);
    judge_ = judge;
    return AddRecord(payload, record);
  }
  if (!judge_.MayChange()) {
    as_others_.clear();
  } else if (!judge_.may_be_lists()) {
    as_others_.erase(as_others_.begin() + 1, as_others_.end());
  }
  for (FeatureCensus& other : as_others_) {
    const Status added = other.AddRecord(payload, record);
    if (added.code() == ErrorCode::kOutOfMemory) return added;
  }
  return AddRecord(payload, record);
}

Status FeatureCensus::Add(std::string_view payload, uint64_t record) {
  if (!status_.ok()) return status_;
  Status added = CatchOutOfMemory([&] {
    judge_.Look(payload);
    return as_others_.empty() ? AddRecord(payload, record)
                              : AddUndecided(payload, record);
  });
  if (added.code() == ErrorCode::kOutOfMemory) status_ = added;
  return added;
}

std::vector<Notice> FeatureCensus::notices() const {
  std::vector<Notice> notices;
  if (judge_.HoldOther()) notices.push_back(OtherMessageNotice(judge_));
  if (num_lists_left_out_ > 0) {
    notices.push_back(ListsLeftOutNotice(num_lists_left_out_));
  }
  return notices;
}

Status FeatureCensus::AddRecord(std::string_view payload, uint64_t record) {
  Result<Message> parsed = ParseMessage(payload, message_);
  if (!parsed.ok()) {
    ErrorInfo info = *parsed.status().info();
    info.record = record;
    return Status(std::move(info));
  }
  const Message& message = *parsed;

  KindConflict conflict{.second_record = record};
  const Feature* found = nullptr;
  auto check = [&](const Counts& counts, const std::string& key,
                   const Feature* steps, size_t num_steps) {
    if (found) return;
    found = FindConflict(counts, key, steps, num_steps, &conflict.first,
                         &conflict.first_record, record);
    if (found) conflict.feature = key;
  };
  for (const auto& [key, feature] : message.features) {
    check(features_, key, &feature, 1);
  }
  for (const auto& [key, steps] : message.feature_lists) {
    check(feature_lists_, key, steps.data(), steps.size());
  }
  const Steps of_examples = StepsOf(message.examples);
  for (const auto& [key, steps] : of_examples) {
    check(feature_lists_, key, steps.data(), steps.size());
  }
  if (found) {
    conflict.second = found->kind;
    ErrorInfo info{.code = ErrorCode::kWrongKind,
                   .record = record,
                   .feature = conflict.feature,
                   .expected = std::string(KindName(conflict.first)),
                   .found = std::string(KindName(conflict.second))};
    info.message = "feature " + Quote(conflict.feature) + ": expected " +
                   info.expected + ", found " + info.found;
    ++num_conflicts_;
    const bool known = std::any_of(conflicts_.begin(), conflicts_.end(),
                                   [&](const KindConflict& other) {
                                     return other.feature == conflict.feature;
                                   });
    if (!known && conflicts_.size() < kConflictsKept) {
      conflicts_.push_back(conflict);
    }
    return Status(std::move(info));
  }

  ++num_records_;
  if (message_ == MessageType::kExample) {
    num_lists_left_out_ += HasFeatureLists(payload);
  }
  num_examples_ += message.examples.size();
  has_feature_lists_ |=
      message.has_feature_lists || message.type == MessageType::kElwc;
  for (const auto& [key, feature] : message.features) {
    num_kinds_ += Count(feature, record, &features_[key]);
  }
  for (const auto* lists : {&message.feature_lists, &of_examples}) {
    for (const auto& [key, steps] : *lists) {
      FeatureCount& count = feature_lists_[key];
      ++count.lists;
      count.min_steps = std::min<uint64_t>(count.min_steps, steps.size());
      count.max_steps = std::max<uint64_t>(count.max_steps, steps.size());
      for (const Feature& step : steps) {
        num_kinds_ += Count(step, record, &count);
      }
    }
  }
  return Status();
}

std::vector<ColumnField> FeatureCensus::columns() const {
  std::vector<ColumnField> columns;
  columns.reserve(features_.size() + feature_lists_.size());
  for (const auto& [key, count] : features_) {
    columns.push_back({key, count.kind});
  }
  for (const auto& [key, count] : feature_lists_) {
    columns.push_back({key, count.kind, /*in_sequence=*/true});
  }
  return columns;
}

}  // namespace headrace
