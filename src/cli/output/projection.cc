#include "src/cli/output/projection.h"

#include "src/base/text/near_miss.h"

namespace headrace::cli {
namespace {

// The maximum number of names that a wrong name is compared with.
constexpr size_t kMaxNames = 1000;

}  // namespace

Projection::Projection(const std::vector<std::string>& names) {
  for (const std::string& name : names) seen_.emplace(name, false);
}

bool Projection::Keeps(std::string_view name) {
  if (is_everything()) return true;
  const auto it = seen_.find(std::string(name));
  if (it == seen_.end()) {
    if (dropped_.size() < kMaxNames) dropped_.emplace(name);
    return false;
  }
  it->second = true;
  return true;
}

void Projection::Apply(Message* message) {
  if (is_everything()) return;
  const auto drop = [this](const auto& entry) { return !Keeps(entry.first); };
  std::erase_if(message->features, drop);
  std::erase_if(message->feature_lists, drop);
  for (Message& example : message->examples) {
    std::erase_if(example.features, drop);
  }
}

Status Projection::CheckSeen(std::string_view what) const {
  for (const auto& [name, seen] : seen_) {
    if (seen) continue;
    const std::vector<std::string> others(dropped_.begin(), dropped_.end());
    return Status(ErrorCode::kInvalidArgument,
                  "no " + std::string(what) + " has a feature \"" + name +
                      "\"" + DidYouMean(name, others));
  }
  return Status();
}

}  // namespace headrace::cli
