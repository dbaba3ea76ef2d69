// Choose finds the leaves that patterns name, and makes a spec that reads them.

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/tfds.h"
#include "src/base/out_of_memory.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/tfds/folder/leaves.h"

namespace headrace::tfds {
namespace {

// * matches any characters but "/", and ? matches one of them.
bool MatchesPattern(std::string_view pattern, std::string_view path) {
  size_t p = 0;
  size_t at = 0;
  size_t star = std::string_view::npos;  // the last * of the pattern so far
  size_t star_end = 0;                   // where its match in the path ends
  while (at < path.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = at;
    } else if (p < pattern.size() && (pattern[p] == path[at] ||
                                      (pattern[p] == '?' && path[at] != '/'))) {
      ++p;
      ++at;
    } else if (star != std::string_view::npos && path[star_end] != '/') {
      p = star + 1;
      at = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// The names that lead to a node, and its path, which joins them.
struct NamedPath {
  const std::vector<std::string>& names;
  std::string_view path;
};

NamedPath PathOf(const Leaf& leaf) { return {leaf.names, leaf.path()}; }

// Returns the path of the first `depth` names.
std::string_view Ancestor(const NamedPath& node, size_t depth) {
  size_t size = depth - 1;
  for (size_t i = 0; i < depth; ++i) size += node.names[i].size();
  return node.path.substr(0, size);
}

bool IsChosenBy(std::string_view pattern, const NamedPath& node) {
  for (size_t depth = 1; depth <= node.names.size(); ++depth) {
    const std::string_view path = Ancestor(node, depth);
    if (pattern == path || MatchesPattern(pattern, path)) return true;
  }
  return false;
}

// Finds the dicts without features that the patterns choose; all of them if
// there are no patterns.
void FindEmptyDicts(const Node& node, std::span<const std::string> patterns,
                    std::vector<std::string>* names, Columns* columns) {
  const bool is_dict = node.kind == NodeKind::kDict;
  const auto is_chosen = [&](const std::string& pattern) {
    return IsChosenBy(pattern, {*names, node.path});
  };
  if (is_dict && node.children.empty() && !names->empty() &&
      (patterns.empty() || std::ranges::any_of(patterns, is_chosen))) {
    columns->empty_dicts.push_back(*names);
  }
  for (const Node& child : node.children) {
    if (is_dict) names->push_back(child.name);
    FindEmptyDicts(child, patterns, names, columns);
    if (is_dict) names->pop_back();
  }
}

std::vector<Leaf> LeavesOf(const Info& info) {
  std::vector<Leaf> leaves;
  VisitLeaves(info.features, [&](const Node& node, const LeafPlace& place) {
    const bool is_file = node.is_file;
    leaves.push_back({.names = place.names,
                      .node = node,
                      .lengths = place.lengths,
                      .shape = is_file ? std::vector<int64_t>() : node.shape,
                      .dtype = is_file ? "string" : node.dtype,
                      .dataset = place.dataset});
  });
  return leaves;
}

Status NoSuchFeature(const std::string& pattern,
                     const std::vector<Leaf>& leaves) {
  std::set<std::string_view> paths;
  for (const Leaf& leaf : leaves) {
    for (size_t depth = 1; depth <= leaf.names.size(); ++depth) {
      paths.insert(Ancestor(PathOf(leaf), depth));
    }
  }
  const std::vector<std::string_view> names(paths.begin(), paths.end());
  constexpr size_t kFew = 20;
  return Status(ErrorInfo{
      .code = ErrorCode::kInvalidArgument,
      .message = "no feature has the path " + Quote(pattern) +
                 (names.size() <= kFew ? Suggestion(pattern, "the paths", names)
                                       : DidYouMean(pattern, names)),
      .feature = pattern});
}

Result<std::vector<Leaf>> ChosenLeaves(const Info& info,
                                       std::span<const std::string> patterns) {
  std::vector<Leaf> leaves = LeavesOf(info);
  if (patterns.empty()) return leaves;
  std::vector<bool> is_chosen(leaves.size());
  for (const std::string& pattern : patterns) {
    bool matches = false;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!IsChosenBy(pattern, PathOf(leaves[i]))) continue;
      is_chosen[i] = true;
      matches = true;
    }
    if (!matches) return NoSuchFeature(pattern, leaves);
  }
  std::vector<Leaf> chosen;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (is_chosen[i]) chosen.push_back(std::move(leaves[i]));
  }
  return chosen;
}

Status BadLeaf(const Info& info, const Leaf& leaf, const std::string& what) {
  return Status(
      ErrorInfo{.code = ErrorCode::kBadSpec,
                .message = what + "; the other features can be read without it",
                .file = info.folder.empty() ? "features.json"
                                            : info.folder + "/features.json",
                .feature = leaf.path()});
}

// Finds leaves that have the same path, or a key in common (E3, E6). There may
// be some because names may contain "/".
class KeyOwners {
 public:
  // Returns the path of an earlier leaf that has the same path or one of the
  // keys; null if there is none.
  const std::string* Claim(const NamedFeature& feature) {
    const auto [name, is_new_name] = names_.insert(feature.name);
    if (!is_new_name) return &*name;
    for (const std::string& key : feature.keys()) {
      const auto [owner, is_new] = owners_.emplace(key, feature.name);
      if (!is_new) return &owner->second;
    }
    return nullptr;
  }

 private:
  std::set<std::string> names_;
  std::map<std::string, std::string> owners_;
};

}  // namespace

Result<Columns> Choose(const Info& info,
                       std::span<const std::string> patterns) {
  return CatchOutOfMemory([&]() -> Result<Columns> {
    Result<std::vector<Leaf>> leaves = ChosenLeaves(info, patterns);
    if (!leaves) return leaves.status();
    Columns columns;
    KeyOwners owners;
    for (const Leaf& leaf : *leaves) {
      std::string problem = leaf.node.problem;
      NamedFeature feature = {.name = leaf.path()};
      if (problem.empty()) problem = FeatureOf(leaf, &feature.config);
      if (!problem.empty()) return BadLeaf(info, leaf, problem);
      if (const std::string* const other = owners.Claim(feature)) {
        return BadLeaf(
            info, leaf,
            "records keep it under the same key as " + Quote(*other) + " (E4)");
      }
      columns.spec.Add(std::move(feature.name), std::move(feature.config));
    }
    columns.leaves = *std::move(leaves);
    std::vector<std::string> names;
    FindEmptyDicts(info.features, patterns, &names, &columns);
    return columns;
  });
}

}  // namespace headrace::tfds
