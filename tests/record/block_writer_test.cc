// Blocked gzip and zstd frames, as docs/formats/tfrecord.md has them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/record_writer.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using Specimen = std::vector<std::string>;

// What the header of a member says, and what it has.
struct Member {
  uint32_t stored = 0;
  uint32_t plain_size = 0;
  uint32_t num_records = 0;
  std::string plain;
};

uint32_t Little32(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= uint32_t{static_cast<uint8_t>(bytes.at(at + i))} << (8 * i);
  }
  return value;
}

// Goes from member to member as their headers say.
std::vector<Member> MembersOf(const std::string& file) {
  std::vector<Member> members;
  const std::string head("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x10\0HR\x0c\0", 16);
  for (size_t at = 0; at < file.size();) {
    if (file.substr(at, head.size()) != head) {
      ADD_FAILURE() << "no member begins at " << at;
      break;
    }
    Member member{.stored = Little32(file, at + 16),
                  .plain_size = Little32(file, at + 20),
                  .num_records = Little32(file, at + 24),
                  .plain = ""};
    std::string stored = file.substr(at, member.stored);
    member.plain.resize(member.plain_size + 1u);
    z_stream stream = {};
    EXPECT_EQ(inflateInit2(&stream, 31), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(stored.data());
    stream.avail_in = static_cast<uInt>(stored.size());
    stream.next_out = reinterpret_cast<Bytef*>(member.plain.data());
    stream.avail_out = static_cast<uInt>(member.plain.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    EXPECT_EQ(stream.avail_in, 0u);
    EXPECT_EQ(stream.total_out, member.plain_size);
    inflateEnd(&stream);
    member.plain.resize(member.plain_size);
    at += member.stored;
    members.push_back(std::move(member));
  }
  return members;
}

// Of several kinds, so that each way to deflate is taken.
Specimen SomeRecords(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Specimen payloads;
  while (payloads.size() < count) {
    std::string payload(random() % 3000, 'a');
    const bool is_noise = payloads.size() % 500 > 250;
    for (char& c : payload) {
      if (is_noise || random() % 8 == 0) c = static_cast<char>(random());
    }
    payloads.push_back(std::move(payload));
  }
  return payloads;
}

std::string Written(const Specimen& payloads,
                    const RecordWriterOptions& options) {
  const TemporaryFile file("");
  auto writer = OrThrow(RecordWriter::Open(file.path(), options));
  for (const std::string& payload : payloads) {
    EXPECT_THAT(writer.Write(payload), IsOk());
  }
  EXPECT_THAT(writer.Close(), IsOk());
  return ContentOf(file.path());
}

TEST(BlockWriter, MembersAreWholeRecords) {
  const Specimen payloads = SomeRecords(2000, 1);
  for (const uint64_t block : {uint64_t{4096}, uint64_t{100'000},
                               uint64_t{1} << 20, uint64_t{1} << 30}) {
    const auto members = MembersOf(Written(
        payloads, {.compression = Compression::kGzip, .block_bytes = block}));
    size_t next = 0;
    for (const Member& member : members) {
      ASSERT_GT(member.num_records, 0u);
      ASSERT_LE(member.num_records, payloads.size() - next);
      const Specimen own(payloads.begin() + static_cast<std::ptrdiff_t>(next),
                         payloads.begin() + static_cast<std::ptrdiff_t>(
                                                next + member.num_records));
      EXPECT_TRUE(member.plain == RecordFile(own));
      next += member.num_records;
      const bool is_last = next == payloads.size();
      EXPECT_TRUE(is_last || member.plain.size() >= block);
      const size_t without_last = member.plain.size() - own.back().size() - 16u;
      EXPECT_LT(without_last, block);
    }
    EXPECT_EQ(next, payloads.size());
  }
}

TEST(BlockWriter, ThreadsMakeNoDifference) {
  const Specimen payloads = SomeRecords(3000, 2);
  for (const Compression compression :
       {Compression::kGzip, Compression::kZstd}) {
    for (const int level : {1, 3, 6}) {
      const std::string one = Written(
          payloads,
          {.compression = compression, .level = level, .block_bytes = 20'000});
      for (const size_t threads :
           {size_t{2}, size_t{5}, ~size_t{0}, size_t{0}}) {
        const std::string other = Written(payloads, {.compression = compression,
                                                     .level = level,
                                                     .block_bytes = 20'000,
                                                     .threads = threads});
        const auto [at, unused] =
            std::mismatch(one.begin(), one.end(), other.begin(), other.end());
        EXPECT_TRUE(other == one)
            << CompressionName(compression) << " of level " << level << ", "
            << threads << " threads: " << one.size() << " and " << other.size()
            << " bytes, equal up to " << at - one.begin();
      }
    }
  }
}

TEST(BlockWriter, NoRecordsAreAnEmptyMember) {
  for (const size_t threads : {size_t{1}, size_t{3}}) {
    const auto members = MembersOf(
        Written({}, {.compression = Compression::kGzip, .threads = threads}));
    ASSERT_EQ(members.size(), 1u);
    EXPECT_EQ(members[0].plain_size, 0u);
    EXPECT_EQ(members[0].num_records, 0u);
  }
}

TEST(BlockWriter, ARecordMayBeLargerThanABlock) {
  const Specimen payloads = {std::string(3'000'000, 'x'), "y",
                             std::string(70'000, 'z')};
  const auto members = MembersOf(Written(
      payloads, {.compression = Compression::kGzip, .block_bytes = 4096}));
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].num_records, 1u);
  EXPECT_EQ(members[1].num_records, 2u);
}

TEST(BlockWriter, HigherLevelsAreSmaller) {
  std::string text;
  std::mt19937 random(3);
  while (text.size() < 1'000'000) {
    text += "feature_" + std::to_string(random() % 300) + " ";
  }
  for (const Compression compression :
       {Compression::kGzip, Compression::kZlib, Compression::kZstd}) {
    SCOPED_TRACE(CompressionName(compression));
    size_t last = ~size_t{0};
    for (const int level : {1, 6, 9}) {
      const size_t size =
          Written({text}, {.compression = compression, .level = level}).size();
      EXPECT_LT(size, last);
      last = size;
    }
    const size_t usual = compression == Compression::kZstd ? 3 : 6;
    EXPECT_EQ(Written({text}, {.compression = compression}).size(),
              Written({text}, {.compression = compression,
                               .level = static_cast<int>(usual)})
                  .size());
  }
}

#if HEADRACE_HAVE_ISAL
// What hardly shrinks is not searched: above level 3 it is as at 3. The rest
// is.
TEST(BlockWriter, SomeBlocksAreNotSearched) {
  std::mt19937 random(7);
  Specimen noise;
  Specimen text;
  for (size_t i = 0; i < 100; ++i) {
    std::string bytes(2000, 'a');
    std::string words;
    for (char& c : bytes) c = static_cast<char>(random() % 200);
    while (words.size() < 2000) words += std::to_string(random() % 300) + " ";
    noise.push_back(std::move(bytes));
    text.push_back(std::move(words));
  }
  const auto at = [](const Specimen& payloads, int level) {
    return Written(payloads,
                   {.compression = Compression::kGzip, .level = level});
  };
  for (const int level : {4, 6, 9}) {
    EXPECT_TRUE(at(noise, level) == at(noise, 3)) << level;
    EXPECT_LT(at(text, level).size(), at(text, 3).size()) << level;
  }
}
#endif

// zstd's contrib/seekable_format.
TEST(BlockWriter, ZstdEndsWithItsSeekTable) {
  const Specimen payloads = SomeRecords(500, 4);
  const std::string file = Written(
      payloads, {.compression = Compression::kZstd, .block_bytes = 50'000});
  const size_t footer = file.size() - 9;
  EXPECT_EQ(Little32(file, footer + 5), 0x8F92EAB1u);
  EXPECT_EQ(file[footer + 4], 0);
  const size_t frames = Little32(file, footer);
  EXPECT_GT(frames, 10u);
  const size_t table = footer - 8 * frames - 8;
  EXPECT_EQ(Little32(file, table), 0x184D2A5Eu);
  EXPECT_EQ(Little32(file, table + 4), 8 * frames + 9);
  std::string plain;
  size_t at = 0;
  for (size_t i = 0; i < frames; ++i) {
    const size_t stored = Little32(file, table + 8 + 8 * i);
    const size_t size = Little32(file, table + 12 + 8 * i);
    std::string frame(size, '\0');
    EXPECT_EQ(ZSTD_getFrameContentSize(file.data() + at, stored), size);
    EXPECT_EQ(ZSTD_decompress(frame.data(), size, file.data() + at, stored),
              size);
    plain += frame;
    at += stored;
  }
  EXPECT_EQ(at, table);
  EXPECT_TRUE(plain == RecordFile(payloads));
}

TEST(BlockWriter, WrongOptionsAreRefused) {
  const auto refused = [](const RecordWriterOptions& options,
                          const std::string& text) {
    const TemporaryFile file("old");
    EXPECT_THAT(RecordWriter::Open(file.path(), options),
                IsError(ErrorCode::kInvalidArgument,
                        {.file = file.path(), .text = text}));
    EXPECT_EQ(ContentOf(file.path()), "old");
  };
  for (const int level : {-1, 0, 10, 100}) {
    refused({.compression = Compression::kGzip, .level = level}, "1 to 9");
    refused({.compression = Compression::kZlib, .level = level}, "1 to 9");
  }
  refused({.compression = Compression::kZstd, .level = 23}, "1 to 22");
  refused({.compression = Compression::kSnappy, .level = 1}, "snappy");
  refused({.level = 1}, "none");
  refused({.compression = Compression::kGzip, .block_bytes = 4095}, "4 KiB");
  refused({.compression = Compression::kGzip,
           .block_bytes = (uint64_t{1} << 30) + 1},
          "1 GiB");
}

// Takes so many bytes, and no more.
class FullSink : public OutputSink {
 public:
  explicit FullSink(size_t room) : room_(room) {}
  Status Write(std::span<const uint8_t> bytes) override {
    if (bytes.size() > room_) return Status(ErrorCode::kIo, "full");
    room_ -= bytes.size();
    return Status();
  }
  Status Close() override { return Status(); }

 private:
  size_t room_;
};

TEST(BlockWriter, AFailureWithThreadsIsFinal) {
  const Specimen payloads = SomeRecords(4000, 5);
  for (const size_t threads : {size_t{1}, size_t{4}}) {
    for (const size_t room : {size_t{0}, size_t{500'000}, size_t{2'000'000}}) {
      auto writer =
          OrThrow(RecordWriter::ToSink(std::make_unique<FullSink>(room), "sink",
                                       {.compression = Compression::kGzip,
                                        .block_bytes = 10'000,
                                        .threads = threads}));
      Status status;
      for (const std::string& payload : payloads) {
        status = writer.Write(payload);
        if (!status.ok()) break;
      }
      EXPECT_THAT(status, IsError(ErrorCode::kIo, {.file = "sink"}));
      EXPECT_THAT(writer.Write("more"), HasCode(ErrorCode::kIo));
      EXPECT_THAT(writer.Close(), HasCode(ErrorCode::kIo));
    }
  }
}

TEST(BlockWriter, DroppedInTheMiddle) {
  const Specimen payloads = SomeRecords(300, 6);
  const TemporaryFile file("old");
  {
    auto writer = OrThrow(
        RecordWriter::Open(file.path(), {.compression = Compression::kGzip,
                                         .block_bytes = 4096,
                                         .threads = 3}));
    for (const std::string& payload : payloads) {
      ASSERT_THAT(writer.Write(payload), IsOk());
    }
  }
  EXPECT_EQ(ContentOf(file.path()), "old");
}

}  // namespace
}  // namespace headrace::testing
