#include "src/read/reader/absent_slots.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "src/plan/infer/message_judge.h"

namespace headrace::reader {
namespace {

std::vector<uint32_t> AllSlots(const plan::Program& program) {
  std::vector<uint32_t> slots(program.slots().size());
  std::iota(slots.begin(), slots.end(), 0u);
  return slots;
}

// Erases the slots whose features some row of the columns has. Returns whether
// there were any.
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

std::vector<bool> HaveDefaults(const plan::Program& program) {
  std::vector<bool> has_default(program.slots().size());
  for (const plan::Output& output : program.outputs()) {
    if (output.layout == Layout::kFixedLen && output.default_values) {
      has_default[output.slot] = true;
    }
  }
  return has_default;
}

void NoteLists(uint64_t num_lists, ReadReport* report) {
  if (num_lists == report->num_lists_left_out) return;
  report->num_lists_left_out = num_lists;
  for (Notice& notice : report->notices) {
    if (notice.kind != NoticeKind::kListsLeftOut) continue;
    notice.records = num_lists;
    return;
  }
  // A notice about the first records may name the message to read them as.
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
