#include "src/exchange/json/json_entries.h"

#include <algorithm>
#include <utility>

#include "src/base/json/json_text.h"

namespace headrace::json {
namespace {

// The maximum number of keys that are remembered is kMaxKeys plus kKeysPerUsed
// for each key of the last record. A file whose records all have different keys
// must not fill the memory.
constexpr size_t kMaxKeys = 1024;
constexpr size_t kKeysPerUsed = 2;

// If at most kFewKeys keys are known, plus kKnownPerUsed for each key of the
// record, all known keys are visited in order, which is quicker than sorting
// the keys of the record.
constexpr size_t kFewKeys = 32;
constexpr size_t kKnownPerUsed = 4;

// The size of a quick copy, which may pass the end of a text into its slack.
constexpr size_t kQuickCopy = LineText::kSlack / 2;

}  // namespace

void JsonEntries::BeginRecord() {
  if (entries_.size() > kMaxKeys + kKeysPerUsed * used_.size()) {
    guesses_.fill(nullptr);
    sorted_.clear();
    entries_.clear();
  }
  ++record_;
  used_.clear();
}

JsonEntry* JsonEntries::FindOrAdd(const JsonKey& key) {
  const auto it = entries_.lower_bound(key.text);
  if (it != entries_.end() && it->first == key.text) {
    return guesses_[PlaceOf(key)] = &it->second;
  }
  JsonEntry entry;
  entry.head = key.head;
  AppendJsonString(key.text, &entry.label);
  entry.label += ":[";
  entry.label_size = entry.label.size();
  entry.label.resize(std::max(entry.label_size, LineText::kShort));
  const auto added =
      entries_.try_emplace(it, std::string(key.text), std::move(entry));
  added->second.key = &added->first;
  return guesses_[PlaceOf(key)] = &added->second;
}

void JsonEntries::SortUsed() {
  if (entries_.size() > kFewKeys + kKnownPerUsed * used_.size()) {
    std::sort(used_.begin(), used_.end(),
              [](const JsonEntry* a, const JsonEntry* b) {
                return *a->key < *b->key;
              });
    return;
  }
  if (sorted_.size() != entries_.size()) {
    sorted_.clear();
    for (auto& [key, entry] : entries_) sorted_.push_back(&entry);
  }
  auto used = used_.begin();
  for (JsonEntry* const entry : sorted_) {
    if (entry->record == record_) *used++ = entry;
  }
}

void JsonEntries::AppendObject(const LineText& text, const Keeps& keeps,
                               std::string* out) {
  SortUsed();
  const size_t begin = out->size();
  out->resize(begin + text.size() + 2 + kQuickCopy);
  char* end = out->data() + begin;
  *end++ = '{';
  for (JsonEntry* const entry : used_) {
    if (std::exchange(entry->is_new, false) && keeps) {
      entry->is_kept = keeps(*entry->key);
    }
    if (!entry->is_kept) continue;
    const size_t size = entry->end - entry->begin;
    const char* const from = text.data() + entry->begin;
    std::memcpy(end, from, kQuickCopy);
    if (size > kQuickCopy) {
      std::memcpy(end + kQuickCopy, from + kQuickCopy, size - kQuickCopy);
    }
    end += size;
  }
  if (end[-1] == ',') --end;
  *end++ = '}';
  out->resize(static_cast<size_t>(end - out->data()));
}

}  // namespace headrace::json
