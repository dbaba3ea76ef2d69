#include "src/tensor/partition.h"

#include <algorithm>
#include <functional>

namespace headrace::tensor {
namespace {

using Numbers = std::span<const int64_t>;

bool NeverDecreases(Numbers values) {
  return std::is_sorted(values.begin(), values.end());
}

// Subtracting from `sum` cannot overflow as adding up could.
bool SumIs(Numbers lengths, size_t sum) {
  for (const int64_t length : lengths) {
    if (length < 0 || static_cast<uint64_t>(length) > sum) return false;
    sum -= static_cast<size_t>(length);
  }
  return sum == 0;
}

bool Equals(int64_t value, size_t size) {
  return value >= 0 && static_cast<uint64_t>(value) == size;
}

// R2: row splits are a 0 and then the row limits.
bool AreLimits(Numbers limits, size_t inner) {
  if (limits.empty()) return inner == 0;
  return limits.front() >= 0 && NeverDecreases(limits) &&
         Equals(limits.back(), inner);
}

bool AreStarts(Numbers starts, size_t inner) {
  if (starts.empty()) return inner == 0;
  return starts.front() == 0 && NeverDecreases(starts) &&
         static_cast<uint64_t>(starts.back()) <= inner;
}

bool AreRowids(Numbers rowids, size_t inner) {
  if (rowids.size() != inner) return false;
  return rowids.empty() || (rowids.front() >= 0 && NeverDecreases(rowids) &&
                            static_cast<uint64_t>(rowids.back()) < kMaxRows);
}

}  // namespace

bool CountRows(const plan::Cut& cut, Numbers partition, size_t inner,
               size_t* rows) {
  *rows = partition.size();
  switch (cut.type) {
    case PartitionType::kRowLengths:
      return SumIs(partition, inner);
    case PartitionType::kRowSplits:
      if (partition.empty()) return inner == 0;
      --*rows;
      if (partition.front() != 0) return false;
      return AreLimits(partition.subspan(1), inner);
    case PartitionType::kRowStarts:
      return AreStarts(partition, inner);
    case PartitionType::kRowLimits:
      return AreLimits(partition, inner);
    case PartitionType::kValueRowids:
      if (!AreRowids(partition, inner)) return false;
      *rows = partition.empty() ? 0 : static_cast<size_t>(partition.back()) + 1;
      return true;
    case PartitionType::kUniformRowLength:
      break;
  }
  const auto length = static_cast<uint64_t>(cut.uniform_length);
  *rows = static_cast<size_t>(inner / length);
  return inner % length == 0;
}

Misfit FindMisfit(const plan::Cut& cut, Numbers partition, size_t inner) {
  using std::to_string;
  const std::string size = to_string(inner);
  const PartitionType type = cut.type;
  if (type == PartitionType::kUniformRowLength) {
    return {"a multiple of " + to_string(cut.uniform_length), size};
  }
  if (type == PartitionType::kRowLengths) {
    uint64_t sum = 0;
    for (const int64_t length : partition) {
      if (length < 0) return {"lengths of 0 or more", to_string(length)};
      if (static_cast<uint64_t>(length) > ~uint64_t{0} - sum) {
        return {"lengths that sum to " + size, "2^64 or more"};
      }
      sum += static_cast<uint64_t>(length);
    }
    return {"lengths that sum to " + size, to_string(sum)};
  }
  if (type == PartitionType::kValueRowids && partition.size() != inner) {
    return {size + " row ids", to_string(partition.size())};
  }
  if (partition.empty()) return {"rows of " + size + " in all", "no row"};
  const int64_t first = partition.front();
  const bool from_zero =
      type == PartitionType::kRowSplits || type == PartitionType::kRowStarts;
  if (from_zero && first != 0) return {"0 as the first", to_string(first)};
  if (first < 0) return {"numbers of 0 or more", to_string(first)};
  const auto drop = std::adjacent_find(partition.begin(), partition.end(),
                                       std::greater<int64_t>());
  if (drop != partition.end()) {
    return {"numbers that do not decrease",
            to_string(drop[1]) + " after " + to_string(drop[0])};
  }
  const std::string last = to_string(partition.back());
  if (type == PartitionType::kRowStarts) return {"at most " + size, last};
  if (type == PartitionType::kValueRowids) {
    return {"row ids below " + to_string(kMaxRows), last};
  }
  return {size + " as the last", last};
}

}  // namespace headrace::tensor
