// Says in words which kinds and late features of one record are wrong. This
// path is cold: DecodeBlock reports codes only.

#include <algorithm>
#include <cassert>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "headrace/message.h"
#include "src/base/text/quote.h"
#include "src/decode/example/decode_block.h"
#include "src/plan/compile/group_check.h"

namespace headrace::decode {
namespace {

bool IsWrong(const plan::Slot& slot, const Feature& feature) {
  return feature.kind != Kind::kNull && feature.kind != slot.kind;
}

std::string StepPlace(const std::string& key, size_t step) {
  return "feature list " + Quote(key) + ", step " + std::to_string(step);
}

// Names the member of a group that reads the slot first, if one does.
void NameMember(const plan::Program& program, const plan::Slot& slot,
                ErrorInfo* info) {
  const auto number = static_cast<uint32_t>(&slot - program.slots().data());
  for (const plan::Output* const output : program.cells()) {
    const bool is_of_weights = output->member.weight_slot == number;
    if (output->slot != number && !is_of_weights) continue;
    if (!output->is_member()) return;
    info->feature = program.FeatureOf(*output).name;
    info->message =
        plan::GroupText(program.tensors()[output->field].feature) +
        (info->feature == slot.key
             ? ""
             : ", " + std::string(is_of_weights ? "weights of " : "") +
                   "feature " + Quote(info->feature)) +
        ", " + info->message;
    return;
  }
}

ErrorInfo WrongKind(const std::string& place, const plan::Slot& slot,
                    const Feature& found) {
  ErrorInfo info{.code = ErrorCode::kWrongKind,
                 .feature = slot.key,
                 .expected = std::string(KindName(slot.kind)),
                 .found = std::string(KindName(found.kind))};
  info.message =
      place + ": expected " + info.expected + ", found " + info.found;
  return info;
}

// Finds the first step whose kind differs from that of earlier steps. Feature
// lists of the plan do not need this check: ExplainKinds compares them with
// their slots.
ErrorInfo ExplainMixedSteps(const plan::Program& program,
                            const Message& message) {
  if (!program.collect_late()) return {};
  for (const auto& [key, steps] : message.feature_lists) {
    plan::Slot list{.key = key, .kind = Kind::kNull};
    for (size_t step = 0; step < steps.size(); ++step) {
      if (list.kind == Kind::kNull) list.kind = steps[step].kind;
      if (!IsWrong(list, steps[step])) continue;
      return WrongKind(StepPlace(key, step), list, steps[step]);
    }
  }
  return {};
}

// Describes a feature that the sample, from which the columns were found, did
// not show. `slot` is a column without a kind, or null.
ErrorInfo LateFeature(const std::string& place, const std::string& name,
                      const plan::Slot* slot, Kind found) {
  ErrorInfo info{.code = ErrorCode::kWrongKind,
                 .feature = name,
                 .expected = slot ? "null" : "no such feature",
                 .found = std::string(KindName(found))};
  info.message = place + " is not in the sample that the columns were found " +
                 "from: expected " + info.expected + ", found " + info.found +
                 "; a larger sample shows it";
  return info;
}

}  // namespace

ErrorInfo ExplainLate(const plan::Program& program, const Message& message) {
  std::map<std::pair<bool, std::string_view>, const plan::Slot*> slots;
  for (const plan::Slot& slot : program.slots()) {
    slots[{slot.in_sequence, slot.key}] = &slot;
  }
  const auto is_late = [&](bool in_sequence, const std::string& key, Kind kind,
                           const plan::Slot** slot) {
    const auto it = slots.find({in_sequence, key});
    *slot = it == slots.end() ? nullptr : it->second;
    if (*slot == nullptr && !program.late_is_in_columns()) {
      return program.collect_late();
    }
    const bool has_column = *slot != nullptr && (*slot)->kind != Kind::kNull;
    return !has_column && kind != Kind::kNull;
  };
  const plan::Slot* slot = nullptr;
  for (const auto& [key, feature] : message.features) {
    if (!is_late(false, key, feature.kind, &slot)) continue;
    return LateFeature("feature " + Quote(key), key, slot, feature.kind);
  }
  for (const auto& [key, steps] : message.feature_lists) {
    const auto typed = std::find_if(
        steps.begin(), steps.end(),
        [](const Feature& step) { return step.kind != Kind::kNull; });
    const Kind kind = typed == steps.end() ? Kind::kNull : typed->kind;
    if (!is_late(true, key, kind, &slot)) continue;
    return LateFeature("feature list " + Quote(key), key, slot, kind);
  }
  return {};
}

ErrorInfo ExplainKinds(const plan::Program& program, const Message& message) {
  const auto wrong_kind = [&](const std::string& place, const plan::Slot& slot,
                              const Feature& found) {
    ErrorInfo info = WrongKind(place, slot, found);
    NameMember(program, slot, &info);
    return info;
  };
  for (const plan::Slot& slot : program.slots()) {
    if (slot.kind == Kind::kNull) continue;
    if (!slot.in_sequence) {
      const auto it = message.features.find(slot.key);
      if (it == message.features.end() || !IsWrong(slot, it->second)) continue;
      return wrong_kind("feature " + Quote(slot.key), slot, it->second);
    }
    const auto it = message.feature_lists.find(slot.key);
    if (it == message.feature_lists.end()) continue;
    for (size_t step = 0; step < it->second.size(); ++step) {
      if (!IsWrong(slot, it->second[step])) continue;
      return wrong_kind(StepPlace(slot.key, step), slot, it->second[step]);
    }
  }
  return ExplainMixedSteps(program, message);
}

ErrorInfo ExplainNoRoom(ErrorCode code) {
  assert(code == ErrorCode::kLimit || code == ErrorCode::kOutOfMemory);
  return {.code = code,
          .message = code == ErrorCode::kLimit
                         ? "the row does not fit the memory of one batch "
                           "(Limits::max_batch_bytes)"
                         : "out of memory"};
}

}  // namespace headrace::decode
