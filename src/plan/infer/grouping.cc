#include "src/plan/infer/grouping.h"

#include <fnmatch.h>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "headrace/plan.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"
#include "src/plan/infer/infer.h"

namespace headrace::infer {
namespace {

constexpr uint64_t kFewestBuckets = 1024;
constexpr uint64_t kUnknownBuckets = uint64_t{1} << 20;
// Ids below it fit an int32.
constexpr uint64_t kInt32Buckets = uint64_t{1} << 31;

Status Refused(std::string message, std::string feature = {}) {
  return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                          .message = std::move(message),
                          .feature = std::move(feature)});
}

struct GroupRequest {
  Layout layout = Layout::kMatrix;
  std::string name = {};  // empty: one is chosen
  std::string glob = {};
};

Result<GroupRequest> ParseRequest(Layout layout, std::string_view text) {
  GroupRequest request{.layout = layout};
  const size_t sign = text.find('=');
  const bool is_named = sign != std::string_view::npos;
  if (is_named) request.name = text.substr(0, sign);
  request.glob = is_named ? text.substr(sign + 1) : text;
  if (request.glob.empty() || (is_named && request.name.empty())) {
    return Refused(Quote(std::string(text)) +
                   " is neither a GLOB of features nor NAME=GLOB");
  }
  return request;
}

// A feature that a glob has matched.
struct Match {
  std::string_view name;
  const FeatureCount* count = nullptr;
  bool in_sequence = false;
};

struct Group {
  Layout layout = Layout::kMatrix;
  std::string name = {};
  std::vector<Match> matches = {};
};

std::string Called(const Group& group) {
  return std::string(LayoutName(group.layout)) + " " + Quote(group.name);
}

Status CannotJoin(const Match& match, const Group& group,
                  const std::string& why) {
  const std::string name(match.name);
  return Refused(
      "feature " + Quote(name) + " cannot join " + Called(group) + ": " + why,
      name);
}

// Finds the members of all groups.
class Matcher {
 public:
  explicit Matcher(const FeatureCensus& census) : census_(census) {}

  Status Add(Layout layout, std::string_view text);
  std::vector<Group>& groups() { return groups_; }
  bool has(std::string_view name, bool in_sequence) const {
    return owners_.contains({name, in_sequence});
  }

 private:
  using Counts = std::map<std::string, FeatureCount>;

  size_t GroupOf(const GroupRequest& request);
  bool IsTaken(const std::string& name) const;
  Status AddMatches(const Counts& counts, bool in_sequence,
                    const GroupRequest& request, size_t group, size_t* found);
  Status NothingFound(const GroupRequest& request) const;

  const FeatureCensus& census_;
  std::vector<Group> groups_;
  std::map<std::pair<std::string_view, bool>, size_t> owners_;
};

bool Matcher::IsTaken(const std::string& name) const {
  return census_.features().contains(name) ||
         census_.feature_lists().contains(name) ||
         std::ranges::find(groups_, name, &Group::name) != groups_.end();
}

// Returns the index of the request's group, perhaps a new one.
size_t Matcher::GroupOf(const GroupRequest& request) {
  const auto known = std::ranges::find_if(groups_, [&](const Group& group) {
    return group.layout == request.layout && group.name == request.name;
  });
  if (!request.name.empty() && known != groups_.end()) {
    return static_cast<size_t>(known - groups_.begin());
  }
  std::string name = request.name;
  const std::string usual = request.layout == Layout::kMatrix ? "dense" : "ids";
  for (size_t i = 1; name.empty(); ++i) {
    const std::string next = i == 1 ? usual : usual + std::to_string(i);
    if (!IsTaken(next)) name = next;
  }
  groups_.push_back({.layout = request.layout, .name = std::move(name)});
  return groups_.size() - 1;
}

Status Matcher::AddMatches(const Counts& counts, bool in_sequence,
                           const GroupRequest& request, size_t group,
                           size_t* found) {
  for (const auto& [name, count] : counts) {
    if (count.kind == Kind::kNull || name.find('\0') != std::string::npos ||
        fnmatch(request.glob.c_str(), name.c_str(), 0) != 0) {
      continue;
    }
    ++*found;
    const Match match{name, &count, in_sequence};
    const auto [owner, is_new] = owners_.insert({{name, in_sequence}, group});
    if (is_new) {
      groups_[group].matches.push_back(match);
    } else if (owner->second != group) {
      return CannotJoin(match, groups_[group],
                        "it is in " + Called(groups_[owner->second]) +
                            ", and can be in one group");
    }
  }
  return Status();
}

Status Matcher::NothingFound(const GroupRequest& request) const {
  std::vector<std::string_view> names;
  for (const auto& [name, count] : census_.features()) names.push_back(name);
  return Refused("no feature that has values matches " + Quote(request.glob) +
                 " for a " + std::string(LayoutName(request.layout)) +
                 " group" + DidYouMean(request.glob, names));
}

Status Matcher::Add(Layout layout, std::string_view text) {
  HEADRACE_ASSIGN_OR_RETURN(const GroupRequest request,
                            ParseRequest(layout, text));
  const size_t group = GroupOf(request);
  size_t found = 0;
  HEADRACE_RETURN_IF_ERROR(
      AddMatches(census_.features(), false, request, group, &found));
  HEADRACE_RETURN_IF_ERROR(
      AddMatches(census_.feature_lists(), true, request, group, &found));
  return found > 0 ? Status() : NothingFound(request);
}

Result<FeatureConfig> MatrixMember(const Match& match, const Group& group,
                                   uint64_t num_records) {
  const FeatureCount& count = *match.count;
  if (match.in_sequence) {
    return CannotJoin(match, group, "a matrix takes no feature lists");
  }
  if (count.kind == Kind::kBytes) {
    return CannotJoin(match, group,
                      "it holds bytes, and a matrix takes numbers; a jagged "
                      "group can hash bytes to ids");
  }
  if (count.unset > 0) {
    return CannotJoin(match, group,
                      "it has no kind in " + Counted(count.unset, "record"));
  }
  if (count.min_length != count.max_length || count.max_length == 0) {
    return CannotJoin(
        match, group,
        "it has " + Grouped(count.min_length) + " to " +
            Counted(count.max_length, "value") +
            ", and a matrix takes the same number from each record; a member "
            "that is var_len with \"pad_to\" can be added by hand");
  }
  std::vector<int64_t> shape;
  if (count.max_length > 1) {
    shape = {static_cast<int64_t>(count.max_length)};
  }
  FeatureConfig config = FixedLen(static_cast<DType>(count.kind), shape);
  if (count.present == num_records) return config;
  // This fits memory: a record had this many values.
  const auto size = static_cast<size_t>(count.max_length);
  if (count.kind == Kind::kFloat) {
    return config.Default(std::vector<float>(size));
  }
  return config.Default(std::vector<int64_t>(size));
}

int64_t BucketsFor(std::optional<uint64_t> num_distinct) {
  constexpr uint64_t kMost = uint64_t{1} << 61;
  const uint64_t buckets =
      num_distinct ? std::bit_ceil(2 * std::min(*num_distinct, kMost))
                   : kUnknownBuckets;
  return static_cast<int64_t>(std::max(buckets, kFewestBuckets));
}

Result<FeatureConfig> JaggedMember(const Match& match, const Group& group,
                                   bool is_float,
                                   const NumDistinct& num_distinct) {
  const Kind kind = match.count->kind;
  if (kind == Kind::kFloat && !is_float) {
    return CannotJoin(match, group,
                      "it holds floats, and the group has ids; a member with "
                      "\"bucketize\" can be added by hand");
  }
  FeatureConfig config = Ragged(static_cast<DType>(kind));
  if (match.in_sequence) config.Sequence();
  if (kind == Kind::kBytes) {
    std::optional<uint64_t> distinct;
    if (num_distinct) distinct = num_distinct(match.name, match.in_sequence);
    config.Map(HashBucket{BucketsFor(distinct)});
  }
  return config;
}

DType TypeOfMatrix(const Group& group) {
  const bool is_whole = std::ranges::all_of(group.matches, [](const Match& m) {
    return m.count->kind == Kind::kInt64;
  });
  return is_whole ? DType::kInt64 : DType::kFloat;
}

DType TypeOfJagged(const std::vector<NamedFeature>& members) {
  if (members[0].config.dtype == DType::kFloat) return DType::kFloat;
  const bool is_narrow = std::ranges::all_of(members, [](const auto& member) {
    const auto& map = member.config.map;
    return !map.empty() &&
           static_cast<uint64_t>(std::get<HashBucket>(map[0]).buckets) <=
               kInt32Buckets;
  });
  return is_narrow ? DType::kInt32 : DType::kInt64;
}

Status AddGroup(const Group& group, const FeatureCensus& census,
                const NumDistinct& num_distinct, FeatureSpec* spec) {
  const bool is_matrix = group.layout == Layout::kMatrix;
  const bool is_float = std::ranges::all_of(group.matches, [](const Match& m) {
    return m.count->kind == Kind::kFloat;
  });
  std::vector<NamedFeature> members;
  for (const Match& match : group.matches) {
    if (match.in_sequence && census.message() == MessageType::kElwc) {
      return CannotJoin(match, group,
                        "it is of the Examples of a list, and a group takes "
                        "features of the context");
    }
    HEADRACE_ASSIGN_OR_RETURN(
        FeatureConfig config,
        is_matrix ? MatrixMember(match, group, census.num_records())
                  : JaggedMember(match, group, is_float, num_distinct));
    members.push_back({std::string(match.name), std::move(config)});
  }
  if (is_matrix) {
    spec->AddMatrix(group.name, TypeOfMatrix(group), std::move(members));
  } else {
    const DType as = TypeOfJagged(members);
    spec->AddJagged(group.name, as, std::move(members));
  }
  return Status();
}

}  // namespace

Result<FeatureSpec> InferSpec(const FeatureCensus& census,
                              const GroupGlobs& globs,
                              const NumDistinct& num_distinct) {
  if (globs.empty()) return InferSpec(census);
  Matcher matcher(census);
  for (const std::string& text : globs.matrices) {
    HEADRACE_RETURN_IF_ERROR(matcher.Add(Layout::kMatrix, text));
  }
  for (const std::string& text : globs.jagged) {
    HEADRACE_RETURN_IF_ERROR(matcher.Add(Layout::kJagged, text));
  }
  FeatureSpec spec(census.message());
  for (const Group& group : matcher.groups()) {
    HEADRACE_RETURN_IF_ERROR(AddGroup(group, census, num_distinct, &spec));
  }
  const FeatureSpec rest = InferSpec(census);
  for (const NamedFeature& feature : rest.features()) {
    if (!matcher.has(feature.name, false)) {
      spec.Add(feature.name, feature.config);
    }
  }
  for (const NamedFeature& feature : rest.sequence_features()) {
    if (!matcher.has(feature.name, true)) {
      spec.AddSequence(feature.name, feature.config);
    }
  }
  for (const NamedFeature& feature : rest.example_features()) {
    spec.AddToExamples(feature.name, feature.config);
  }
  HEADRACE_RETURN_IF_ERROR(Plan::Compile(spec).status());
  return spec;
}

}  // namespace headrace::infer
