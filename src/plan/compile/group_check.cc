#include "src/plan/compile/group_check.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "src/base/cast.h"
#include "src/base/checked_math.h"
#include "src/base/text/quote.h"
#include "src/plan/compile/shape.h"
#include "wire/utf8.h"

namespace headrace::plan {
namespace {

constexpr std::string_view kRule = "S15";

bool IsFloat(DType dtype) { return CanCast(DType::kFloat, dtype); }

bool IsNumber(const std::optional<DType>& dtype) {
  return dtype && *dtype != DType::kBytes;
}

// Checks the group's own fields.
Status CheckOwnFields(const NamedFeature& group, const FeaturePlace& place) {
  const FeatureConfig& config = group.config;
  const std::string kind(LayoutName(config.layout));
  if (place.in_sequence) {
    return BadFeature(group,
                      "is a " + kind +
                          " group, which feature lists cannot be; its members "
                          "can read feature lists",
                      kRule);
  }
  if (!IsNumber(config.as)) {
    return BadFeature(
        group, "is a " + kind + " group and needs a type of numbers", kRule);
  }
  if (config.members.empty()) {
    return BadFeature(group, "is a " + kind + " group without features", kRule);
  }
  const bool is_jagged = config.layout == Layout::kJagged;
  if (config.exact && (is_jagged || !IsFloat(*config.as))) {
    return BadFeature(group, "is exact, which only a matrix of floats can be",
                      kRule);
  }
  if (config.lengths_dtype != DType::kInt32 &&
      config.lengths_dtype != DType::kInt64) {
    return BadFeature(group, "has lengths that are neither int32 nor int64",
                      kRule);
  }
  FeatureConfig known{.layout = config.layout,
                      .dtype = config.dtype,
                      .as = config.as,
                      .members = config.members,
                      .exact = config.exact};
  if (is_jagged) {
    known.weights = config.weights;
    known.lengths_dtype = config.lengths_dtype;
  }
  if (config == known) return Status();
  return BadFeature(group, "sets a field that a " + kind + " group lacks",
                    kRule);
}

// Checks the names of the members.
Status CheckNames(const NamedFeature& group) {
  std::set<std::string_view> seen;
  for (const NamedFeature& member : group.config.members) {
    if (!seen.insert(member.name).second) {
      return BadFeature(member, "is listed twice", "S1");
    }
    if (!wire::IsUtf8(member.name)) {
      return BadFeature(member, "is not UTF-8", "S1");
    }
  }
  return Status();
}

Status CheckLayout(const NamedFeature& member, Layout group) {
  const FeatureConfig& config = member.config;
  if (group == Layout::kMatrix) {
    const bool is_padded = config.layout == Layout::kVarLen && config.pad_to;
    if (config.layout == Layout::kFixedLen || is_padded) return Status();
    return BadFeature(member,
                      "is " + std::string(LayoutName(config.layout)) +
                          ", but members of a matrix are fixed_len, or var_len "
                          "with pad_to",
                      kRule);
  }
  const bool is_plain = config.layout == Layout::kRagged &&
                        config.partitions.empty() && config.shape.empty() &&
                        !config.item_shape && config.group.empty();
  if (config.layout == Layout::kFixedLen || is_plain) return Status();
  return BadFeature(member,
                    "is " + std::string(LayoutName(config.layout)) +
                        ", but members of a jagged group are fixed_len, or "
                        "ragged without partitions, shape and group",
                    kRule);
}

// Checks the fields that only members of one kind of group have.
Status CheckMemberFields(const NamedFeature& member, const NamedFeature& group,
                         const FeaturePlace& place) {
  const FeatureConfig& config = member.config;
  const bool is_jagged = group.config.layout == Layout::kJagged;
  if (!is_jagged && (config.first_n || config.last_n || config.weight_key ||
                     config.sequence)) {
    return BadFeature(member,
                      "sets first_n, last_n, weight_key or sequence, which "
                      "only members of a jagged group have",
                      kRule);
  }
  if (is_jagged && config.present) {
    return BadFeature(
        member, "sets present, which only members of a matrix have", kRule);
  }
  if (config.first_n && config.last_n) {
    return BadFeature(member, "sets both first_n and last_n", kRule);
  }
  const int64_t most = config.first_n.value_or(config.last_n.value_or(1));
  if (most <= 0 || static_cast<uint64_t>(most) > kMaxElements) {
    return BadFeature(member,
                      "keeps " + std::to_string(most) +
                          " values of a row; it must keep at least one and "
                          "less than 2^31",
                      kRule);
  }
  if (config.weight_key &&
      (!group.config.weights || config.weight_key->empty())) {
    return BadFeature(member,
                      config.weight_key->empty()
                          ? "has an empty weight_key"
                          : "has a weight_key, but the group has no weights",
                      kRule);
  }
  if (config.sequence && (place.message != MessageType::kSequence ||
                          config.layout != Layout::kRagged)) {
    return BadFeature(member,
                      "reads a feature list, which only ragged members of a "
                      "SequenceExample can",
                      kRule);
  }
  if (!config.members.empty() || config.exact || config.weights) {
    return BadFeature(member, "sets a field that only groups have", kRule);
  }
  return Status();
}

Status CheckMemberType(const NamedFeature& member, const NamedFeature& group,
                       size_t elements) {
  const FeatureConfig& config = member.config;
  const DType to = *group.config.as;
  const std::string name(DTypeName(to));
  const bool is_bytes = config.dtype == DType::kBytes;
  if (is_bytes && group.config.layout == Layout::kMatrix &&
      Reinterprets(config)) {
    if (config.as == to) return Status();
    return BadFeature(member, "holds numbers of another type than " + name,
                      "B4");
  }
  if (config.as || config.as_bits) {
    return BadFeature(
        member, "has a type of its own, but the group has one for all", "B4");
  }
  if (config.present && elements == 0) {
    return BadFeature(member, "has no values that could be present", kRule);
  }
  // CompileChain knows what functions return.
  if (!config.map.empty()) return Status();
  if (is_bytes || !CanCast(config.dtype, to)) {
    return BadFeature(member,
                      "is " + std::string(DTypeName(config.dtype)) +
                          ", which cannot become " + name +
                          (is_bytes ? " without a function" : ""),
                      "B4");
  }
  if (!config.default_values) return Status();
  const bool fits = std::visit(
      [&](const auto& values) {
        return FindUncastable(config.dtype, to, group.config.exact,
                              values.data(), values.size()) == values.size();
      },
      *config.default_values);
  if (fits) return Status();
  return BadFeature(member, "has a default that does not fit " + name, "B3");
}

Status CheckMember(const NamedFeature& member, const NamedFeature& group,
                   const FeaturePlace& place, size_t* elements) {
  Status status = CheckLayout(member, group.config.layout);
  if (status.ok()) status = CheckMemberFields(member, group, place);
  FeaturePlace own = place;
  own.in_sequence = member.config.sequence;
  if (status.ok()) status = CheckFeature(member, own, elements);
  if (status.ok()) status = CheckMemberType(member, group, *elements);
  return status;
}

Status CheckWidth(const NamedFeature& group,
                  const std::vector<size_t>& elements) {
  size_t width = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    const FeatureConfig& member = group.config.members[i].config;
    width += WidthOf(member, elements[i]) + member.present;
    if (width <= kMaxElements / sizeof(int64_t)) continue;
    return BadFeature(group, "has rows of 2^31 bytes or more", "B1");
  }
  return Status();
}

}  // namespace

size_t WidthOf(const FeatureConfig& member, size_t elements) {
  return member.layout == Layout::kVarLen
             ? static_cast<size_t>(member.pad_to.value_or(0))
             : elements;
}

std::string GroupText(const NamedFeature& group) {
  return std::string(LayoutName(group.config.layout)) + " " + Quote(group.name);
}

Status InGroup(const NamedFeature& group, const Status& status) {
  if (status.ok()) return status;
  ErrorInfo info = *status.info();
  info.message = GroupText(group) + ": " + info.message;
  return Status(std::move(info));
}

Status CheckGroupAndMembers(const NamedFeature& group,
                            const FeaturePlace& place,
                            std::vector<size_t>* elements) {
  Status status = CheckOwnFields(group, place);
  if (!status.ok()) return status;
  status = CheckNames(group);
  bool has_weights = false;
  for (const NamedFeature& member : group.config.members) {
    has_weights |= member.config.weight_key.has_value();
    size_t count = 0;
    if (status.ok()) status = CheckMember(member, group, place, &count);
    elements->push_back(count);
  }
  if (!status.ok()) return InGroup(group, status);
  if (group.config.weights && !has_weights) {
    return BadFeature(group,
                      "has weights, but none of its features has a "
                      "weight_key",
                      kRule);
  }
  return group.config.layout == Layout::kMatrix ? CheckWidth(group, *elements)
                                                : Status();
}

Status CheckIsNoMember(const NamedFeature& feature) {
  const FeatureConfig& config = feature.config;
  const FeatureConfig initial;
  const bool sets_one =
      config.present || config.first_n || config.last_n || config.weight_key ||
      config.sequence || config.exact || config.weights ||
      config.lengths_dtype != initial.lengths_dtype || !config.members.empty();
  if (!sets_one) return Status();
  return BadFeature(feature, "sets a field of groups or of their members",
                    kRule);
}

}  // namespace headrace::plan
