#include "src/cli/projection.h"

namespace headrace::cli {

Projection::Projection(const std::vector<std::string>& names) {
  for (const std::string& name : names) seen_.emplace(name, false);
}

void Projection::Apply(Message* message) {
  if (is_everything()) return;
  const auto drop = [this](const auto& entry) {
    const auto it = seen_.find(entry.first);
    if (it == seen_.end()) return true;
    it->second = true;
    return false;
  };
  std::erase_if(message->features, drop);
  std::erase_if(message->feature_lists, drop);
}

std::vector<std::string> Projection::Unseen() const {
  std::vector<std::string> names;
  for (const auto& [name, seen] : seen_) {
    if (!seen) names.push_back(name);
  }
  return names;
}

}  // namespace headrace::cli
