#include "src/decode/json_entries.h"

#include <algorithm>
#include <utility>

#include "headrace/json_text.h"

namespace headrace::decode {
namespace {

// So many keys are remembered whatever records have, and of those that records
// have one in so many. A file whose records all have other keys must neither
// fill the memory nor have its records sorted among those of all others.
constexpr size_t kFreeKeys = 64;
constexpr size_t kKeysPerUsed = 4;

// Copies of so many bytes are quick, and leave the slack.
constexpr size_t kQuickCopy = JsonText::kSlack / 2;

}  // namespace

void JsonEntries::BeginRecord() {
  if (entries_.size() > kFreeKeys + kKeysPerUsed * num_used_) Forget();
  ++record_;
  num_used_ = 0;
}

void JsonEntries::Forget() {
  guesses_.fill(nullptr);
  sorted_.clear();
  entries_.clear();
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
  entry.label.resize(std::max(entry.label_size, JsonText::kShort));
  const auto added = entries_.try_emplace(it, std::string(key.text), entry);
  added->second.key = &added->first;
  return guesses_[PlaceOf(key)] = &added->second;
}

void JsonEntries::Sort() {
  if (sorted_.size() == entries_.size()) return;
  sorted_.clear();
  for (auto& [key, entry] : entries_) sorted_.push_back(&entry);
}

void JsonEntries::AppendObject(const JsonText& text, const Keeps& keeps,
                               std::string* out) {
  Sort();
  const size_t begin = out->size();
  out->resize(begin + text.size() + 2 + kQuickCopy);
  char* end = out->data() + begin;
  *end++ = '{';
  for (JsonEntry* const entry : sorted_) {
    if (entry->record != record_) continue;
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

}  // namespace headrace::decode
