// Any bytes are a compressed file. What is given, and what is said, must not
// depend on how many bytes arrive at once or which library inflates, and must
// be what the format's own library gives.

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "src/base/little_endian.h"
#include "src/input/compression/decompressor.h"
#include "src/input/deflate/raw_inflate.h"
#include "src/input/source/streams.h"
#include "tests/compression/stored.h"
#include "tests/compression/zstd_library.h"

namespace headrace::fuzzing {
namespace {

using compression::InflateLibrary;
using compression::InflateState;
using compression::RawInflate;

constexpr size_t kChoices = 4;
// A kilobyte may become a megabyte; this is enough to be wrong in.
constexpr size_t kMaxOutput = size_t{1} << 16;
// Files are read through buffers, the largest of 256 KiB.
constexpr size_t kMaxOfFile = size_t{1} << 20;

struct Inflated {
  std::string bytes;
  InflateState state = InflateState::kGoing;
  ptrdiff_t used = 0;
};

Inflated Inflate(RawInflate* inflate, std::string_view stored, size_t in_piece,
                 size_t out_piece) {
  Inflated result;
  inflate->Restart();
  // The memory has just this size, so a sanitizer sees each byte too far.
  const auto in = std::make_unique<uint8_t[]>(stored.size() + 1);
  std::copy(stored.begin(), stored.end(), in.get());
  const auto out = std::make_unique<uint8_t[]>(out_piece);
  while (result.state == InflateState::kGoing &&
         result.bytes.size() < kMaxOutput) {
    const auto at = static_cast<size_t>(result.used);
    const size_t size = std::min(in_piece, stored.size() - at);
    const auto step =
        inflate->Run({in.get() + at, size}, at + size == stored.size(),
                     {out.get(), out_piece});
    Require(step.produced <= out_piece, "more than there is room for");
    Require(step.produced > 0 || step.consumed != 0 ||
                step.state != InflateState::kGoing || size < stored.size() - at,
            "no progress");
    result.bytes.append(reinterpret_cast<const char*>(out.get()),
                        step.produced);
    result.used += step.consumed;
    Require(result.used >= 0 &&
                result.used <= static_cast<ptrdiff_t>(stored.size()),
            "a position outside");
    result.state = step.state;
  }
  return result;
}

// Both libraries inflate raw deflate. zlib decides; ISA-L may give less before
// damage, and takes some codes that zlib refuses.
void CheckRaw(std::string_view stored, size_t in_piece, size_t out_piece) {
  static auto* const zlib = NewRawInflate(InflateLibrary::kZlib).release();
  static auto* const best = NewRawInflate(compression::kBestInflate).release();
  const Inflated whole = Inflate(zlib, stored, stored.size() + 1, kMaxOutput);
  const Inflated pieces = Inflate(zlib, stored, in_piece, out_piece);
  Require(
      pieces.bytes.substr(0, kMaxOutput) == whole.bytes.substr(0, kMaxOutput),
      "zlib: pieces give other bytes");
  const Inflated other = Inflate(best, stored, in_piece, out_piece);
  if (whole.state == InflateState::kDone && other.bytes.size() < kMaxOutput) {
    Require(pieces.state == whole.state && pieces.used == whole.used,
            "zlib: pieces end otherwise");
    Require(other.state == whole.state && other.used == whole.used,
            "the libraries end otherwise");
    Require(other.bytes == whole.bytes, "the libraries give other bytes");
  }
}

// The best library reads a seekable file.
compression::Outcome ReadFile(Compression compression,
                              const std::string& stored, size_t piece) {
  auto stream = compression::Decompress(
      compression,
      std::make_unique<source::MemoryStream>(compression::Bytes(stored)),
      stored.size());
  Require(stream.ok(), stream.status().ToString());
  source::LimitStream limited(*std::move(stream), kMaxOfFile);
  return compression::ReadAll(&limited, piece);
}

void CheckByLibrary(const std::string& stored,
                    const compression::Outcome& file) {
  const auto whole = compression::ZstdByLibrary(stored, kMaxOfFile);
  Require(file.failure.ok() == whole.is_good,
          file.failure.ToString() + ", other than zstd's library");
  Require(!whole.is_good || file.bytes == whole.bytes,
          "other bytes than those of zstd's library");
}

void CheckFile(Compression compression, const std::string& stored,
               size_t stored_piece, size_t piece) {
  const compression::Outcome file = ReadFile(compression, stored, piece);
  Require(file.bytes.size() <= kMaxOfFile, "more than the limit");
  const ErrorCode code = file.failure.code();
  if (code == ErrorCode::kLimit) return;
  Require(code == ErrorCode::kOk || code == ErrorCode::kDecompress,
          file.failure.ToString());
  // ISA-L may take a code of deflate that zlib refuses.
  const compression::Outcome pipe = compression::ReadCompressed(
      compression, stored, stored_piece, 4096, InflateLibrary::kZlib);
  if (compression == Compression::kZstd) {
    CheckByLibrary(stored, file);
  }
  const bool is_deflate =
      compression == Compression::kGzip || compression == Compression::kZlib;
  if (pipe.failure.ok() || !is_deflate) {
    Require(file == pipe,
            file.failure.ToString() + " instead of " + pipe.failure.ToString());
  }
}

constexpr Compression kCompressions[] = {Compression::kGzip, Compression::kZlib,
                                         Compression::kSnappy,
                                         Compression::kZstd};

// Inflates raw deflate as far as zlib gets.
std::string Plain(std::string_view deflated) {
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK) return {};
  std::string in(deflated), plain(kMaxOutput, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  inflate(&stream, Z_FINISH);
  plain.resize(plain.size() - stream.avail_out);
  inflateEnd(&stream);
  return plain;
}

// The member gets the trailer of its bytes, whatever they are.
void SealGzip(std::string* member) {
  constexpr size_t kHeader = 10, kTrailer = 8;
  if (member->size() < kHeader + kTrailer) return;
  const std::string plain =
      Plain(std::string_view(*member).substr(kHeader, member->size() - 18));
  const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(plain.data()),
                          static_cast<uInt>(plain.size()));
  auto* const trailer =
      reinterpret_cast<uint8_t*>(member->data()) + member->size() - kTrailer;
  StoreLittle32(trailer, static_cast<uint32_t>(crc));
  StoreLittle32(trailer + 4, static_cast<uint32_t>(plain.size()));
}

std::string Compressed(size_t kind, std::string_view plain, Random* random) {
  if (kind >= 4 && kCompressions[kind - 4] == Compression::kZstd) {
    return compression::Zstd(std::string(plain), 3, random->OneIn(2));
  }
  if (kind >= 4)
    return compression::Compress(kCompressions[kind - 4], std::string(plain));
  return compression::Deflate(std::string(plain), -15,
                              static_cast<int>(random->Below(10)));
}

}  // namespace

void CheckInput(std::string_view input) {
  Choices choices(input.substr(0, kChoices));
  const std::string stored(input.substr(std::min(input.size(), kChoices)));
  const size_t kind = choices.Below(8);
  const size_t stored_piece = 1 + choices.Byte();
  const size_t piece = 1 + choices.Byte();
  if (kind < 4) {
    CheckRaw(stored, stored_piece, piece);
  } else {
    CheckFile(kCompressions[kind - 4], stored, stored_piece, piece);
  }
}

std::string NewInput(Random* random) {
  std::string input = random->Bytes(kChoices);
  std::mt19937 bytes(static_cast<uint32_t>(random->Bits()));
  const size_t kind = static_cast<uint8_t>(input[0]) % 8;
  for (size_t members = 1 + random->Below(2); members > 0; --members) {
    std::string plain = compression::SomeBytes(random->Below(300), &bytes);
    // More than the buffers hold.
    if (random->OneIn(16)) plain.resize(random->Below(600'000), 'r');
    input += Compressed(kind, plain, random);
  }
  return input;
}

std::string ChangeInput(std::string_view input, Random* random) {
  std::string stored(input.substr(std::min(input.size(), kChoices)));
  for (size_t changes = 1 + random->Below(3); changes > 0; --changes) {
    const size_t at = random->Below(stored.size() + 1);
    switch (random->Below(6)) {
      case 0:
        stored.resize(at);
        break;
      case 1:
        stored.insert(at, random->Bytes(1 + random->Below(4)));
        break;
      case 2:
        stored.erase(at, 1 + random->Below(4));
        break;
      case 3:
        stored += stored.substr(at);
        break;
      default:
        if (at == stored.size()) break;
        stored[at] = static_cast<char>(stored[at] ^ (1 << random->Below(8)));
    }
  }
  std::string changed(input.substr(0, kChoices));
  const bool is_gzip =
      !changed.empty() && static_cast<uint8_t>(changed[0]) % 8 == 4;
  if (is_gzip && !random->OneIn(8)) SealGzip(&stored);
  return changed + stored;
}

}  // namespace headrace::fuzzing
