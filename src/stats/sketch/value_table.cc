#include "src/stats/sketch/value_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {

void ValueTable::SetCapacity(size_t capacity) {
  capacity_ = std::max<size_t>(capacity, 4);
}

bool ValueTable::TakesNew() {
  if (rate_ == 1) return true;
  if (skipped_ > 0) {
    --skipped_;
    return false;
  }
  skipped_ = random_.Next() % (2 * rate_ - 1);  // rate_ - 1 on average
  return true;
}

void ValueTable::Insert(size_t slot, std::string_view text,
                        const Entry& entry) {
  entries_.push_back(entry);
  entries_.back().begin = static_cast<uint32_t>(text_.size());
  text_.append(text);
  slots_[slot] = {static_cast<uint32_t>(entries_.size()), TagOf(entry.hash)};
  if (4 * entries_.size() > slots_.size()) Rebuild(2 * slots_.size());
}

void ValueTable::Rebuild(size_t num_slots) {
  slots_.assign(num_slots, {});
  for (size_t i = 0; i < entries_.size(); ++i) {
    const uint64_t hash = entries_[i].hash;
    slots_[FindEmptySlot(hash)] = {static_cast<uint32_t>(i + 1), TagOf(hash)};
  }
}

// Keeps only these entries, which must be entries of the table.
void ValueTable::Keep(std::vector<Entry> entries) {
  std::string text;
  for (Entry& entry : entries) {
    const std::string_view value = TextOf(entry);
    entry.begin = static_cast<uint32_t>(text.size());
    text.append(value);
  }
  entries_ = std::move(entries);
  text_ = std::move(text);
  Rebuild(std::max(kMinSlots, std::bit_ceil(4 * entries_.size() + 1)));
}

// Frees at least half of the capacity, so that purges are rare.
void ValueTable::Purge() {
  std::vector<Entry> entries = entries_;
  uint64_t bytes = text_.size();
  while (entries.size() > capacity_ / 2 || bytes > kTextBytes / 2 * capacity_) {
    const auto middle =
        entries.begin() + static_cast<std::ptrdiff_t>(entries.size() / 2);
    std::nth_element(
        entries.begin(), middle, entries.end(),
        [](const Entry& a, const Entry& b) { return a.count < b.count; });
    const uint64_t median = middle->count;
    error_ += median;
    bytes = 0;
    size_t size = 0;
    for (Entry& entry : entries) {
      if (entry.count <= median) continue;
      entry.count -= median;
      bytes += KeptBytes(entry.size);
      entries[size++] = entry;
    }
    entries.resize(size);
  }
  Keep(std::move(entries));
  // A purged table is approximate, even if nothing was subtracted.
  error_ = std::max<uint64_t>(error_, 1);
  rate_ = std::max(rate_, std::bit_floor(std::max<uint64_t>(error_ / 4, 1)));
}

void ValueTable::Merge(const ValueTable& other) {
  if (slots_.empty()) Rebuild(kMinSlots);
  for (const Entry& entry : other.entries_) {
    const std::string_view text = other.TextOf(entry);
    const size_t slot = FindSlot(text, entry.size, entry.hash);
    if (slots_[slot].entry != 0) {
      entries_[slots_[slot].entry - 1].count += entry.count;
    } else {
      Insert(slot, text, entry);
    }
  }
  error_ += other.error_;
  rate_ = std::max(rate_, other.rate_);
  random_.Merge(other.random_);
}

std::vector<ValueCount> ValueTable::Top() const {
  std::vector<ValueCount> top;
  top.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    top.push_back({.value = std::string(TextOf(entry)),
                   .size = entry.size,
                   .count = entry.count,
                   .error = error()});
  }
  std::sort(top.begin(), top.end(), [](const auto& a, const auto& b) {
    if (a.count != b.count) return a.count > b.count;
    return a.value != b.value ? a.value < b.value : a.size < b.size;
  });
  return top;
}

void ValueTable::Append(std::string* out) const {
  AppendFields(out, error_, rate_, uint64_t{entries_.size()});
  std::vector<Entry> entries = entries_;
  std::sort(entries.begin(), entries.end(),
            [this](const Entry& a, const Entry& b) {
              if (a.hash != b.hash) return a.hash < b.hash;
              return a.size != b.size ? a.size < b.size : TextOf(a) < TextOf(b);
            });
  for (const Entry& entry : entries) {
    AppendFields(out, entry.hash, entry.count, entry.size, TextOf(entry));
  }
}

bool ValueTable::Parse(std::string_view* bytes) {
  uint64_t size = 0;
  if (!TakeFields(bytes, &error_, &rate_, &size) || rate_ == 0 ||
      rate_ > uint64_t{1} << 62) {
    return false;
  }
  Rebuild(kMinSlots);
  for (uint64_t i = 0; i < size; ++i) {
    Entry entry = {};
    std::string text;
    if (!TakeFields(bytes, &entry.hash, &entry.count, &entry.size, &text) ||
        text.size() != KeptBytes(entry.size) ||
        text_.size() + text.size() > UINT32_MAX) {
      return false;
    }
    Insert(FindEmptySlot(entry.hash), text, entry);
  }
  return true;
}

}  // namespace headrace::stats
