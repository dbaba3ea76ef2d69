#include "tests/naive/naive_partition.h"

#include <cstddef>
#include <limits>
#include <utility>

namespace headrace::testing {

namespace {

using Ints = std::vector<int64_t>;

// Row limits say where each row ends.
bool LengthsOfLimits(const Ints& limits, int64_t count, Ints* lengths) {
  int64_t begin = 0;
  for (int64_t limit : limits) {
    if (limit < begin) return false;
    lengths->push_back(limit - begin);
    begin = limit;
  }
  return begin == count;
}

bool LengthsOfIds(const Ints& ids, int64_t count, Ints* lengths) {
  if (static_cast<int64_t>(ids.size()) != count) return false;
  int64_t previous = 0;
  for (int64_t id : ids) {
    if (id < previous) return false;
    previous = id;
  }
  if (ids.empty()) return true;
  if (ids.back() >= std::numeric_limits<int32_t>::max()) return false;
  lengths->resize(static_cast<size_t>(ids.back()) + 1);
  for (int64_t id : ids) ++(*lengths)[static_cast<size_t>(id)];
  return true;
}

bool Cut(const Partition& partition, const Ints& list, int64_t count,
         Ints* lengths) {
  switch (partition.type) {
    case PartitionType::kRowLengths: {
      int64_t rest = count;
      for (int64_t length : list) {
        if (length < 0 || length > rest) return false;
        rest -= length;
      }
      *lengths = list;
      return rest == 0;
    }
    case PartitionType::kRowSplits:
      if (list.empty()) return count == 0;
      return list[0] == 0 && LengthsOfLimits(Ints(list.begin() + 1, list.end()),
                                             count, lengths);
    case PartitionType::kRowStarts: {
      if (list.empty()) return count == 0;
      Ints limits(list.begin() + 1, list.end());
      limits.push_back(count);
      return list[0] == 0 && LengthsOfLimits(limits, count, lengths);
    }
    case PartitionType::kRowLimits:
      return LengthsOfLimits(list, count, lengths);
    case PartitionType::kValueRowids:
      return LengthsOfIds(list, count, lengths);
    case PartitionType::kUniformRowLength:
      if (count % partition.uniform_row_length != 0) return false;
      lengths->assign(static_cast<size_t>(count / partition.uniform_row_length),
                      partition.uniform_row_length);
      return true;
  }
  return false;
}

}  // namespace

bool NaivePartition(const Partition& partition,
                    const std::vector<int64_t>& list, int64_t count,
                    std::vector<int64_t>* lengths) {
  Ints cut;
  if (!Cut(partition, list, count, &cut)) return false;
  *lengths = std::move(cut);
  return true;
}

}  // namespace headrace::testing
