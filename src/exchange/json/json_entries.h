// JsonEntries remembers the keys of records, and sorts the texts that a record
// has for them.

#ifndef HEADRACE_SRC_EXCHANGE_JSON_JSON_ENTRIES_H_
#define HEADRACE_SRC_EXCHANGE_JSON_JSON_ENTRIES_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/exchange/json/line_text.h"
#include "wire/cursor.h"
#include "wire/wire.h"

namespace headrace::json {

// A key in the bytes of a record. At least eight bytes must be readable from
// its beginning, even if it is shorter.
struct JsonKey {
  explicit JsonKey(wire::Span key)
      : text(wire::TextOf(key)), head(wire::LoadFixed64(key.data)) {
    constexpr size_t kWord = sizeof(head);
    if (key.size < kWord) head &= (uint64_t{1} << (8 * key.size)) - 1;
    tail = key.size < kWord ? head : wire::LoadFixed64(key.end() - kWord);
  }

  std::string_view text;
  uint64_t head;  // its first eight bytes; zeros where it has fewer
  uint64_t tail;  // its last eight bytes; `head` if it has fewer
};

// A key of records, and the text that the open record has for it.
struct JsonEntry {
  bool Has(const JsonKey& k) const {
    return k.head == head && k.text.size() == key->size() &&
           (key->size() <= sizeof(head) || k.text == *key);
  }

  uint64_t head = 0;  // the head of the key
  const std::string* key = nullptr;
  // The key as JSON with a colon and the bracket of a list. At least
  // LineText::kShort bytes are readable.
  std::string label;
  size_t label_size = 0;
  uint64_t record = 0;  // the last one that has the key
  // Where the record's text for the key is, label and comma included.
  size_t begin = 0;
  size_t end = 0;
  bool is_new = true;
  bool is_kept = true;
};

// The entries of one map of a message. Their texts arrive in the order of the
// wire, and are written sorted by key.
class JsonEntries {
 public:
  using Keeps = std::function<bool(std::string_view name)>;

  void BeginRecord();

  // Returns the entry of a key that an earlier record had; null if a single
  // look does not find it.
  JsonEntry* Guess(const JsonKey& key) const {
    JsonEntry* const entry = guesses_[PlaceOf(key)];
    return entry != nullptr && entry->Has(key) ? entry : nullptr;
  }
  JsonEntry* FindOrAdd(const JsonKey& key);

  // Notes that the record has the entry; its earlier text for it is dropped.
  void Enter(JsonEntry* entry) {
    if (entry->record != record_) used_.push_back(entry);
    entry->record = record_;
  }

  // Appends the entries of the record as an object. `text` has their texts.
  // Leaves out the entries for which `keeps` returns false; it is called once
  // for each key.
  void AppendObject(const LineText& text, const Keeps& keeps, std::string* out);

 private:
  static constexpr int kPlaceBits = 11;
  static size_t PlaceOf(const JsonKey& key) {
    constexpr uint64_t kFactor = 0x9e37'79b9'7f4a'7c15;  // 2^64 / golden ratio
    const uint64_t mixed = key.head ^ std::rotl(key.tail, 24) ^ key.text.size();
    return static_cast<size_t>(mixed * kFactor >> (64 - kPlaceBits));
  }
  void SortUsed();

  std::map<std::string, JsonEntry, std::less<>> entries_;
  std::vector<JsonEntry*> sorted_;  // all entries; stale if it has fewer
  // For each place, the entry that was looked up last. Keys may be chosen to
  // share a place; the map finds those.
  std::array<JsonEntry*, size_t{1} << kPlaceBits> guesses_ = {};
  std::vector<JsonEntry*> used_;  // those that the record has
  uint64_t record_ = 0;
};

}  // namespace headrace::json

#endif  // HEADRACE_SRC_EXCHANGE_JSON_JSON_ENTRIES_H_
