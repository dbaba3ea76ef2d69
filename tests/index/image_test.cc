// The bytes of an index: what is found in right ones, and what becomes of wrong
// ones.

#include "src/input/index/image.h"

#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "tests/index/naive_index.h"
#include "tests/random/random_example.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

std::string IndexOf(const std::vector<uint64_t>& lengths) {
  index::ImageWriter writer;
  for (const uint64_t length : lengths) writer.Add(length);
  const std::vector<uint8_t> image = writer.Finish(
      {.size = writer.stream_bytes(),
       .time = int64_t{1'700'000'000'123'456'789},
       .digests = index::FileIdentity::Digests{.first = 3, .last = 4}});
  return std::string(image.begin(), image.end());
}

NaiveIndex Expected(const std::vector<uint64_t>& lengths) {
  NaiveIndex places;
  uint64_t at = 0;
  for (const uint64_t length : lengths) {
    places.push_back(RecordPlace{.offset = at, .length = length});
    at += 16 + length;
  }
  return places;
}

Result<Index> OpenBytes(const std::string& bytes) {
  const TemporaryFile file(bytes);
  return Index::Open(file.path());
}

// All lengths of one block have about so many bits.
std::vector<uint64_t> RandomLengths(size_t count, Random* random) {
  std::vector<uint64_t> lengths;
  size_t bits = 0;
  uint64_t base = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i % 64 == 0) {
      bits = random->Below(49);
      base = random->OneIn(2) ? random->Below(size_t{1} << 20) : 0;
    }
    lengths.push_back(base + (random->Bits() & ((uint64_t{1} << bits) - 1)));
  }
  return lengths;
}

TEST(IndexImage, FindsWhatWasAdded) {
  Random random(/*seed=*/1);
  for (const size_t count :
       {0u, 1u, 2u, 63u, 64u, 65u, 127u, 128u, 129u, 1000u, 5000u}) {
    SCOPED_TRACE(count);
    const std::vector<uint64_t> lengths = RandomLengths(count, &random);
    const std::string bytes = IndexOf(lengths);
    EXPECT_EQ(ReadNaively(bytes), Expected(lengths));
    const Index index = OrThrow(OpenBytes(bytes));
    EXPECT_EQ(index.size(), count);
    EXPECT_EQ(index.index_bytes(), bytes.size());
    EXPECT_EQ(
        index.stream_bytes(),
        std::accumulate(lengths.begin(), lengths.end(), uint64_t{16} * count));
    EXPECT_EQ(PlacesOf(index), Expected(lengths));
  }
}

// Each width, and the largest number that it holds.
TEST(IndexImage, WidthsHoldTheirLargestNumber) {
  for (size_t bits = 0; bits <= 56; ++bits) {
    const uint64_t most = bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits);
    for (const uint64_t base : {0u, 5u}) {
      const std::vector<uint64_t> lengths = {base, base + most,
                                             base + most / 2};
      const std::string bytes = IndexOf(lengths);
      const size_t width = (bits + 7) / 8 > 4 ? 8 : (bits + 7) / 8;
      EXPECT_EQ(bytes.size(), 72 + 3 * width + 32) << bits;
      EXPECT_EQ(PlacesOf(OrThrow(OpenBytes(bytes))), Expected(lengths)) << bits;
    }
  }
}

TEST(IndexImage, TakesThreeBytesARecord) {
  Random random(/*seed=*/2);
  std::vector<uint64_t> lengths(100'000);
  for (uint64_t& length : lengths) length = 500 + random.Below(1000);
  EXPECT_LE(IndexOf(lengths).size(), 3 * lengths.size());
}

TEST(IndexImage, FindsRecordsInAnyOrder) {
  Random random(/*seed=*/3);
  const std::vector<uint64_t> lengths = RandomLengths(1000, &random);
  const NaiveIndex expected = Expected(lengths);
  const Index index = OrThrow(OpenBytes(IndexOf(lengths)));
  std::vector<uint64_t> records(5000);
  for (uint64_t& record : records) record = random.Below(lengths.size());
  std::vector<RecordPlace> places(records.size());
  ASSERT_THAT(index.Find(records, places), IsOk());
  for (size_t i = 0; i < records.size(); ++i) {
    ASSERT_EQ(places[i], expected[records[i]]);
  }
  EXPECT_THAT(index.Find({}, {}), IsOk());
}

TEST(IndexImage, RefusesRecordsThatThereAreNot) {
  const Index index = OrThrow(OpenBytes(IndexOf({1, 2, 3})));
  std::array<RecordPlace, 1> place;
  for (const uint64_t record : {uint64_t{3}, uint64_t{64}, ~uint64_t{0}}) {
    const std::array<uint64_t, 1> records = {record};
    EXPECT_THAT(index.Find(records, place),
                IsError(ErrorCode::kInvalidArgument,
                        {.text = "no record " + std::to_string(record)}));
  }
  const std::array<uint64_t, 2> two = {0, 1};
  EXPECT_THAT(index.Find(two, place), HasCode(ErrorCode::kInvalidArgument));
}

// What is damaged is refused, at the latest where it is used.
void ExpectRefusedOrHarmless(const std::string& bytes,
                             const NaiveIndex& expected) {
  const TemporaryFile file(bytes);
  const Result<Index> index = Index::Open(file.path());
  if (!index.ok()) {
    ASSERT_THAT(index, IsError(ErrorCode::kBadIndex, {.file = file.path()}));
    return;
  }
  ASSERT_EQ(index->size(), expected.size());
  std::vector<uint64_t> records(expected.size());
  std::iota(records.begin(), records.end(), uint64_t{0});
  std::vector<RecordPlace> places(records.size());
  const Status status = index->Find(records, places);
  if (!status.ok()) {
    ASSERT_THAT(status, IsError(ErrorCode::kBadIndex,
                                {.file = file.path(), .text = "records "}));
    return;
  }
  for (size_t i = 0; i < places.size(); ++i) ASSERT_EQ(places[i], expected[i]);
}

TEST(IndexImage, NoFlippedBitGivesAnotherPlace) {
  Random random(/*seed=*/4);
  const std::vector<uint64_t> lengths = RandomLengths(130, &random);
  const NaiveIndex expected = Expected(lengths);
  const std::string bytes = IndexOf(lengths);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    SCOPED_TRACE(bit);
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    ExpectRefusedOrHarmless(changed, expected);
    if (HasFatalFailure()) return;
    // The first blocks must still be found if only the last is damaged.
    if (bit >= 8 * (bytes.size() - 32)) {
      const NaiveIndex places = PlacesOf(OrThrow(OpenBytes(changed)));
      EXPECT_TRUE(
          std::equal(places.begin(), places.begin() + 128, expected.begin()));
      EXPECT_EQ(places[128], std::nullopt);
    }
  }
}

TEST(IndexImage, IsRefusedIfItIsCutOrHasMore) {
  Random random(/*seed=*/5);
  const std::string bytes = IndexOf(RandomLengths(130, &random));
  // Fewer than 4 bytes are no magic, and so bad text; none at all is the text
  // of a file without records.
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_THAT(OpenBytes(bytes.substr(0, size)), HasCode(ErrorCode::kBadIndex))
        << size;
  }
  EXPECT_EQ(OrThrow(OpenBytes("")).size(), 0u);
  for (const size_t more : {1u, 31u, 32u, 64u}) {
    EXPECT_THAT(OpenBytes(bytes + std::string(more, '\0')),
                HasCode(ErrorCode::kBadIndex));
  }
}

TEST(IndexImage, SaysWhichRecordsAreConcerned) {
  std::string bytes = IndexOf(std::vector<uint64_t>(130, 7));
  bytes[bytes.size() - 64] ^= 1;
  const Index index = OrThrow(OpenBytes(bytes));
  std::array<RecordPlace, 1> place;
  const std::array<uint64_t, 1> record = {70};
  EXPECT_THAT(index.Find(record, place),
              IsError(ErrorCode::kBadIndex, {.text = "records 64 to 127"}));
  bytes[bytes.size() - 1] ^= 1;
  const std::array<uint64_t, 1> last = {129};
  EXPECT_THAT(OrThrow(OpenBytes(bytes)).Find(last, place),
              IsError(ErrorCode::kBadIndex, {.text = "records 128 to 129"}));
}

// A whole entry in another's place is right but for its number.
TEST(IndexImage, EntriesKnowTheirPlaces) {
  std::string bytes = IndexOf(std::vector<uint64_t>(128, 7));
  const std::string first = bytes.substr(bytes.size() - 64, 32);
  bytes.replace(bytes.size() - 32, 32, first);
  const NaiveIndex places = PlacesOf(OrThrow(OpenBytes(bytes)));
  EXPECT_EQ(places[0], (RecordPlace{.offset = 0, .length = 7}));
  EXPECT_EQ(places[64], std::nullopt);
}

// Numbers that contradict one another, with checks that are right.
TEST(IndexImage, SealedNonsenseIsJudgedAsTheNaiveReaderDoes) {
  Random random(/*seed=*/6);
  size_t opened = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<uint64_t> lengths =
        RandomLengths(1 + random.Below(130), &random);
    std::string bytes = IndexOf(lengths);
    for (size_t changes = 1 + random.Below(2); changes > 0; --changes) {
      const bool in_head = random.OneIn(3);
      const size_t field =
          in_head ? 8 * random.Below(9)
                  : bytes.size() - 8 * (1 + random.Below(4)) -
                        32 * random.Below((lengths.size() + 63) / 64);
      uint64_t number = 0;
      std::memcpy(&number, bytes.data() + field, sizeof(number));
      switch (random.Below(4)) {
        case 0:
          number = random.Bits() >> random.Below(64);
          break;
        case 1:
          number = ~uint64_t{0} >> random.Below(8);
          break;
        default:
          number += random.Below(5) - 2;
      }
      std::memcpy(bytes.data() + field, &number, sizeof(number));
    }
    SealIndex(&bytes);
    const auto expected = ReadNaively(bytes);
    const auto image = index::Image::Open(
        {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
        i % 2 == 0 ? index::Bytes::kOurs : index::Bytes::kMapped, "x");
    ASSERT_EQ(image.ok(), expected.has_value());
    if (!expected) continue;
    ++opened;
    for (size_t j = 0; j < expected->size(); ++j) {
      const std::array<uint64_t, 1> record = {j};
      std::array<RecordPlace, 1> place;
      const Status status = image->Find(record, place);
      ASSERT_EQ(status.ok(), (*expected)[j].has_value()) << i << " " << j;
      if (status.ok()) {
        ASSERT_EQ(place[0], (*expected)[j]);
      }
      refused += status.ok() ? 0u : 1u;
    }
  }
  EXPECT_GT(opened, 1000u);
  EXPECT_GT(refused, 1000u);
}

TEST(IndexImage, AnotherVersionIsNamed) {
  std::string bytes = IndexOf({1, 2, 3});
  bytes[4] = 3;
  SealIndex(&bytes);
  EXPECT_THAT(OpenBytes(bytes),
              IsError(ErrorCode::kBadIndex, {.text = "version 3"}));
  bytes[4] = 1;
  bytes[6] = 7;
  SealIndex(&bytes);
  EXPECT_THAT(OpenBytes(bytes),
              IsError(ErrorCode::kBadIndex, {.text = "flags 7"}));
}

}  // namespace
}  // namespace headrace::testing
