// Whatever the pieces, zstd files give what libzstd gives of the whole file at
// once, and are refused where it refuses them.

#include "tests/compression/zstd_library.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/compression/stored.h"

namespace headrace::compression {
namespace {

struct FrameForm {
  bool has_checksum = false;
  bool has_size = false;
  size_t flushed = 0;  // bytes a block, or 0: as the library likes it
  int window_log = 0;  // or 0; a smaller one than the content is no segment
};

std::string ZstdFrame(const std::string& plain, const FrameForm& form) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(
      ZSTD_createCCtx(), ZSTD_freeCCtx);
  const auto set = [&context](ZSTD_cParameter parameter, int value) {
    EXPECT_FALSE(
        ZSTD_isError(ZSTD_CCtx_setParameter(context.get(), parameter, value)));
  };
  set(ZSTD_c_compressionLevel, 1);
  set(ZSTD_c_checksumFlag, form.has_checksum ? 1 : 0);
  if (form.window_log > 0) set(ZSTD_c_windowLog, form.window_log);
  if (form.has_size) ZSTD_CCtx_setPledgedSrcSize(context.get(), plain.size());
  std::string stored(2 * ZSTD_compressBound(plain.size()) + 64, '\0');
  ZSTD_outBuffer out = {stored.data(), stored.size(), 0};
  size_t at = 0;
  while (form.flushed > 0 && at < plain.size()) {
    const size_t size = std::min(form.flushed, plain.size() - at);
    ZSTD_inBuffer in = {plain.data() + at, size, 0};
    EXPECT_EQ(ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_flush), 0u);
    at += size;
  }
  ZSTD_inBuffer in = {plain.data() + at, plain.size() - at, 0};
  EXPECT_EQ(ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end), 0u);
  stored.resize(out.pos);
  return stored;
}

std::vector<FrameForm> FrameForms(size_t flushed) {
  std::vector<FrameForm> forms;
  for (const bool has_checksum : {false, true}) {
    for (const bool has_size : {false, true}) {
      for (const int window_log : {0, 10}) {
        for (const size_t bytes : {size_t{0}, flushed}) {
          forms.push_back({has_checksum, has_size, bytes, window_log});
        }
      }
    }
  }
  return forms;
}

// A block by hand. `type` is 0 stored, 1 a repeated byte.
std::string ZstdBlock(int type, size_t size, const std::string& bytes,
                      bool is_last) {
  return Little(
             (is_last ? 1u : 0u) | static_cast<unsigned>(type) << 1 | size << 3,
             3) +
         bytes;
}

std::string SkippableFrame(const std::string& content) {
  return Little(0x184D2A53, 4) + Little(content.size(), 4) + content;
}

// An outcome of each way to read must be that of the library.
void ExpectAsLibrary(const std::string& stored,
                     const std::vector<size_t>& pieces,
                     const std::vector<size_t>& windows) {
  const ZstdWhole whole = ZstdByLibrary(stored);
  const Outcome first =
      ReadCompressed(Compression::kZstd, stored, 1 << 20, 1 << 22);
  ASSERT_EQ(first.failure.ok(), whole.is_good) << first;
  ASSERT_TRUE(!whole.is_good || first.bytes == whole.bytes) << first;
  for (const size_t piece : pieces) {
    for (const size_t window : windows) {
      ASSERT_EQ(ReadCompressed(Compression::kZstd, stored, piece, window),
                first)
          << "pieces of " << piece << " bytes, read by " << window;
    }
  }
}

std::vector<size_t> UpTo(size_t most) {
  std::vector<size_t> sizes;
  for (size_t size = 1; size <= most; ++size) sizes.push_back(size);
  return sizes;
}

// Files of some dozen bytes.
std::vector<std::string> SmallZstdFiles() {
  std::mt19937 random(8);
  const std::string text = SomeBytes(40, &random);
  const std::string head("\x28\xb5\x2f\xfd\0\x58", 6);
  const std::string by_hand = head + ZstdBlock(0, 5, "abcde", false) +
                              ZstdBlock(0, 0, "", false) +
                              ZstdBlock(1, 9, "z", false);
  std::vector<std::string> files = {
      by_hand + ZstdBlock(0, 0, "", true),
      by_hand + ZstdBlock(0, 3, "xyz", true),
      by_hand + ZstdBlock(1, 30, "r", true),
      head + ZstdBlock(0, 0, "", true),
      SkippableFrame(""),
  };
  for (const FrameForm& form : FrameForms(7)) {
    const std::string frame = ZstdFrame(text, form);
    files.push_back(frame);
    files.push_back(frame + ZstdFrame("", form) + SkippableFrame("pass") +
                    ZstdFrame(std::string(30, 'r'), form) + SkippableFrame(""));
  }
  const size_t count = files.size();
  for (size_t i = 0; i < 5; ++i) files.push_back(files[i] + files[count - 1]);
  return files;
}

TEST(ZstdLibrary, SmallFilesInAllPieces) {
  for (const std::string& stored : SmallZstdFiles()) {
    const size_t plain = ZstdByLibrary(stored).bytes.size();
    ExpectAsLibrary(stored, UpTo(std::min<size_t>(stored.size(), 40)),
                    UpTo(std::min<size_t>(plain + 1, 24)));
    if (HasFatalFailure()) FAIL() << ::testing::PrintToString(stored);
  }
}

// One byte more, one less, one bit: wherever it is.
TEST(ZstdLibrary, DamageEverywhere) {
  std::mt19937 random(9);
  const std::string text = SomeBytes(30, &random);
  for (const bool has_checksum : {false, true}) {
    const FrameForm form = {.has_checksum = has_checksum};
    const std::string stored =
        ZstdFrame(text, form) + SkippableFrame("ab") + ZstdFrame(text, form);
    const auto expect = [](const std::string& damaged) {
      ExpectAsLibrary(damaged, {1, 2, 5, 1 << 20}, {1, 7, 100});
    };
    for (size_t at = 0; at <= stored.size(); ++at) {
      for (const char byte : {'\0', '\x28', '\xfd'}) {
        expect(std::string(stored).insert(at, 1, byte));
      }
      expect(stored.substr(0, at));
      expect(std::string(stored).erase(at, 1));
      for (int bit = 0; bit < 8 && at < stored.size(); ++bit) {
        std::string flipped = stored;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
        expect(flipped);
      }
      if (HasFatalFailure()) FAIL() << "at " << at;
    }
  }
}

// Contents whose blocks are stored, one byte, and compressed.
std::vector<std::string> LargeContents() {
  std::mt19937 random(10);
  std::string noise;
  while (noise.size() < 700'001) noise += static_cast<char>(random());
  return {noise, std::string(900'000, 'r') + noise.substr(0, 50'000),
          SomeBytes(600'000, &random) + noise.substr(0, 300'000)};
}

// Blocks lie across the buffers, those of the file and those of the reader.
TEST(ZstdLibrary, LargeFrames) {
  for (const std::string& plain : LargeContents()) {
    for (const FrameForm& form : FrameForms(100'000)) {
      const std::string frame = ZstdFrame(plain, form);
      ExpectAsLibrary(frame, {50'000, 131'075, 1 << 20},
                      {4096, 131'072, 1 << 18, 1 << 20});
      if (HasFatalFailure()) FAIL();
    }
  }
}

// The last block of a frame ends at any distance from the end of the buffer.
TEST(ZstdLibrary, FramesAcrossTheBuffer) {
  std::mt19937 random(11);
  std::string noise;
  while (noise.size() < (1 << 17)) noise += static_cast<char>(random());
  for (int i = 0; i < 60; ++i) {
    std::string stored;
    while (stored.size() < (size_t{1} << 19)) {
      const size_t size = 4096 + random() % (noise.size() - 4096);
      stored += ZstdFrame(
          noise.substr(0, size),
          {.has_checksum = random() % 4 == 0, .has_size = random() % 2 == 0});
    }
    ExpectAsLibrary(stored, {65'536, 1 << 20}, {10'000, 1 << 16, 1 << 20});
    if (HasFatalFailure()) FAIL() << "file " << i;
  }
}

// Neither frames nor what lies between them may be taken for the other.
TEST(ZstdLibrary, StrayBytesBetweenFrames) {
  std::mt19937 random(12);
  std::string noise;
  while (noise.size() < 200'000) noise += static_cast<char>(random());
  for (int i = 0; i < 60; ++i) {
    const std::string frame = ZstdFrame(noise.substr(random() % 70'000), {});
    const std::string stored = frame + '\0' + frame;
    EXPECT_FALSE(ZstdByLibrary(stored).is_good);
    ExpectAsLibrary(stored, {65'536, 1 << 20}, {1000, 1 << 16});
    if (HasFatalFailure()) FAIL() << "file " << i;
  }
}

}  // namespace
}  // namespace headrace::compression
