// Templates against entries that were put together field by field.

#include "src/plan/compile/entry_template.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "headrace/types.h"
#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"

namespace headrace::plan {
namespace {

using testing::EntryField;
using testing::FeatureOf;
using testing::LenField;

constexpr size_t kSizes[] = {0, 1, 8, 90};  // of payloads

bool Bit(uint32_t bits, size_t i) { return (bits >> i & 1) != 0; }

// What the head of an entry whose last length is `size` must be.
void ExpectHead(const EntryTemplate& entry, const std::string& bytes,
                size_t size) {
  ASSERT_LE(entry.size, bytes.size());
  EXPECT_EQ(bytes[entry.size - 1u], static_cast<char>(size));
  for (size_t i = 0; i < kTemplateBytes; ++i) {
    EXPECT_EQ(Bit(entry.care_bits, i), i < entry.size);
    if (i >= entry.size) continue;
    const size_t added = Bit(entry.length_bits, i) ? size : 0;
    EXPECT_EQ(bytes[i], static_cast<char>(entry.head[i] + added)) << i;
  }
}

// Processors without masks of bits have them as bytes.
void ExpectBytesOfBits(const EntryTemplate& entry, const EntryMasks& masks) {
  const EntryMask& mask = masks.of[entry.mask];
  for (size_t i = 0; i < kTemplateBytes; ++i) {
    EXPECT_EQ(mask.care[i], Bit(entry.care_bits, i) ? 0xFF : 0) << i;
    EXPECT_EQ(mask.lengths[i], Bit(entry.length_bits, i) ? 0xFF : 0) << i;
  }
}

TEST(EntryTemplateTest, IsTheHeadOfAnEntry) {
  const auto masks = std::make_unique<EntryMasks>();
  ExpectBytesOfBits(EntryTemplate(), *masks);
  for (size_t key_size = 0; key_size <= kTemplateBytes; ++key_size) {
    SCOPED_TRACE(key_size);
    const std::string key(key_size, 'k');
    for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
      const EntryTemplate entry(key, kind);
      ExpectBytesOfBits(entry, *masks);
      EXPECT_EQ(entry.kind == kind, key_size + kHeadBytes <= kTemplateBytes);
      if (entry.kind != kind) continue;
      EXPECT_TRUE(entry.IsForKey(key));
      for (const size_t size : kSizes) {
        const std::string list = LenField(1, std::string(size, 'v'));
        ExpectHead(entry, EntryField(key, FeatureOf(kind, list)), size);
      }
    }
    EXPECT_EQ(EntryTemplate::CanSkip(key), key_size + 6 <= kTemplateBytes);
    if (!EntryTemplate::CanSkip(key)) continue;
    const EntryTemplate entry = EntryTemplate::ToSkip(key);
    ExpectBytesOfBits(entry, *masks);
    EXPECT_TRUE(entry.IsForKey(key));
    for (const size_t size : kSizes) {
      ExpectHead(entry, EntryField(key, std::string(size, 'v')), size);
    }
  }
}

}  // namespace
}  // namespace headrace::plan
