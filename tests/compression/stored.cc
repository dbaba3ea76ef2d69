#include "tests/compression/stored.h"

#include <gtest/gtest.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <utility>

#include "src/input/compression/decompressor.h"
#include "src/input/source/streams.h"
#include "tests/support/record_file.h"

namespace headrace::compression {
namespace {

// Gives at most `piece` bytes a read.
class SlowStream : public ByteStream {
 public:
  SlowStream(std::span<const uint8_t> bytes, size_t piece)
      : stream_(bytes), piece_(piece) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    return stream_.Read(out.first(std::min(out.size(), piece_)));
  }
  // Small pieces come from a pipe, which cannot go back.
  bool SeekTo(uint64_t position) override {
    return piece_ >= (1 << 20) && stream_.SeekTo(position);
  }
  uint64_t stored_position() const override {
    return stream_.stored_position();
  }

 private:
  MemoryStream stream_;
  size_t piece_;
};

// The subfield of a claim: blocked gzip has HR, BGZF has BC.
std::string ClaimOf(const std::string& name, const std::string& data) {
  return name + Little(data.size(), 2) + data;
}

// The bits of deflate data, the first one lowest in its byte.
class BitWriter {
 public:
  void Put(uint32_t value, int bits) {
    for (int i = 0; i < bits; ++i) {
      if (used_ == 0) bytes_ += '\0';
      if ((value >> i & 1) != 0) {
        bytes_.back() = static_cast<char>(bytes_.back() | 1 << used_);
      }
      used_ = (used_ + 1) % 8;
    }
  }
  // Huffman codes have their highest bit first.
  void PutCode(uint32_t code, int bits) {
    for (int i = bits; i > 0; --i) Put(code >> (i - 1) & 1, 1);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  int used_ = 0;
};

std::string GzipTrailer(const std::string& plain) {
  const auto* const data = reinterpret_cast<const Bytef*>(plain.data());
  return Little(crc32(0, data, static_cast<uInt>(plain.size())), 4) +
         Little(plain.size(), 4);
}

}  // namespace

std::string Little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return text;
}

std::string Big(uint32_t value) {
  const std::string little = Little(value, 4);
  return {little.rbegin(), little.rend()};
}

std::string Deflate(const std::string& plain, int wrapper, int level,
                    int strategy, int memory) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, wrapper, memory, strategy),
            Z_OK);
  std::string stored(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(stored.data());
  stream.avail_out = static_cast<uInt>(stored.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  stored.resize(stream.total_out);
  deflateEnd(&stream);
  return stored;
}

std::string Gzip(const std::string& plain, int level) {
  return Deflate(plain, 31, level);
}

std::string Zlib(const std::string& plain, int level) {
  return Deflate(plain, 15, level);
}

std::string Snappy(const std::string& plain, size_t block) {
  std::string stored;
  for (size_t at = 0; at < plain.size(); at += block) {
    const size_t size = std::min(block, plain.size() - at);
    std::string raw;
    snappy::Compress(plain.data() + at, size, &raw);
    stored += Big(static_cast<uint32_t>(raw.size())) + raw;
  }
  return stored;
}

std::string Zstd(const std::string& plain, int level, bool checksum) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
  std::string stored(ZSTD_compressBound(plain.size()), '\0');
  const size_t size = ZSTD_compress2(context, stored.data(), stored.size(),
                                     plain.data(), plain.size());
  EXPECT_FALSE(ZSTD_isError(size));
  stored.resize(size);
  ZSTD_freeCCtx(context);
  return stored;
}

std::string Compress(Compression compression, const std::string& plain) {
  switch (compression) {
    case Compression::kGzip:
      return Gzip(plain);
    case Compression::kZlib:
      return Zlib(plain);
    case Compression::kSnappy:
      return Snappy(plain);
    case Compression::kZstd:
      return Zstd(plain);
    case Compression::kAuto:
    case Compression::kNone:
      break;
  }
  return plain;
}

std::string Joined(const Pieces& pieces) {
  std::string plain;
  for (const std::string& piece : pieces) plain += piece;
  return plain;
}

Pieces Split(const std::string& plain, size_t size) {
  Pieces pieces;
  for (size_t at = 0; at < plain.size(); at += size) {
    pieces.push_back(plain.substr(at, size));
  }
  return pieces;
}

std::string GzipMember(const std::string& plain, const std::string& extra,
                       int level) {
  std::string header("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  if (!extra.empty()) {
    header[3] = 4;
    header += Little(extra.size(), 2) + extra;
  }
  return header + Deflate(plain, -15, level) + GzipTrailer(plain);
}

std::string GzipMembers(const Pieces& pieces, int level) {
  std::string stored;
  for (const std::string& piece : pieces) {
    stored += GzipMember(piece, "", level);
  }
  return stored;
}

std::string BlockedGzip(const Pieces& pieces,
                        const std::vector<uint32_t>& records) {
  std::string stored;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const uint32_t count = i < records.size() ? records[i] : 1;
    const auto member = [&](size_t size) {
      return GzipMember(
          pieces[i],
          ClaimOf("HR", Little(size, 4) + Little(pieces[i].size(), 4) +
                            Little(count, 4)));
    };
    stored += member(member(0).size());
  }
  return stored;
}

std::string Bgzf(const Pieces& pieces) {
  std::string stored;
  const auto add = [&stored](const std::string& piece) {
    const auto member = [&](size_t size) {
      return GzipMember(piece, ClaimOf("BC", Little(size, 2)));
    };
    stored += member(member(0).size() - 1);
  };
  for (const std::string& piece : pieces) add(piece);
  add("");
  return stored;
}

std::string SeekableZstd(const Pieces& pieces, bool checksums) {
  std::string stored;
  std::string table;
  for (const std::string& piece : pieces) {
    // Most writers leave checksums out.
    const std::string frame = Zstd(piece, 3, stored.empty());
    stored += frame;
    table += Little(frame.size(), 4) + Little(piece.size(), 4);
    if (checksums) table += Little(0, 4);  // which nobody looks at
  }
  table += Little(pieces.size(), 4);
  table += static_cast<char>(checksums ? 0x80 : 0);
  table += Little(0x8F92EAB1, 4);
  return stored + Little(0x184D2A5E, 4) + Little(table.size(), 4) + table;
}

std::string FlushedDeflate(const Pieces& pieces, int wrapper, int flush) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, wrapper, 8, 0), Z_OK);
  const std::string plain = Joined(pieces);
  std::string stored(plain.size() + 1000 + 100 * pieces.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.next_out = reinterpret_cast<Bytef*>(stored.data());
  stream.avail_out = static_cast<uInt>(stored.size());
  for (const std::string& piece : pieces) {
    stream.avail_in = static_cast<uInt>(piece.size());
    EXPECT_EQ(deflate(&stream, flush), Z_OK);
  }
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  stored.resize(stream.total_out);
  deflateEnd(&stream);
  return stored;
}

// RFC 1951, 3.2.6.
std::string OneFixedBlock(const std::string& plain) {
  BitWriter bits;
  bits.Put(1, 1);  // the last block
  bits.Put(1, 2);  // fixed codes
  for (const char c : plain) {
    const uint32_t byte = static_cast<uint8_t>(c);
    if (byte < 144) {
      bits.PutCode(0x30 + byte, 8);
    } else {
      bits.PutCode(0x190 + byte - 144, 9);
    }
  }
  bits.PutCode(0, 7);
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + bits.bytes() +
         GzipTrailer(plain);
}

std::string SomeRecords(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::string records;
  for (int i = 0; i < count; ++i) {
    records += testing::FramedRecord(SomeBytes(random() % 200, &random));
  }
  return records;
}

std::string SomeBytes(size_t size, std::mt19937* random) {
  auto& next = *random;
  std::string bytes;
  while (bytes.size() < size) {
    const size_t length = 1 + next() % 40;
    switch (next() % 4) {
      case 0:
        for (size_t i = 0; i < length; ++i) {
          bytes += static_cast<char>(next());
        }
        break;
      case 1:
        bytes.append(length * 3, static_cast<char>(next()));
        break;
      case 2:
        for (size_t i = 0; i < length; ++i) bytes += "aeinrst "[next() % 8];
        break;
      default:
        if (bytes.empty()) break;
        const size_t back = 1 + next() % std::min<size_t>(bytes.size(), 32768);
        for (size_t i = 0; i < length; ++i) bytes += bytes[bytes.size() - back];
    }
  }
  bytes.resize(size);
  return bytes;
}

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << outcome.bytes.size() << " bytes, "
             << outcome.failure.ToString();
}

Outcome ReadAll(ByteStream* stream, size_t piece) {
  Outcome outcome;
  std::string buffer(piece, '\0');
  for (;;) {
    auto got = stream->Read(
        std::span(reinterpret_cast<uint8_t*>(buffer.data()), piece));
    if (!got.ok()) {
      outcome.failure = got.status();
      // Final: the same again.
      EXPECT_FALSE(stream
                       ->Read(std::span(
                           reinterpret_cast<uint8_t*>(buffer.data()), piece))
                       .ok());
      return outcome;
    }
    if (*got == 0) return outcome;
    outcome.bytes.append(buffer, 0, *got);
  }
}

Outcome ReadAll(Source* source, size_t kept, size_t at_least) {
  Outcome outcome;
  outcome.compression = source->compression();
  uint64_t from = 0;
  unsigned sum = 0;
  for (;;) {
    auto window = source->Next(from, at_least);
    if (!window.ok()) {
      outcome.failure = window.status();
      return outcome;
    }
    EXPECT_EQ(window->offset, from);
    EXPECT_GE(window->end(), outcome.bytes.size());
    const size_t again = outcome.bytes.size() - static_cast<size_t>(from);
    const char* const data = reinterpret_cast<const char*>(window->data);
    EXPECT_EQ(outcome.bytes.substr(static_cast<size_t>(from)),
              std::string(data, again));
    outcome.bytes.append(data + again, window->size - again);
    for (size_t i = 0; i < kSlack; ++i) sum += window->data[window->size + i];
    if (window->tail != Tail::kMore) {
      EXPECT_EQ(window->tail == Tail::kFailed, !source->failure().ok());
      outcome.failure = source->failure();
      break;
    }
    EXPECT_GE(window->size, at_least);
    from = window->end() - std::min(kept, window->size);
  }
  EXPECT_GE(sum, 0u);  // the slack was read
  return outcome;
}

Outcome ReadMemory(const std::string& stored, const SourceOptions& options,
                   size_t kept) {
  auto source = OpenMemory(stored.data(), stored.size(), options);
  if (!source.ok()) return Outcome{.bytes = "", .failure = source.status()};
  return ReadAll(source->get(), kept);
}

Outcome ReadCompressed(Compression compression, const std::string& stored,
                       size_t piece, size_t window, InflateLibrary library) {
  auto stream = Decompress(compression,
                           std::make_unique<SlowStream>(Bytes(stored), piece),
                           0, library);
  if (!stream.ok()) return Outcome{.bytes = "", .failure = stream.status()};
  return ReadAll(stream->get(), window);
}

}  // namespace headrace::compression
