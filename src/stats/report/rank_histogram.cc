#include "src/stats/report/rank_histogram.h"

#include <algorithm>
#include <string_view>

#include "headrace/message.h"

namespace headrace {
namespace {

// Whether a decimal integer is less than another: it has fewer digits, or the
// same number of digits and lesser ones. Negative integers are the other way
// round.
bool IsLessNumber(std::string_view a, std::string_view b) {
  const bool negative = a.starts_with('-');
  if (negative != b.starts_with('-')) return negative;
  if (negative) std::swap(a, b);
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Whether the first bytes of a long text are UTF-8; their last character may be
// cut.
bool IsUtf8Prefix(std::string_view bytes) {
  for (int cut = 0; cut < 4 && !bytes.empty(); ++cut) {
    if (IsUtf8(bytes)) return true;
    bytes.remove_suffix(1);
  }
  return false;
}

std::string LabelOf(const ValueCount& value) {
  const bool is_whole = value.size == value.value.size();
  if (is_whole && IsUtf8(value.value)) return value.value;
  return !is_whole && IsUtf8Prefix(value.value) ? "__LARGE_BYTES__"
                                                : "__BYTES_VALUE__";
}

}  // namespace

std::vector<const ValueCount*> MostFrequent(const BytesStats& bytes,
                                            bool are_numbers) {
  std::vector<const ValueCount*> order;
  for (const ValueCount& value : bytes.top) {
    if (value.count > 0) order.push_back(&value);
  }
  const auto comes_first = [&](const ValueCount* a, const ValueCount* b) {
    if (a->count != b->count) return a->count > b->count;
    return are_numbers ? IsLessNumber(b->value, a->value) : b->value < a->value;
  };
  const size_t kept = std::min(order.size(), kRankedValues);
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(kept),
                    order.end(), comes_first);
  order.resize(kept);
  return order;
}

std::vector<RankedValue> RankValues(const BytesStats& bytes, bool are_numbers) {
  std::vector<RankedValue> ranks;
  for (const ValueCount* value : MostFrequent(bytes, are_numbers)) {
    ranks.push_back({LabelOf(*value), value->count});
  }
  return ranks;
}

}  // namespace headrace
