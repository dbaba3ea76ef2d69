#include "headrace/feature_kinds.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/plan/compile/program.h"

namespace headrace {
namespace {

std::string PlaceOf(std::string_view key, bool in_sequence) {
  return (in_sequence ? "feature list " : "feature ") + Quote(key);
}

// `since` says where the expected kind was seen.
Status WrongKind(std::string_view key, bool in_sequence, Kind expected,
                 std::string_view since, Kind found) {
  ErrorInfo info{.code = ErrorCode::kWrongKind,
                 .feature = std::string(key),
                 .expected = std::string(KindName(expected)),
                 .found = std::string(KindName(found))};
  info.message = PlaceOf(key, in_sequence) + ": expected " + info.expected +
                 std::string(since) + ", found " + info.found;
  return Status(std::move(info));
}

}  // namespace

FeatureKinds::FeatureKinds(const Plan& plan) : learns_(false) {
  const plan::Program& program = plan::Program::Of(plan);
  const auto add = [this](const plan::Program& part, bool in_sequence) {
    for (const plan::Slot& slot : part.slots()) {
      Kinds& kinds = in_sequence || slot.in_sequence ? in_sequence_ : features_;
      kinds.emplace(slot.key, slot.kind);
    }
  };
  add(program, false);
  if (const plan::ListParts* lists = program.lists()) {
    add(*lists->examples, true);
  }
}

std::optional<Kind> FeatureKinds::KindOf(std::string_view key,
                                         bool in_sequence) const {
  const Kinds& kinds = in_sequence ? in_sequence_ : features_;
  const auto found = kinds.find(key);
  if (found == kinds.end() || found->second == Kind::kNull) return std::nullopt;
  return found->second;
}

Status FeatureKinds::Unknown(std::string_view key, bool in_sequence) const {
  std::vector<std::string_view> names;
  for (const auto& entry : in_sequence ? in_sequence_ : features_) {
    names.push_back(entry.first);
  }
  const auto near = NearMisses(key, names, 1);
  std::string text = PlaceOf(key, in_sequence) + " is not in the spec";
  if (!near.empty()) text += "; did you mean " + Quote(near.front()) + "?";
  return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                          .message = std::move(text),
                          .feature = std::string(key)});
}

Status FeatureKinds::Add(std::string_view key, bool in_sequence, Kind kind,
                         Learned* learned) {
  Kinds& kinds = in_sequence ? in_sequence_ : features_;
  auto found = kinds.find(key);
  if (found == kinds.end() && !learns_) return Unknown(key, in_sequence);
  if (kind == Kind::kNull) return Status();
  if (found == kinds.end()) found = kinds.emplace(key, Kind::kNull).first;
  if (found->second == Kind::kNull) {
    learned->push_back(found);
    found->second = kind;
  }
  if (kind == found->second) return Status();
  // Steps of a list, or Examples of a list, may contradict one another.
  const bool is_of_this = std::ranges::find(*learned, found) != learned->end();
  return WrongKind(key, in_sequence, found->second,
                   is_of_this ? ", as before in this record"
                   : learns_  ? ", as in an earlier record"
                              : "",
                   kind);
}

Status FeatureKinds::Add(const Message& message, Learned* learned) {
  for (const auto& [key, feature] : message.features) {
    Status status = Add(key, false, feature.kind, learned);
    if (!status.ok()) return status;
  }
  for (const auto& [key, steps] : message.feature_lists) {
    Status status = Add(key, true, Kind::kNull, learned);
    for (size_t i = 0; i < steps.size() && status.ok(); ++i) {
      status = Add(key, true, steps[i].kind, learned);
    }
    if (!status.ok()) return status;
  }
  for (const Message& example : message.examples) {
    for (const auto& [key, feature] : example.features) {
      Status status = Add(key, true, feature.kind, learned);
      if (!status.ok()) return status;
    }
  }
  return Status();
}

Status FeatureKinds::Add(std::string_view key, bool in_sequence, Kind kind) {
  Learned learned;
  return Add(key, in_sequence, kind, &learned);
}

Status FeatureKinds::Add(const Message& message) {
  Learned learned;
  Status status = Add(message, &learned);
  // A key that is still without a kind may get any.
  if (!status.ok()) {
    for (const auto place : learned) place->second = Kind::kNull;
  }
  return status;
}

}  // namespace headrace
