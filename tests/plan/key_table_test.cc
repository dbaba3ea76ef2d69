// Keys chosen by somebody who knows the hash: a plan can be found from data.

#include "src/plan/compile/key_table.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/random/crowding_keys.h"

namespace headrace::plan {
namespace {

using testing::CrowdingKeys;
using testing::KeyOf;

// Of so many keys the table has 2^17 entries, and tries the fewest seeds.
constexpr size_t kKeys = 16384;
// More than chance makes of keys in such a table, far less than of keys that
// crowd.
constexpr size_t kFew = 32;

// With the bytes that a look-up may read behind it.
std::string Padded(const std::string& key) {
  return key + std::string(kKeySlack, '\xA5');
}

uint64_t HashOf(const std::string& key, uint64_t seed) {
  uint8_t padded[64] = {};
  std::copy(key.begin(), key.end(), padded);
  return HashKey(padded, key.size(), seed);
}

void ExpectShortLookups(const std::vector<std::string>& names) {
  std::vector<KeyTable::Key> keys;
  for (const std::string& name : names) {
    keys.push_back({name, static_cast<uint32_t>(keys.size())});
  }
  KeyTable table;
  table.Build(keys);
  EXPECT_LE(table.longest_probe(), kFew);
  size_t elsewhere = 0;
  for (const KeyTable::Key& key : keys) {
    const std::string padded = Padded(std::string(key.key));
    const auto* const bytes = reinterpret_cast<const uint8_t*>(padded.data());
    ASSERT_EQ(table.Find(bytes, key.key.size()), key.slot) << key.key;
    const uint32_t likely = table.probe().FindLikely(bytes, key.key.size());
    ASSERT_NE(likely, KeyProbe::kEmpty) << key.key;
    elsewhere += likely != key.slot;
    ASSERT_EQ(table.Find(bytes, key.key.size() - 1), kNoSlot) << key.key;
  }
  // Seeds are tried until all keys of an ordinary plan have places alone.
  EXPECT_LE(elsewhere, keys.size() <= 100 ? 0 : keys.size() / 8);
}

TEST(KeyTableTest, OrdinaryKeys) {
  for (size_t count : {1u, 2u, 100u, 5000u, 65536u}) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < count; ++i) keys.push_back(KeyOf(i));
    ExpectShortLookups(keys);
  }
}

// In an eighth of the table, which they fill, under the first four seeds.
TEST(KeyTableTest, KeysThatCrowdUnderTheFirstSeeds) {
  ExpectShortLookups(CrowdingKeys(kKeys, uint64_t{7} << 14, 4, ""));
}

TEST(KeyTableTest, KeysThatCrowdUnderAllSmallSeeds) {
  const auto keys = CrowdingKeys(kKeys, 0x1FE00, 1, testing::kLevelEnd);
  size_t moved = 0;
  for (uint64_t seed = 1; seed < 100; ++seed) {
    if ((HashOf(keys[seed], KeyTable::Seed(0) ^ seed) & 0x7C00) != 0) ++moved;
  }
  EXPECT_LT(moved, 10u);  // or these keys prove nothing
  ExpectShortLookups(keys);
}

}  // namespace
}  // namespace headrace::plan
