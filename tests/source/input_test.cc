// Inputs that the caller provides, which need not keep their word.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "headrace/input_file.h"
#include "src/base/byte_stream.h"
#include "src/input/compression/decompressor.h"
#include "src/input/source/input_stream.h"
#include "src/input/source/source.h"

namespace headrace::source {
namespace {

// Each read gives the next of these; each seek fails or does nothing.
class ScriptedInput : public InputFile {
 public:
  ScriptedInput(std::vector<Result<size_t>> reads, bool can_seek)
      : reads_(std::move(reads)), can_seek_(can_seek) {}
  Result<size_t> Read(std::span<uint8_t>) override {
    return next_ < reads_.size() ? reads_[next_++] : Result<size_t>(size_t{0});
  }
  bool can_seek() const override { return can_seek_; }
  Status Seek(uint64_t position) override {
    return position < 100 ? Status() : Status(ErrorCode::kIo, "too far");
  }

 private:
  const std::vector<Result<size_t>> reads_;
  const bool can_seek_;
  size_t next_ = 0;
};

InputStream Open(std::vector<Result<size_t>> reads, bool can_seek = false) {
  return InputStream(
      std::make_unique<ScriptedInput>(std::move(reads), can_seek), nullptr);
}

TEST(InputStreamTest, AFailureIsFinal) {
  std::array<uint8_t, 10> out;
  for (const Result<size_t>& failure :
       {Result<size_t>(Status(ErrorCode::kIo, "gone")),
        Result<size_t>(size_t{11})}) {
    InputStream stream = Open({size_t{10}, failure, size_t{10}});
    EXPECT_EQ(*stream.Read(out), 10u);
    const Status status = stream.Read(out).status();
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(stream.Read(out).status().ToString(), status.ToString());
    EXPECT_EQ(stream.stored_position(), 10u);
  }
}

// A failure of the input within a header is the source's failure.
TEST(InputStreamTest, FailuresWithinAHeader) {
  for (const Compression compression :
       {Compression::kGzip, Compression::kZlib, Compression::kSnappy,
        Compression::kZstd}) {
    auto source = OpenInput(std::make_unique<ScriptedInput>(
                                std::vector<Result<size_t>>{
                                    size_t{1}, Status(ErrorCode::kIo, "gone")},
                                /*can_seek=*/false),
                            "input", {.compression = compression});
    ASSERT_TRUE(source.ok());
    const auto window = (*source)->Next(0, 1);
    ASSERT_TRUE(window.ok());
    EXPECT_EQ(window->tail, Tail::kFailed);
    EXPECT_EQ((*source)->failure().code(), ErrorCode::kIo);
  }
}

TEST(InputStreamTest, TheEndIsFinal) {
  std::array<uint8_t, 10> out;
  InputStream stream = Open({size_t{10}, size_t{0}, size_t{10}});
  EXPECT_EQ(*stream.Read(out), 10u);
  EXPECT_EQ(*stream.Read(out), 0u);
  EXPECT_EQ(*stream.Read(out), 0u);
}

TEST(InputStreamTest, OneThatCannotSeekIsNotAsked) {
  InputStream stream = Open({});
  EXPECT_FALSE(stream.SeekTo(0));
  EXPECT_FALSE(stream.SeekTo(5));
  EXPECT_EQ(stream.stored_position(), 0u);
}

TEST(InputStreamTest, AFailureToSeekIsThatOfTheNextRead) {
  std::array<uint8_t, 10> out;
  InputStream stream = Open({size_t{10}}, /*can_seek=*/true);
  EXPECT_TRUE(stream.SeekTo(100));
  EXPECT_EQ(stream.Read(out).status().message(), "too far");
  EXPECT_EQ(stream.Read(out).status().message(), "too far");
  EXPECT_TRUE(stream.SeekTo(5));
  EXPECT_EQ(*stream.Read(out), 10u);
  EXPECT_EQ(stream.stored_position(), 15u);
}

class SingleBytes : public ByteStream {
 public:
  Result<size_t> Read(std::span<uint8_t> out) override {
    out[0] = static_cast<uint8_t>(++position_);
    return size_t{1};
  }
  uint64_t stored_position() const override { return position_; }

 private:
  uint64_t position_ = 0;
};

// However many reads they came with.
TEST(InputBufferTest, BytesAreTakenBack) {
  compression::InputBuffer input(std::make_unique<SingleBytes>(), 100);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(input.Fill().ok());
    input.Advance(1);
  }
  constexpr auto kGiveBack =
      static_cast<ptrdiff_t>(compression::InputBuffer::kGiveBack);
  input.Advance(-kGiveBack);
  EXPECT_EQ(input.position(), 20 - compression::InputBuffer::kGiveBack);
  std::array<uint8_t, 10> out;
  ASSERT_EQ(*input.Take(out), 10u);
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 13 + i);
}

}  // namespace
}  // namespace headrace::source
