#include "src/stats/sketch/quantile_sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "absl/numeric/int128.h"
#include "src/stats/sketch/block_sample.h"
#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {
namespace {

// The error of compacting levels is at most 2.3 / kTopCapacity^0.97.
constexpr double kTopCapacity = 640;
// Minimum capacity of a level: fewer values are not worth sorting.
constexpr double kMinPerLevel = 192;
constexpr size_t kMaxLevels = 64;

// The capacities of levels, from the top level down.
constexpr auto kCapacities = [] {
  std::array<size_t, kMaxLevels> capacities = {};
  double capacity = kTopCapacity;
  for (size_t& of_level : capacities) {
    of_level = static_cast<size_t>(std::max(capacity, kMinPerLevel));
    capacity *= 2.0 / 3;
  }
  return capacities;
}();
constexpr auto kCapacitySums = [] {
  std::array<size_t, kMaxLevels + 1> sums = {};
  for (size_t i = 0; i < kMaxLevels; ++i)
    sums[i + 1] = sums[i] + kCapacities[i];
  return sums;
}();

// From these counts of values on, blocks are thinned once, twice, and so on.
constexpr uint64_t kThinCounts[] = {4096, 12000, 28000, 60000};

constexpr size_t kMaxAtOnce = 8192;

// Values are sampled as soon as their number has more bits than this: of more
// than 2^18 values, at least 2^17 are sampled.
constexpr int kSampleBits = 18;

// Returns an unsigned integer; the keys have the order of the values.
uint32_t SortKey(uint32_t value) { return value; }
uint64_t SortKey(int64_t value) {
  return static_cast<uint64_t>(value) ^ uint64_t { 1 } << 63;
}
uint32_t SortKey(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return bits ^ (bits >> 31 != 0 ? ~uint32_t{0} : uint32_t{1} << 31);
}

// Sorts numbers by their bytes. For a few hundred numbers this is several times
// as fast as std::sort. None of them may be NaN.
template <class T>
void SortValues(std::span<T> values) {
  constexpr size_t kMax = 2048;
  if (values.size() < 64 || values.size() > kMax) {
    std::sort(values.begin(), values.end());
    return;
  }
  std::array<std::array<uint16_t, 256>, sizeof(T)> counts = {};
  for (const T value : values) {
    const auto key = SortKey(value);
    for (size_t i = 0; i < sizeof(T); ++i) ++counts[i][key >> (8 * i) & 0xFF];
  }
  std::array<T, kMax> other;
  T* from = values.data();
  T* to = other.data();
  for (size_t i = 0; i < sizeof(T); ++i) {
    std::array<uint16_t, 256>& ends = counts[i];
    // A byte in which all keys agree needs no pass.
    if (ends[SortKey(from[0]) >> (8 * i) & 0xFF] == values.size()) continue;
    uint16_t sum = 0;
    for (uint16_t& end : ends) sum += std::exchange(end, sum);
    for (size_t k = 0; k < values.size(); ++k) {
      to[ends[SortKey(from[k]) >> (8 * i) & 0xFF]++] = from[k];
    }
    std::swap(from, to);
  }
  if (from != values.data()) {
    std::copy(from, from + values.size(), values.data());
  }
}

}  // namespace

template <class T>
uint64_t QuantileSketch<T>::Random() {
  return random_.Next() * 0x2545F4914F6CDD1D;
}

template <class T>
std::vector<T>& QuantileSketch<T>::Level(size_t level) {
  if (levels_.size() <= level) levels_.resize(level + 1);
  return levels_[level];
}

template <class T>
void QuantileSketch<T>::Add(std::span<const T> values) {
  while (!values.empty()) {
    if (count_ < kThinCounts[0]) {
      const auto room = static_cast<size_t>(kThinCounts[0] - count_);
      const auto plain = values.first(std::min(values.size(), room));
      AddPlain(plain);
      values = values.subspan(plain.size());
      continue;
    }
    // The rate of sampling follows the count, so at most kMaxAtOnce values are
    // added with one rate.
    const auto some = values.first(std::min(values.size(), kMaxAtOnce));
    if (run_seen_ == 0) ChooseRate();
    count_ += some.size();
    if (shift_ == 0) {
      AddToBlock(some);
    } else {
      AddSampled(some);
    }
    values = values.subspan(some.size());
  }
}

template <class T>
void QuantileSketch<T>::ChooseRate() {
  const auto bits = static_cast<int>(std::bit_width(count_));
  const auto shift = static_cast<uint32_t>(std::max(0, bits - kSampleBits));
  if (shift == shift_) return;
  for (const T& value : block_) AddItem(value, uint64_t{1} << shift_);
  block_.clear();
  shift_ = shift;
}

template <class T>
void QuantileSketch<T>::AddPlain(std::span<const T> values) {
  std::vector<T>& level = Level(0);
  level.insert(level.end(), values.begin(), values.end());
  num_items_ += values.size();
  count_ += values.size();
  Compress();
}

template <class T>
void QuantileSketch<T>::AddSampled(std::span<const T> values) {
  is_lossy_ = true;
  const uint64_t size = uint64_t{1} << shift_;
  std::array<T, kMaxAtOnce / 2 + 1> sampled;
  size_t num_sampled = 0;
  for (size_t next = 0; next < values.size();) {
    if (run_seen_ == 0) {
      run_choice_ = Random() >> (64 - shift_);
      chosen_ = values[next];  // in case the run never ends
    }
    const uint64_t step =
        std::min<uint64_t>(size - run_seen_, values.size() - next);
    if (run_choice_ - run_seen_ < step) {
      chosen_ = values[next + static_cast<size_t>(run_choice_ - run_seen_)];
    }
    run_seen_ += step;
    next += static_cast<size_t>(step);
    if (run_seen_ < size) break;
    run_seen_ = 0;
    sampled[num_sampled++] = chosen_;
  }
  AddToBlock(std::span(sampled).first(num_sampled));
}

template <class T>
void QuantileSketch<T>::AddToBlock(std::span<const T> values) {
  while (!values.empty()) {
    if (block_.empty()) block_.reserve(kBlockValues);
    const size_t room = kBlockValues - block_.size();
    const auto some = values.first(std::min(values.size(), room));
    block_.insert(block_.end(), some.begin(), some.end());
    if (block_.size() == kBlockValues) TakeBlock();
    values = values.subspan(some.size());
  }
}

template <class T>
void QuantileSketch<T>::TakeBlock() {
  const uint64_t sampled = count_ >> shift_;
  const auto rounds = static_cast<size_t>(
      std::count_if(std::begin(kThinCounts), std::end(kThinCounts),
                    [&](uint64_t count) { return sampled >= count; }));
  ThinBlock(rounds, Random(), block_.data());
  is_lossy_ = true;
  const size_t kept = kBlockValues >> rounds;
  std::vector<T>& level = Level(shift_ + rounds);
  level.insert(level.end(), block_.begin(),
               block_.begin() + static_cast<std::ptrdiff_t>(kept));
  num_items_ += kept;
  block_.clear();
  Compress();
}

template <class T>
void QuantileSketch<T>::AddItem(T value, uint64_t weight) {
  for (size_t level = 0; weight >> level != 0; ++level) {
    if ((weight >> level & 1) == 0) continue;
    Level(level).push_back(value);
    ++num_items_;
  }
}

template <class T>
void QuantileSketch<T>::AddRepeated(T value, uint64_t times) {
  AddItem(value, times);
  count_ += times;
  Compress();
}

template <class T>
void QuantileSketch<T>::Compress() {
  while (num_items_ > kCapacitySums[levels_.size()]) {
    size_t full = 0;
    while (levels_[full].size() <= kCapacities[levels_.size() - 1 - full]) {
      ++full;
    }
    Compact(full);
  }
}

// If the number of values is odd, the first or the last of them stays in the
// level.
template <class T>
void QuantileSketch<T>::Compact(size_t level) {
  Level(level + 1);  // This may move the levels.
  std::vector<T>& from = levels_[level];
  std::vector<T>& to = levels_[level + 1];
  SortValues(std::span(from));
  is_lossy_ |= from.front() != from.back();
  const uint64_t coins = Random();
  const size_t pairs = from.size() / 2;
  const bool is_odd = from.size() % 2 != 0;
  const size_t begin = is_odd && (coins & 2) != 0 ? 1 : 0;
  const T left = begin == 1 ? from.front() : from.back();
  for (size_t i = 0; i < pairs; ++i) {
    to.push_back(from[begin + 2 * i + (coins & 1)]);
  }
  num_items_ -= pairs;
  from.clear();
  if (is_odd) from.push_back(left);
}

template <class T>
QuantileSketch<T> QuantileSketch<T>::Closed() const {
  QuantileSketch closed = *this;
  for (const T& value : block_) closed.AddItem(value, uint64_t{1} << shift_);
  closed.AddItem(chosen_, run_seen_);
  closed.block_.clear();
  closed.run_seen_ = 0;
  return closed;
}

template <class T>
void QuantileSketch<T>::Merge(const QuantileSketch& other) {
  const QuantileSketch closed = other.Closed();
  for (size_t h = 0; h < closed.levels_.size(); ++h) {
    const std::vector<T>& more = closed.levels_[h];
    if (more.empty()) continue;
    std::vector<T>& level = Level(h);
    level.insert(level.end(), more.begin(), more.end());
    num_items_ += more.size();
  }
  count_ += other.count_;
  is_lossy_ |= other.is_lossy_;
  random_.Merge(other.random_);
  Compress();
}

template <class T>
template <class Value>
Distribution<Value> QuantileSketch<T>::ToDistribution() const {
  Distribution<Value> out;
  const QuantileSketch closed = Closed();
  for (size_t h = 0; h < closed.levels_.size(); ++h) {
    for (const T& value : closed.levels_[h]) {
      out.items.push_back({static_cast<Value>(value), uint64_t{1} << h});
    }
  }
  std::sort(out.items.begin(), out.items.end(),
            [](const auto& a, const auto& b) { return a.value < b.value; });
  size_t size = 0;
  for (const auto& item : out.items) {
    if (size > 0 && out.items[size - 1].value == item.value) {
      out.items[size - 1].weight += item.weight;
    } else {
      out.items[size++] = item;
    }
  }
  out.items.resize(size);
  out.total = count_;
  out.rank_error = is_lossy_ ? kRankError : 0;
  return out;
}

template <class T>
void QuantileSketch<T>::Append(std::string* out) const {
  const QuantileSketch closed = Closed();
  AppendFields(out, count_, random_.bits, is_lossy_,
               static_cast<uint8_t>(closed.levels_.size()));
  for (const std::vector<T>& level : closed.levels_) AppendFields(out, level);
}

template <class T>
bool QuantileSketch<T>::Parse(std::string_view* bytes) {
  *this = QuantileSketch();
  uint8_t num_levels = 0;
  if (!TakeFields(bytes, &count_, &random_.bits, &is_lossy_, &num_levels) ||
      num_levels > kMaxLevels || random_.bits == 0) {
    return false;
  }
  levels_.resize(num_levels);
  absl::uint128 weight = 0;
  for (size_t h = 0; h < levels_.size(); ++h) {
    if (!TakeFields(bytes, &levels_[h])) return false;
    num_items_ += levels_[h].size();
    weight += absl::uint128(levels_[h].size()) << static_cast<int>(h);
    if constexpr (std::is_same_v<T, float>) {
      for (const float value : levels_[h]) {
        if (std::isnan(value)) return false;
      }
    }
  }
  return weight == count_;
}

template class QuantileSketch<float>;
template class QuantileSketch<int64_t>;
template class QuantileSketch<uint32_t>;
template Distribution<float> QuantileSketch<float>::ToDistribution() const;
template Distribution<int64_t> QuantileSketch<int64_t>::ToDistribution() const;
template Distribution<uint64_t> QuantileSketch<uint32_t>::ToDistribution()
    const;

}  // namespace headrace::stats
