// Values that are zlib streams: zlib itself is the oracle, on every cut and
// every change of a byte.

#include "src/input/deflate/zlib_value.h"

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "tests/random/random_example.h"
#include "tests/support/zlib_stream.h"

namespace headrace::compression {
namespace {

using End = ZlibValue::End;
using ::headrace::testing::ZlibStream;

// What zlib makes of a stream that is all there is, in room for so much.
bool ZlibTakes(std::string_view stored, size_t room, std::string* bytes) {
  bytes->resize(room + 1);
  uLongf size = room;
  uLong used = stored.size();
  const int result =
      uncompress2(reinterpret_cast<Bytef*>(bytes->data()), &size,
                  reinterpret_cast<const Bytef*>(stored.data()), &used);
  if (result != Z_OK || used != stored.size()) return false;
  bytes->resize(size);
  return true;
}

void Compare(ZlibValue* zlib, std::string_view stored, size_t room) {
  std::string wanted;
  const bool taken = ZlibTakes(stored, room, &wanted);
  std::string bytes(room + 1, 'x');
  size_t size = 0, counted = 0;
  const End end = zlib->Inflate(
      stored, reinterpret_cast<uint8_t*>(bytes.data()), room, &size);
  ASSERT_EQ(end == End::kWhole, taken);
  EXPECT_EQ(bytes[room], 'x');
  ASSERT_EQ(zlib->Count(stored, room, &counted) == End::kWhole, taken);
  if (!taken) return;
  EXPECT_EQ(counted, size);
  EXPECT_EQ(bytes.substr(0, size), wanted);
}

TEST(ZlibValueTest, StreamsOfManySizes) {
  ZlibValue zlib;
  testing::Random random(1);
  for (const size_t size : {0u, 1u, 2u, 100u, 5000u, 70000u}) {
    for (const std::string& bytes :
         {random.Bytes(size), std::string(size, 'a')}) {
      for (const int level : {0, 1, 9}) {
        const std::string stored = ZlibStream(bytes, level);
        Compare(&zlib, stored, size);
        Compare(&zlib, stored, size + 100);
        EXPECT_LE(size, ZlibValue::MostBytes(stored.size()));
        if (size == 0) continue;
        size_t made = 0;
        std::string out(size, '\0');
        EXPECT_EQ(zlib.Inflate(stored, reinterpret_cast<uint8_t*>(out.data()),
                               size - 1, &made),
                  End::kLonger);
        EXPECT_EQ(zlib.Count(stored, size - 1, &made), End::kLonger);
      }
    }
  }
}

TEST(ZlibValueTest, CutOrChangedStreams) {
  ZlibValue zlib;
  testing::Random random(2);
  for (const int level : {0, 6}) {
    const std::string bytes = random.Bytes(40) + std::string(40, 'b');
    const std::string stored = ZlibStream(bytes, level);
    for (size_t size = 0; size < stored.size(); ++size) {
      Compare(&zlib, stored.substr(0, size), bytes.size());
    }
    Compare(&zlib, stored + "x", bytes.size());
    for (size_t i = 0; i < 8 * stored.size(); ++i) {
      std::string changed = stored;
      changed[i / 8] ^= static_cast<char>(1 << i % 8);
      Compare(&zlib, changed, bytes.size());
      Compare(&zlib, changed, 3 * bytes.size());
    }
  }
}

}  // namespace
}  // namespace headrace::compression
