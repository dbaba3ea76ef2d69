#include "src/plan/entry_template.h"

#include <bit>
#include <cstring>

namespace headrace::plan {
namespace {

// 0A L 0A K before the key, 12 V behind it.
constexpr size_t kBeforeKey = 4;
constexpr size_t kSkippedHeadBytes = kBeforeKey + 2;

}  // namespace

void EntryTemplate::Put(size_t i, size_t byte, bool is_length) {
  head[i] = static_cast<uint8_t>(byte);
  care[i] = 0xFF;
  lengths[i] = is_length ? 0xFF : 0;
}

// 0A L 0A K key 12, for a head whose size is known.
void EntryTemplate::PutKey(std::string_view key) {
  // L is P and what stands between the two.
  max_inner = static_cast<uint8_t>(0x7F - (size - 2));
  Put(0, 0x0A, false);
  Put(1, size - 2u, true);
  Put(2, 0x0A, false);
  Put(3, key.size(), false);
  std::memcpy(head + kBeforeKey, key.data(), key.size());
  std::memset(care + kBeforeKey, 0xFF, key.size());
  Put(kBeforeKey + key.size(), 0x12, false);
}

EntryTemplate::EntryTemplate(std::string_view key, Kind of) : EntryTemplate() {
  if (key.size() + kHeadBytes > kTemplateBytes || of == Kind::kNull) return;
  size = static_cast<uint8_t>(key.size() + kHeadBytes);
  kind = of;
  is_number = of == Kind::kBytes ? 0 : ~uint64_t{0};
  if (of == Kind::kInt64) {
    varint_ends = 0x8080808080808080u;
    value_bits = ~varint_ends;
  } else if (of == Kind::kFloat) {
    fixed_end = 0x80000000u;
    value_bits = 0xFFFFFFFFu;
  }
  constexpr size_t kViewLog2 = std::bit_width(sizeof(std::string_view)) - 1;
  size_log2 = of == Kind::kBytes ? kViewLog2 : of == Kind::kFloat ? 2 : 3;
  PutKey(key);
  const size_t value = kBeforeKey + key.size();
  Put(value + 1, 4, true);
  Put(value + 2, static_cast<size_t>(of) << 3 | 2, false);
  Put(value + 3, 2, true);
  Put(value + 4, 0x0A, false);
  Put(value + 5, 0, true);
}

bool EntryTemplate::CanSkip(std::string_view key) {
  return key.size() + kSkippedHeadBytes <= kTemplateBytes;
}

EntryTemplate EntryTemplate::ToSkip(std::string_view key) {
  EntryTemplate entry;
  entry.size = static_cast<uint8_t>(key.size() + kSkippedHeadBytes);
  entry.PutKey(key);
  entry.Put(entry.size - 1u, 0, true);
  return entry;
}

bool EntryTemplate::IsForKey(std::string_view key) const {
  return head[3] == key.size() &&
         std::memcmp(head + kBeforeKey, key.data(), key.size()) == 0;
}

}  // namespace headrace::plan
