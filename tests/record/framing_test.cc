// The public framing: what other programs can build on.

#include "src/base/framing.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "headrace/record_reader.h"
#include "src/base/record_header.h"
#include "tests/support/record_file.h"

namespace headrace::testing {
namespace {

static_assert(MaskCrc32c(0) == 0xa282ead8u);

// By their full names: tests have a slow Crc32c of their own.
uint32_t CrcOf(const std::string& bytes) {
  return headrace::Crc32c(bytes.data(), bytes.size());
}

// RFC 3720, B.4, and the check value of the catalogues.
TEST(Framing, PublishedChecksums) {
  EXPECT_EQ(CrcOf("123456789"), 0xe3069283u);
  EXPECT_EQ(CrcOf(""), 0u);
  EXPECT_EQ(headrace::Crc32c(nullptr, 0), 0u);
  EXPECT_EQ(CrcOf(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(CrcOf(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(headrace::Crc32cExtend(CrcOf("1234"), "56789", 5), 0xe3069283u);
  EXPECT_EQ(headrace::Crc32cExtend(0xe3069283u, "", 0), 0xe3069283u);
}

TEST(Framing, Masks) {
  // Of a length of 0, as it begins every file of empty records.
  EXPECT_EQ(MaskCrc32c(CrcOf(std::string(8, '\0'))), 0x07980329u);
}

std::string Framed(const std::string& payload) {
  const auto header = headrace::RecordHeader(payload.size());
  const auto footer = headrace::RecordFooter(payload);
  return std::string(header.begin(), header.end()) + payload +
         std::string(footer.begin(), footer.end());
}

TEST(Framing, MakesRecordsOfTheFormat) {
  for (const size_t size : {0u, 1u, 7u, 255u, 256u, 100'000u}) {
    const std::string payload(size, 'p');
    EXPECT_EQ(Framed(payload), RecordFile({payload})) << size;
    auto reader = RecordReader::FromMemory(RecordFile({payload}));
    ASSERT_TRUE(reader.ok());
  }
}

TEST(Framing, ReadsHeadersThatAreRight) {
  for (const uint64_t size :
       {uint64_t{0}, uint64_t{5}, uint64_t{1} << 40, ~uint64_t{0}}) {
    auto header = headrace::RecordHeader(size);
    EXPECT_TRUE(IsRecordHeader(header.data()));
    for (size_t bit = 0; bit < 8 * header.size(); ++bit) {
      header[bit / 8] = static_cast<uint8_t>(header[bit / 8] ^ (1 << bit % 8));
      EXPECT_FALSE(IsRecordHeader(header.data())) << bit;
      header[bit / 8] = static_cast<uint8_t>(header[bit / 8] ^ (1 << bit % 8));
    }
  }
}

}  // namespace
}  // namespace headrace::testing
