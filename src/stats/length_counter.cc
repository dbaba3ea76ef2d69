#include "src/stats/length_counter.h"

#include <algorithm>

#include "src/stats/state_bytes.h"

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
  sketch_.Add(lengths);
}

void LengthCounter::AddRepeated(uint32_t length, uint64_t times) {
  if (times == 0) return;
  min_ = std::min(min_, length);
  max_ = std::max(max_, length);
  total_ += length * times;
  sketch_.AddRepeated(length, times);
}

void LengthCounter::Merge(const LengthCounter& other) {
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  total_ += other.total_;
  sketch_.Merge(other.sketch_);
}

LengthStats LengthCounter::ToStats() const {
  return {.count = count(),
          .min = count() == 0 ? 0 : min_,
          .max = max_,
          .total = total_,
          .distribution = sketch_.ToDistribution<uint64_t>()};
}

void LengthCounter::Append(std::string* out) const {
  AppendNumber<uint32_t>(min_, out);
  AppendNumber<uint32_t>(max_, out);
  AppendNumber(total_, out);
  sketch_.Append(out);
}

bool LengthCounter::Parse(std::string_view* bytes) {
  return TakeNumber(bytes, &min_) && TakeNumber(bytes, &max_) &&
         TakeNumber(bytes, &total_) && sketch_.Parse(bytes) &&
         (count() > 0 ? min_ <= max_ : max_ == 0 && total_ == 0);
}

}  // namespace headrace::stats
