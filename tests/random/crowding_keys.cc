#include "tests/random/crowding_keys.h"

#include <algorithm>
#include <array>

#include "src/plan/compile/key_table.h"

namespace headrace::testing {
namespace {

constexpr size_t kKeyDigits = 8;

void WriteDigits(size_t i, char* digits) {
  for (size_t digit = kKeyDigits; digit-- > 0; i >>= 4) {
    digits[digit] = "0123456789abcdef"[i & 15];
  }
}

}  // namespace

std::string KeyOf(size_t i, std::string_view end) {
  std::string key(kKeyDigits, '0');
  WriteDigits(i, key.data());
  return key.append(end);
}

std::vector<std::string> CrowdingKeys(size_t count, uint64_t mask,
                                      uint64_t seeds, std::string_view end) {
  // Tens of millions are tried: none is a string of its own.
  const size_t size = kKeyDigits + end.size();
  std::array<char, 2 * kKeyDigits + plan::kKeySlack> key = {};
  std::ranges::copy(end, key.begin() + kKeyDigits);
  std::vector<std::string> keys;
  for (size_t i = 0; keys.size() < count; ++i) {
    WriteDigits(i, key.data());
    uint64_t bits = 0;
    for (uint64_t seed = 0; bits == 0 && seed < seeds; ++seed) {
      bits = mask & plan::HashKey(reinterpret_cast<const uint8_t*>(key.data()),
                                  size, plan::KeyTable::Seed(seed));
    }
    if (bits == 0) keys.emplace_back(key.data(), size);
  }
  return keys;
}

}  // namespace headrace::testing
