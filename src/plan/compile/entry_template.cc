#include "src/plan/compile/entry_template.h"

#include <bit>
#include <cstring>

namespace headrace::plan {
namespace {

// 0A L 0A K is before the key, 12 V after it.
constexpr size_t kBeforeKey = 4;
constexpr size_t kSkippedHeadBytes = kBeforeKey + 2;

}  // namespace

// Writes 0A L 0A K key 12 for P = 0, and sets care_bits. `size` must be set.
void EntryTemplate::PutKey(std::string_view key) {
  care_bits = static_cast<uint32_t>((uint64_t{1} << size) - 1);
  head[0] = 0x0A;
  head[1] = static_cast<uint8_t>(size - 2u);
  head[2] = 0x0A;
  head[3] = static_cast<uint8_t>(key.size());
  std::memcpy(head + kBeforeKey, key.data(), key.size());
  head[kBeforeKey + key.size()] = 0x12;
}

EntryTemplate::EntryTemplate(std::string_view key, Kind of) : EntryTemplate() {
  if (key.size() + kHeadBytes > kTemplateBytes || of == Kind::kNull) return;
  size = static_cast<uint8_t>(key.size() + kHeadBytes);
  mask = size;
  kind = of;
  length_bits = LengthBits(size, /*ends_with_v=*/false);
  constexpr size_t kViewLog2 = std::bit_width(sizeof(std::string_view)) - 1;
  size_log2 = of == Kind::kBytes ? kViewLog2 : of == Kind::kFloat ? 2 : 3;
  PutKey(key);
  const size_t value = kBeforeKey + key.size();
  head[value + 1] = 4;
  head[value + 2] = static_cast<uint8_t>(static_cast<size_t>(of) << 3 | 2);
  head[value + 3] = 2;
  head[value + 4] = 0x0A;
  head[value + 5] = 0;
}

bool EntryTemplate::CanSkip(std::string_view key) {
  return key.size() + kSkippedHeadBytes <= kTemplateBytes;
}

EntryTemplate EntryTemplate::ToSkip(std::string_view key) {
  EntryTemplate entry;
  entry.size = static_cast<uint8_t>(key.size() + kSkippedHeadBytes);
  entry.PutKey(key);
  entry.length_bits = LengthBits(entry.size, /*ends_with_v=*/true);
  entry.mask = static_cast<uint8_t>(kTemplateBytes + 1 + entry.size);
  return entry;
}

bool EntryTemplate::IsForKey(std::string_view key) const {
  return head[3] == key.size() &&
         std::memcmp(head + kBeforeKey, key.data(), key.size()) == 0;
}

}  // namespace headrace::plan
