#include "src/decode/tensor/partition.h"

#include <algorithm>
#include <functional>

namespace headrace::tensor {
namespace {

using Numbers = std::span<const int64_t>;

enum class PartitionRule {
  kNoneBroken,
  kMultipleOfTheLength,
  kLengthsSumToTheSize,
  kOneRowidPerValue,
  kSomeRow,
  kFirstIsZero,
  kNotNegative,
  kNeverDecreases,
  kStartsInside,
  kRowidsBelowTheLimit,
  kLastIsTheEnd,
};

// Subtracts from `sum`, because adding the lengths up could overflow.
bool SumIs(Numbers lengths, size_t sum) {
  for (const int64_t length : lengths) {
    if (length < 0 || static_cast<uint64_t>(length) > sum) return false;
    sum -= static_cast<size_t>(length);
  }
  return sum == 0;
}

PartitionRule FindBrokenRule(const plan::Cut& cut, Numbers partition,
                             size_t inner) {
  const auto unless = [](bool holds, PartitionRule rule) {
    return holds ? PartitionRule::kNoneBroken : rule;
  };
  const PartitionType type = cut.type;
  if (type == PartitionType::kUniformRowLength) {
    const auto length = static_cast<uint64_t>(cut.uniform_length);
    return unless(inner % length == 0, PartitionRule::kMultipleOfTheLength);
  }
  if (type == PartitionType::kRowLengths) {
    return unless(SumIs(partition, inner), PartitionRule::kLengthsSumToTheSize);
  }
  if (type == PartitionType::kValueRowids && partition.size() != inner) {
    return PartitionRule::kOneRowidPerValue;
  }
  if (partition.empty()) return unless(inner == 0, PartitionRule::kSomeRow);
  const bool from_zero =
      type == PartitionType::kRowSplits || type == PartitionType::kRowStarts;
  if (from_zero && partition.front() != 0) return PartitionRule::kFirstIsZero;
  if (partition.front() < 0) return PartitionRule::kNotNegative;
  if (!std::is_sorted(partition.begin(), partition.end())) {
    return PartitionRule::kNeverDecreases;
  }
  const auto last = static_cast<uint64_t>(partition.back());
  if (type == PartitionType::kRowStarts) {
    return unless(last <= inner, PartitionRule::kStartsInside);
  }
  if (type == PartitionType::kValueRowids) {
    return unless(last < kMaxRows, PartitionRule::kRowidsBelowTheLimit);
  }
  return unless(last == inner, PartitionRule::kLastIsTheEnd);
}

Misfit ExplainLengths(Numbers lengths, const std::string& size) {
  using std::to_string;
  uint64_t sum = 0;
  for (const int64_t length : lengths) {
    if (length < 0) return {"lengths of 0 or more", to_string(length)};
    if (static_cast<uint64_t>(length) > ~uint64_t{0} - sum) {
      return {"lengths that sum to " + size, "2^64 or more"};
    }
    sum += static_cast<uint64_t>(length);
  }
  return {"lengths that sum to " + size, to_string(sum)};
}

}  // namespace

bool CountRows(const plan::Cut& cut, Numbers partition, size_t inner,
               size_t* rows) {
  if (FindBrokenRule(cut, partition, inner) != PartitionRule::kNoneBroken)
    return false;
  *rows = partition.size();
  switch (cut.type) {
    case PartitionType::kUniformRowLength:
      *rows = inner / static_cast<uint64_t>(cut.uniform_length);
      break;
    case PartitionType::kRowSplits:
      if (!partition.empty()) --*rows;
      break;
    case PartitionType::kValueRowids:
      if (!partition.empty()) *rows = static_cast<size_t>(partition.back()) + 1;
      break;
    case PartitionType::kRowLengths:
    case PartitionType::kRowStarts:
    case PartitionType::kRowLimits:
      break;
  }
  return true;
}

size_t UnitsOf(const plan::Cut& cut, Numbers partition) {
  if (partition.empty()) return 0;
  if (cut.type == PartitionType::kValueRowids) return partition.size();
  int64_t units = partition.back();
  if (cut.type == PartitionType::kRowLengths) {
    units = 0;
    for (const int64_t length : partition) {
      units += std::clamp<int64_t>(length, 0, kMaxRows);
      units = std::min<int64_t>(units, kMaxRows);
    }
  }
  return static_cast<size_t>(std::clamp<int64_t>(units, 0, kMaxRows));
}

Misfit FindMisfit(const plan::Cut& cut, Numbers partition, size_t inner) {
  using std::to_string;
  const std::string size = to_string(inner);
  switch (FindBrokenRule(cut, partition, inner)) {
    case PartitionRule::kMultipleOfTheLength:
      return {"a multiple of " + to_string(cut.uniform_length), size};
    case PartitionRule::kLengthsSumToTheSize:
      return ExplainLengths(partition, size);
    case PartitionRule::kOneRowidPerValue:
      return {size + " row ids", to_string(partition.size())};
    case PartitionRule::kSomeRow:
      return {"at least one row", "none"};
    case PartitionRule::kFirstIsZero:
      return {"0 as the first number", to_string(partition.front())};
    case PartitionRule::kNotNegative:
      return {"numbers of 0 or more", to_string(partition.front())};
    case PartitionRule::kNeverDecreases: {
      const auto drop = std::adjacent_find(partition.begin(), partition.end(),
                                           std::greater<int64_t>());
      return {"numbers that do not decrease",
              to_string(drop[1]) + " after " + to_string(drop[0])};
    }
    case PartitionRule::kStartsInside:
      return {"at most " + size, to_string(partition.back())};
    case PartitionRule::kRowidsBelowTheLimit:
      return {"row ids below " + to_string(kMaxRows),
              to_string(partition.back())};
    case PartitionRule::kLastIsTheEnd:
      return {size + " as the last number", to_string(partition.back())};
    case PartitionRule::kNoneBroken:
      break;  // not covered: CountRows has refused the partition
  }
  return {};  // not covered: follows from the case above
}

}  // namespace headrace::tensor
