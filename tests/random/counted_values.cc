#include "tests/random/counted_values.h"

#include <map>
#include <utility>

#include "wire/utf8.h"

namespace headrace::testing {

LengthStats LengthsOf(std::vector<uint64_t> lengths) {
  LengthStats stats;
  if (lengths.empty()) return stats;
  std::sort(lengths.begin(), lengths.end());
  stats.count = lengths.size();
  stats.min = lengths.front();
  stats.max = lengths.back();
  for (const uint64_t length : lengths) stats.total += length;
  stats.distribution = DistributionOf(lengths);
  return stats;
}

BytesStats BytesOf(const std::vector<std::string>& values) {
  constexpr size_t kSamples = 8;
  BytesStats stats;
  stats.count = values.size();
  std::map<std::string, uint64_t> counts;
  std::vector<uint64_t> sizes;
  for (const std::string& value : values) {
    ++counts[value];
    sizes.push_back(value.size());
    const auto* data = reinterpret_cast<const uint8_t*>(value.data());
    if (wire::IsUtf8({data, value.size()})) ++stats.utf8;
  }
  stats.lengths = LengthsOf(std::move(sizes));
  stats.distinct = counts.size();
  for (const auto& [value, count] : counts) {
    stats.top.push_back({value.substr(0, kTopBytes), value.size(), count, 0});
    if (stats.samples.size() < kSamples) {
      stats.samples.push_back({.value = value.substr(0, kSampleBytes),
                               .size = value.size(),
                               .look = BytesLook::kText});
    }
  }
  std::stable_sort(stats.top.begin(), stats.top.end(),
                   [](const ValueCount& a, const ValueCount& b) {
                     return a.count > b.count;
                   });
  return stats;
}

}  // namespace headrace::testing
