#include "src/plan/entry_template.h"

#include <bit>
#include <cstring>

namespace headrace::plan {

EntryTemplate::EntryTemplate(std::string_view key, Kind kind)
    : EntryTemplate() {
  const size_t keys = key.size();
  if (keys + kHeadBytes > kTemplateBytes || kind == Kind::kNull) return;
  size = static_cast<uint8_t>(keys + kHeadBytes);
  is_bytes = kind == Kind::kBytes ? ~uint64_t{0} : 0;
  is_float = kind == Kind::kFloat ? ~uint64_t{0} : 0;
  is_int = kind == Kind::kInt64 ? ~uint64_t{0} : 0;
  constexpr size_t kViewLog2 = std::bit_width(sizeof(std::string_view)) - 1;
  size_log2 = kind == Kind::kBytes ? kViewLog2 : kind == Kind::kFloat ? 2 : 3;
  // L is P and what stands between the two.
  max_inner = static_cast<uint8_t>(0x7F - (size - 2));
  const auto put = [this](size_t i, size_t byte, bool is_length) {
    head[i] = static_cast<uint8_t>(byte);
    care[i] = 0xFF;
    lengths[i] = is_length ? 0xFF : 0;
  };
  const size_t value = 4 + keys;  // where the tag of the Feature stands
  put(0, 0x0A, false);
  put(1, size - 2u, true);
  put(2, 0x0A, false);
  put(3, keys, false);
  std::memcpy(head + 4, key.data(), keys);
  std::memset(care + 4, 0xFF, keys);
  put(value, 0x12, false);
  put(value + 1, 4, true);
  put(value + 2, static_cast<size_t>(kind) << 3 | 2, false);
  put(value + 3, 2, true);
  put(value + 4, 0x0A, false);
  put(value + 5, 0, true);
}

}  // namespace headrace::plan
