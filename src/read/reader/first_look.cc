#include "src/read/reader/first_look.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "headrace/message.h"
#include "src/base/text/near_miss.h"
#include "src/decode/example/keys.h"
#include "src/plan/compile/program.h"

namespace headrace::reader {
namespace {

// Maximum number of keys that are compared with a missing name, and maximum
// bytes of such a key: a longer key resembles no name.
constexpr size_t kMaxOthers = 1000;
constexpr size_t kLongestOther = 1000;

// Returns for each slot whether a row without its feature gets a default.
std::vector<bool> HaveDefaults(const plan::Program& program) {
  std::vector<bool> has_default(program.slots().size());
  for (const plan::Output* const output : program.cells()) {
    if (output->layout == Layout::kFixedLen && output->default_values) {
      has_default[output->slot] = true;
    }
  }
  return has_default;
}

std::vector<uint32_t> AllSlots(const plan::Program& program) {
  std::vector<uint32_t> slots(program.slots().size());
  std::iota(slots.begin(), slots.end(), 0u);
  return slots;
}

// Erases each slot whose feature is in any row of the columns. Returns whether
// it erased one.
bool ForgetFound(const column::ColumnSet& columns,
                 std::vector<uint32_t>* absent) {
  return std::erase_if(*absent, [&](uint32_t slot) {
           return columns.HasFeature(slot);
         }) > 0;
}

void AddAbsent(const plan::Program& program, bool in_sequence, size_t most,
               const std::vector<uint32_t>& slots,
               std::vector<AbsentFeature>* absent) {
  const std::vector<bool> has_default = HaveDefaults(program);
  for (const uint32_t slot : slots) {
    if (absent->size() == most) break;
    const plan::Slot& found = program.slots()[slot];
    absent->push_back({std::string(found.key), in_sequence || found.in_sequence,
                       has_default[slot]});
  }
}

}  // namespace

FirstLook::FirstLook(const Plan& plan)
    : message_(plan.message()),
      is_of_sample_(plan::Program::Of(plan).collect_late()),
      judge_(plan.message()) {
  const plan::Program& program = plan::Program::Of(plan);
  if (message_ == MessageType::kRaw) return;
  const auto want = [this](const plan::Program& wanted, bool in_sequence) {
    const std::vector<bool> has_default = HaveDefaults(wanted);
    for (size_t i = 0; i < wanted.slots().size(); ++i) {
      const plan::Slot& slot = wanted.slots()[i];
      wanted_[in_sequence || slot.in_sequence].emplace(
          slot.key, Wanted{num_wanted_++, has_default[i]});
    }
  };
  want(program, /*in_sequence=*/false);
  if (program.lists() != nullptr) {
    want(*program.lists()->examples, /*in_sequence=*/true);
  }
}

bool FirstLook::FoundAll() const {
  if (message_ == MessageType::kRaw) return true;
  return judge_.has_field() && (num_found_ == num_wanted_ || is_of_sample_);
}

bool FirstLook::WantsMore() const {
  return !FoundAll() && seen_records_ < kRecords && seen_bytes_ < kBytes;
}

void FirstLook::AddFound(const FirstLook& other) {
  if (other.judge_.has_field()) judge_ = other.judge_;
  for (const bool in_sequence : {false, true}) {
    for (const auto& [key, wanted] : other.wanted_[in_sequence]) {
      if (wanted.is_found) NoteKey(key, in_sequence);
    }
  }
}

void FirstLook::Add(std::string_view payload) {
  if (message_ == MessageType::kRaw) return;
  ++seen_records_;
  seen_bytes_ += payload.size();
  const bool has_lists =
      message_ == MessageType::kExample && HasFeatureLists(payload);
  has_lists_ |= has_lists;
  const bool is_message =
      decode::WalkKeys(payload, has_lists ? MessageType::kSequence : message_,
                       [this](std::string_view key, bool in_sequence) {
                         NoteKey(key, in_sequence);
                       });
  // LooksLikeElwc parses the record, so it is called only until a feature is
  // found, usually in the first record.
  is_elwc_ = is_elwc_ || (message_ == MessageType::kExample &&
                          num_found_ == 0 && LooksLikeElwc(payload));
  if (!is_message) return;
  judge_.Look(payload);
  ++num_records_;
}

void FirstLook::NoteKey(std::string_view key, bool in_sequence) {
  const auto wanted = wanted_[in_sequence].find(key);
  if (wanted != wanted_[in_sequence].end()) {
    num_found_ += !std::exchange(wanted->second.is_found, true);
    return;
  }
  Keys& others = others_[in_sequence];
  if (key.size() > kLongestOther || others.size() == kMaxOthers) return;
  if (!others.contains(key)) others.emplace(key);
}

// Finds the key most similar to the missing name. Prefers the same name in the
// other map, then a similar one in the same map.
void FirstLook::FindSimilar(Notice* notice) const {
  const bool in_sequence = notice->in_sequence;
  if (others_[!in_sequence].contains(notice->feature)) {
    notice->similar = notice->feature;
    notice->similar_in_sequence = !in_sequence;
    return;
  }
  for (const bool place : {in_sequence, !in_sequence}) {
    const std::vector<std::string_view> others(others_[place].begin(),
                                               others_[place].end());
    const auto nearest = NearMisses(notice->feature, others, 1);
    if (nearest.empty()) continue;
    notice->similar = nearest[0];
    notice->similar_in_sequence = place;
    return;
  }
}

// Returns a notice for each feature that none of the records has, in plan
// order.
std::vector<Notice> FirstLook::Missing() const {
  std::vector<std::pair<size_t, Notice>> found;
  for (const bool in_sequence : {false, true}) {
    for (const auto& [key, wanted] : wanted_[in_sequence]) {
      if (wanted.is_found) continue;
      Notice notice{.kind = NoticeKind::kMisspelt,
                    .message = message_,
                    .records = num_records_,
                    .feature = key,
                    .in_sequence = in_sequence,
                    .has_default = wanted.has_default};
      FindSimilar(&notice);
      found.emplace_back(wanted.place, std::move(notice));
    }
  }
  std::ranges::sort(found, {}, &std::pair<size_t, Notice>::first);
  std::vector<Notice> missing;
  for (auto& [place, notice] : found) missing.push_back(std::move(notice));
  return missing;
}

std::vector<Notice> FirstLook::Notices(OnAbsent on_absent, size_t most) const {
  if (num_records_ == 0) return {};
  if (judge_.HoldOther()) return {OtherMessageNotice(judge_)};
  if (on_absent == OnAbsent::kIgnore || FoundAll()) return {};
  std::vector<Notice> notices;
  for (Notice& missing : Missing()) {
    if (notices.size() >= most) break;
    if (!missing.similar.empty()) notices.push_back(std::move(missing));
  }
  if ((has_lists_ || is_elwc_) && num_found_ == 0 && notices.empty()) {
    notices.push_back(
        {.kind = NoticeKind::kOtherType,
         .message = message_,
         .likely = is_elwc_ ? MessageType::kElwc : MessageType::kSequence,
         .records = num_records_});
  }
  return notices;
}

Status FirstLook::Judge(OnAbsent on_absent) const {
  if (num_records_ == 0 || num_wanted_ == 0 || on_absent == OnAbsent::kIgnore) {
    return Status();
  }
  if (judge_.HoldOther()) {
    return Status(ErrorCode::kMalformed,
                  NoticeText(OtherMessageNotice(judge_)));
  }
  if (on_absent != OnAbsent::kError || FoundAll()) return Status();
  const std::vector<Notice> missing = Missing();
  auto worst = std::ranges::find_if(
      missing, [](const Notice& notice) { return !notice.similar.empty(); });
  if (worst == missing.end()) worst = missing.begin();
  return Status(ErrorInfo{.code = ErrorCode::kMissingFeature,
                          .message = NoticeText(*worst),
                          .feature = worst->feature});
}

void NoteLists(uint64_t num_lists, ReadReport* report) {
  if (num_lists == report->num_lists_left_out) return;
  report->num_lists_left_out = num_lists;
  for (Notice& notice : report->notices) {
    if (notice.kind != NoticeKind::kListsLeftOut) continue;
    notice.records = num_lists;
    return;
  }
  // If there is a notice that the records look like another message, this
  // notice names the same message.
  const auto other =
      std::ranges::find(report->notices, NoticeKind::kOtherType, &Notice::kind);
  report->notices.push_back(other == report->notices.end()
                                ? ListsLeftOutNotice(num_lists)
                                : ListsLeftOutNotice(num_lists, other->likely));
}

AbsentSlots::AbsentSlots(const Plan& plan)
    : slots_(AllSlots(plan::Program::Of(plan))) {
  if (const auto* const lists = plan::Program::Of(plan).lists()) {
    in_lists_ = AllSlots(*lists->examples);
  }
}

bool AbsentSlots::Note(BatchStorage* storage) {
  if (empty() || storage->columns().num_rows() == 0) return false;
  bool changed = !has_rows_;
  has_rows_ = true;
  changed |= ForgetFound(storage->columns(), &slots_);
  if (storage->lists() != nullptr) {
    changed |= ForgetFound(storage->lists()->columns, &in_lists_);
  }
  return changed;
}

std::vector<AbsentFeature> AbsentSlots::List(const Plan& plan,
                                             size_t most) const {
  std::vector<AbsentFeature> absent;
  if (!has_rows_) return absent;
  const plan::Program& program = plan::Program::Of(plan);
  AddAbsent(program, /*in_sequence=*/false, most, slots_, &absent);
  if (program.lists() != nullptr) {
    AddAbsent(*program.lists()->examples, /*in_sequence=*/true, most, in_lists_,
              &absent);
  }
  return absent;
}

void NoteLate(const infer::LateFeatures& late, size_t most,
              ReadReport* report) {
  if (late.total() != report->num_late) {
    report->num_late = late.total();
    report->late = late.List(most);
  }
  NoteLists(late.num_lists(), report);
}

}  // namespace headrace::reader

namespace headrace {

Notice AbsentNotice(const AbsentFeature& absent, MessageType message) {
  return {.kind = NoticeKind::kAbsent,
          .message = message,
          .feature = absent.name,
          .in_sequence = absent.in_sequence,
          .has_default = absent.has_default};
}

std::vector<Notice> AbsentNotices(const ReadReport& report,
                                  MessageType message) {
  std::vector<Notice> notices;
  for (const AbsentFeature& absent : report.absent) {
    const bool is_said =
        std::ranges::any_of(report.notices, [&](const Notice& notice) {
          return notice.feature == absent.name &&
                 notice.in_sequence == absent.in_sequence;
        });
    if (!is_said) notices.push_back(AbsentNotice(absent, message));
  }
  return notices;
}

}  // namespace headrace
