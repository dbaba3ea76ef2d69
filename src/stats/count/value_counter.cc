#include "src/stats/count/value_counter.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/numeric/int128.h"
#include "headrace/message.h"
#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {
namespace {

constexpr size_t kChunk = 256;
constexpr uint64_t kHighBits = 0x8080808080808080;

// The hash of a value, which is the same on every machine, and whether the
// value is UTF-8.
struct Judged {
  uint64_t hash;
  bool is_utf8;
};

uint64_t Mix(uint64_t a, uint64_t b) {
  const absl::uint128 product = absl::uint128(a) * b;
  return absl::Uint128Low64(product) ^ absl::Uint128High64(product);
}

uint64_t Load(const char* p, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, p, size);
  return word;
}

// Most values have at most 16 bytes and are ASCII. They are read as two words,
// which may overlap.
Judged Judge(std::string_view value) {
  const size_t size = value.size();
  if (size > 16) {
    return {XXH3_64bits(value.data(), size), IsUtf8(value)};
  }
  const char* const p = value.data();
  uint64_t a = 0;
  uint64_t b = 0;
  if (size >= 8) {
    a = Load(p, 8);
    b = Load(p + size - 8, 8);
  } else if (size >= 4) {
    a = Load(p, 4);
    b = Load(p + size - 4, 4);
  } else {
    for (size_t i = 0; i < size; ++i) {
      a = a << 8 | static_cast<uint8_t>(p[i]);
    }
  }
  const bool is_ascii = ((a | b) & kHighBits) == 0;
  // The constants are digits of the golden ratio and of the square roots of 2
  // and 3.
  const uint64_t hash =
      Mix(Mix(a ^ 0x9E3779B97F4A7C15, b ^ (0x6A09E667F3BCC908 + size)),
          0xBB67AE8584CAA73B);
  return {hash, is_ascii || IsUtf8(value)};
}

}  // namespace

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
  AppendFields(out, min_, max_, total_, short_counts_, sketch_);
}

bool LengthCounter::Parse(std::string_view* bytes) {
  if (!TakeFields(bytes, &min_, &max_, &total_, &short_counts_, &sketch_) ||
      (!short_counts_.empty() && short_counts_.size() != kShort)) {
    return false;
  }
  for (const uint64_t count : short_counts_) num_short_ += count;
  return count() > 0 ? min_ <= max_ : max_ == 0 && total_ == 0;
}

void ValueCounter::SetCapacity(size_t capacity) {
  table_.SetCapacity(capacity);
  PurgeIfFull();
}

void ValueCounter::EndExact() {
  if (!distinct_.is_empty()) return;
  distinct_.Start();
  for (const ValueTable::Entry& entry : table_.entries()) {
    distinct_.Add(entry.hash);
  }
}

void ValueCounter::PurgeIfFull() {
  if (!table_.is_full()) return;
  EndExact();
  table_.Purge();
}

// Does each step for all values of a chunk before the next step, so that the
// processor can work on several values at a time.
void ValueCounter::Add(std::span<const std::string_view> values,
                       bool pictures) {
  while (!values.empty()) {
    const auto chunk = values.first(std::min(values.size(), kChunk));
    values = values.subspan(chunk.size());
    std::array<uint64_t, kChunk> hashes;
    std::array<uint32_t, kChunk> lengths;
    for (size_t i = 0; i < chunk.size(); ++i) {
      const Judged judged = Judge(chunk[i]);
      hashes[i] = judged.hash;
      utf8_ += judged.is_utf8;
      lengths[i] = static_cast<uint32_t>(chunk[i].size());
    }
    lengths_.Add(std::span(lengths).first(chunk.size()));
    for (size_t i = 0; i < chunk.size(); ++i) {
      if (!table_.Add(chunk[i], hashes[i])) continue;
      if (sample_.Takes(hashes[i])) {
        sample_.Add(chunk[i], hashes[i], pictures);
      }
      PurgeIfFull();
    }
    if (distinct_.is_empty()) continue;
    for (size_t i = 0; i < chunk.size(); ++i) distinct_.Add(hashes[i]);
  }
}

void ValueCounter::Merge(const ValueCounter& other) {
  lengths_.Merge(other.lengths_);
  utf8_ += other.utf8_;
  if (!other.distinct_.is_empty()) {
    EndExact();
    distinct_.Merge(other.distinct_);
  }
  table_.Merge(other.table_);
  if (!distinct_.is_empty()) {
    for (const ValueTable::Entry& entry : other.table_.entries()) {
      distinct_.Add(entry.hash);
    }
  }
  PurgeIfFull();
  sample_.Merge(other.sample_);
}

BytesStats ValueCounter::ToStats() const {
  const bool is_exact = distinct_.is_empty();
  return {.count = count(),
          .lengths = lengths_.ToStats(),
          .utf8 = utf8_,
          .distinct = is_exact ? table_.entries().size() : distinct_.Estimate(),
          .distinct_error = is_exact ? 0 : HyperLogLog::kError,
          .top = table_.Top(),
          .top_error = table_.error(),
          .samples = sample_.ToSamples()};
}

void ValueCounter::Append(std::string* out) const {
  AppendFields(out, lengths_, utf8_, table_, distinct_, sample_);
}

bool ValueCounter::Parse(std::string_view* bytes) {
  return TakeFields(bytes, &lengths_, &utf8_, &table_, &distinct_, &sample_) &&
         table_.is_exact() == distinct_.is_empty() && utf8_ <= count();
}

}  // namespace headrace::stats
