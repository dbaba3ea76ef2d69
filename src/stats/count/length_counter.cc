#include "src/stats/count/length_counter.h"

#include <algorithm>

#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {

void LengthCounter::Add(std::span<const uint32_t> lengths) {
  if (lengths.empty()) return;
  uint32_t min = lengths[0];
  uint32_t max = lengths[0];
  uint64_t total = 0;
  for (const uint32_t length : lengths) {
    min = std::min(min, length);
    max = std::max(max, length);
    total += length;
  }
  if (min == max) {
    AddRepeated(min, lengths.size());
    return;
  }
  min_ = std::min(min_, min);
  max_ = std::max(max_, max);
  total_ += total;
  if (max < kShort) {
    if (short_counts_.empty()) short_counts_.resize(kShort);
    for (const uint32_t length : lengths) ++short_counts_[length];
    num_short_ += lengths.size();
  } else if (min >= kShort) {
    sketch_.Add(lengths);
  } else {
    for (const uint32_t length : lengths) CountOne(length, 1);
  }
}

void LengthCounter::CountOne(uint32_t length, uint64_t times) {
  if (length >= kShort) {
    sketch_.AddRepeated(length, times);
    return;
  }
  if (short_counts_.empty()) short_counts_.resize(kShort);
  short_counts_[length] += times;
  num_short_ += times;
}

void LengthCounter::AddRepeated(uint32_t length, uint64_t times) {
  if (times == 0) return;
  min_ = std::min(min_, length);
  max_ = std::max(max_, length);
  total_ += length * times;
  CountOne(length, times);
}

void LengthCounter::Merge(const LengthCounter& other) {
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  total_ += other.total_;
  for (uint32_t i = 0; i < other.short_counts_.size(); ++i) {
    if (other.short_counts_[i] > 0) CountOne(i, other.short_counts_[i]);
  }
  sketch_.Merge(other.sketch_);
}

Distribution<uint64_t> LengthCounter::ToDistribution() const {
  Distribution<uint64_t> longer = sketch_.ToDistribution<uint64_t>();
  Distribution<uint64_t> all = {.total = count(),
                                .rank_error = longer.rank_error};
  for (size_t i = 0; i < short_counts_.size(); ++i) {
    if (short_counts_[i] > 0) all.items.push_back({i, short_counts_[i]});
  }
  all.items.insert(all.items.end(), longer.items.begin(), longer.items.end());
  return all;
}

LengthStats LengthCounter::ToStats() const {
  return {.count = count(),
          .min = count() == 0 ? 0 : min_,
          .max = max_,
          .total = total_,
          .distribution = ToDistribution()};
}

void LengthCounter::Append(std::string* out) const {
  AppendNumber<uint32_t>(min_, out);
  AppendNumber<uint32_t>(max_, out);
  AppendNumber(total_, out);
  AppendArray<uint64_t>(short_counts_, out);
  sketch_.Append(out);
}

bool LengthCounter::Parse(std::string_view* bytes) {
  if (!TakeNumber(bytes, &min_) || !TakeNumber(bytes, &max_) ||
      !TakeNumber(bytes, &total_) || !TakeArray(bytes, &short_counts_) ||
      (!short_counts_.empty() && short_counts_.size() != kShort) ||
      !sketch_.Parse(bytes)) {
    return false;
  }
  for (const uint64_t count : short_counts_) num_short_ += count;
  return count() > 0 ? min_ <= max_ : max_ == 0 && total_ == 0;
}

}  // namespace headrace::stats
