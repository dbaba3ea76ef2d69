#include "src/input/blocks/member_hops.h"

#include <algorithm>

#include "src/base/little_endian.h"
#include "src/input/deflate/gzip_member.h"

namespace headrace::compression {
namespace {

constexpr size_t kGzipTrailer = 8;
constexpr size_t kSizeInTrailer = 4;
// Bytes of an empty skippable frame; other frames have more.
constexpr uint32_t kMinZstdFrame = 8;

class GzipHops {
 public:
  GzipHops(ByteStream* stored, uint64_t stored_size)
      : stored_(stored), size_(stored_size) {}

  Result<MemberHops> Hop() {
    while (at_ < size_) {
      const Result<bool> hopped = HopOne();
      if (!hopped.ok()) return hopped.status();
      if (!*hopped) return MemberHops();
    }
    MemberHops hops{
        .table = SeekTable::Make(Compression::kGzip, std::move(points_), size_,
                                 plain_, nullptr, SeekTable::Origin::kClaim)};
    if (hops.table != nullptr && counts_) hops.num_records = records_;
    return hops;
  }

 private:
  // Reads the trailer of a member together with the header of the next one,
  // which begins at at_.
  Result<bool> ReadHeader() {
    const uint64_t begin = at_ == 0 ? 0 : at_ - kGzipTrailer;
    const Result<size_t> got = stored_->ReadAt(begin, buffer_);
    if (!got.ok()) return got.status();
    const size_t before = static_cast<size_t>(at_ - begin);
    if (*got < before) return false;
    const auto bytes = std::span<const uint8_t>(buffer_).first(*got);
    if (at_ > 0 && !AddPlain(bytes.data() + kSizeInTrailer)) return false;
    claim_ = at_ < size_ ? ClaimOfMember(bytes.subspan(before)) : std::nullopt;
    return true;
  }

  // Adds the size in the trailer. Returns false if it differs from the claimed
  // size; both have 32 bits.
  bool AddPlain(const uint8_t* size_in_trailer) {
    const uint32_t size = LoadLittle32(size_in_trailer);
    plain_ += size;
    return claim_ && (!claim_->plain || *claim_->plain == size);
  }

  Result<bool> HopOne() {
    const Result<bool> read = ReadHeader();
    if (!read.ok() || !*read) return read;
    if (!claim_ || claim_->stored < kGzipHead + kGzipTrailer ||
        claim_->stored > size_ - at_) {
      return false;
    }
    points_.push_back({.stored_bit = 8 * at_, .plain = plain_});
    counts_ = counts_ && claim_->records.has_value();
    records_ += claim_->records.value_or(0);
    at_ += claim_->stored;
    return at_ < size_ ? true : ReadHeader();
  }

  ByteStream* const stored_;
  const uint64_t size_;
  std::array<uint8_t, kGzipTrailer + kGzipHead + kMaxClaimExtra> buffer_;
  uint64_t at_ = 0;
  uint64_t plain_ = 0;
  uint64_t records_ = 0;
  bool counts_ = true;
  std::optional<MemberClaim> claim_;  // of the last header
  std::vector<SeekPoint> points_;
};

// zstd's seekable format (contrib/seekable_format): a skippable frame at the
// end of a file lists the frames before it.
constexpr uint32_t kSeekTableMagic = 0x184D2A5E;
constexpr uint32_t kSeekFooterMagic = 0x8F92EAB1;
constexpr size_t kSeekHeadBytes = 8;
// An entry has the stored and the inflated size of a frame, four bytes each,
// and a checksum if a flag of the descriptor says so.
constexpr size_t kSeekEntryBytes = 8;
constexpr size_t kSeekCheckedEntryBytes = 12;
constexpr uint8_t kSeekHasChecksums = 0x80;
// The footer: the number of frames, the descriptor, the magic number.
constexpr size_t kSeekDescriptorAt = 4;
constexpr size_t kSeekFooterMagicAt = 5;
constexpr size_t kSeekFooterBytes = 9;
constexpr size_t kMaxSeekFrames = 0x8000000;

// Returns the points of a seek table; none if it contradicts itself.
std::vector<SeekPoint> FramePoints(std::span<const uint8_t> entries,
                                   size_t entry_bytes, uint64_t stored_size,
                                   uint64_t* plain) {
  std::vector<SeekPoint> points;
  points.reserve(entries.size() / entry_bytes);
  uint64_t stored = 0;
  for (size_t at = 0; at < entries.size(); at += entry_bytes) {
    const uint32_t size = LoadLittle32(&entries[at]);
    if (size < kMinZstdFrame) return {};
    points.push_back({.stored_bit = 8 * stored, .plain = *plain});
    stored += size;
    *plain += LoadLittle32(&entries[at + 4]);
  }
  if (stored != stored_size) points.clear();
  return points;
}

Result<MemberHops> ReadZstdTable(ByteStream* stored, uint64_t stored_size) {
  std::array<uint8_t, kSeekFooterBytes> footer;
  if (stored_size < kSeekHeadBytes + kSeekFooterBytes) return MemberHops();
  Result<size_t> got = stored->ReadAt(stored_size - kSeekFooterBytes, footer);
  if (!got.ok()) return got.status();
  const uint8_t descriptor = footer[kSeekDescriptorAt];
  if (*got < footer.size() ||
      LoadLittle32(&footer[kSeekFooterMagicAt]) != kSeekFooterMagic ||
      (descriptor & ~kSeekHasChecksums) != 0) {
    return MemberHops();
  }
  const size_t entry_bytes =
      descriptor == 0 ? kSeekEntryBytes : kSeekCheckedEntryBytes;
  const uint64_t frames = LoadLittle32(footer.data());
  const uint64_t bytes = frames * entry_bytes;
  if (bytes > stored_size - kSeekHeadBytes - kSeekFooterBytes) {
    return MemberHops();
  }
  const uint64_t begin =
      stored_size - kSeekHeadBytes - bytes - kSeekFooterBytes;
  std::vector<uint8_t> table(static_cast<size_t>(kSeekHeadBytes + bytes));
  got = stored->ReadAt(begin, table);
  if (!got.ok()) return got.status();
  if (*got < table.size() || LoadLittle32(table.data()) != kSeekTableMagic ||
      LoadLittle32(&table[4]) != bytes + kSeekFooterBytes) {
    return MemberHops();
  }
  uint64_t plain = 0;
  auto points = FramePoints(std::span(table).subspan(kSeekHeadBytes),
                            entry_bytes, begin, &plain);
  return MemberHops{.table = SeekTable::Make(
                        Compression::kZstd, std::move(points), stored_size,
                        plain, nullptr, SeekTable::Origin::kClaim)};
}

constexpr uint32_t kFrameMagic = 0xFD2FB528;
constexpr uint32_t kSkippableMagic = 0x184D2A50;
constexpr size_t kMagicAndSize = 8;
constexpr size_t kDescriptorAt = 4;
constexpr size_t kMaxFrameHeader = 18;
constexpr size_t kFrameBlockHeader = 3;
constexpr uint64_t kChecksum = 4;
constexpr uint64_t kMaxBlock = uint64_t{128} << 10;

// RFC 8878, 3.1.1.1.
struct FrameHeader {
  size_t bytes = 0;
  bool has_checksum = false;
  std::optional<uint64_t> plain = {};
};

std::optional<FrameHeader> ReadFrameHeader(std::span<const uint8_t> bytes) {
  constexpr size_t kIdBytes[] = {0, 1, 2, 4};
  constexpr size_t kContentSizeBytes[] = {0, 2, 4, 8};
  if (bytes.size() <= kDescriptorAt) return {};
  const uint8_t descriptor = bytes[kDescriptorAt];
  const bool is_single = (descriptor & 0x20) != 0;
  size_t size_bytes = kContentSizeBytes[descriptor >> 6];
  if (size_bytes == 0 && is_single) size_bytes = 1;
  const size_t size_at =
      kDescriptorAt + 1 + (is_single ? 0 : 1) + kIdBytes[descriptor & 3];
  if (size_bytes > bytes.size() || size_at > bytes.size() - size_bytes) {
    return {};
  }
  FrameHeader header = {.bytes = size_at + size_bytes,
                        .has_checksum = (descriptor & 4) != 0};
  if (size_bytes == 0) return header;
  uint64_t plain = size_bytes == 2 ? 256 : 0;
  for (size_t i = 0; i < size_bytes; ++i) {
    plain += uint64_t{bytes[size_at + i]} << (8 * i);
  }
  header.plain = plain;
  return header;
}

}  // namespace

Result<MemberHops> HopOverMembers(Compression compression, ByteStream* stored,
                                  uint64_t stored_size) {
  switch (compression) {
    case Compression::kGzip:
      return GzipHops(stored, stored_size).Hop();
    case Compression::kZstd:
      return ReadZstdTable(stored, stored_size);
    default:
      return MemberHops();
  }
}

// Readers that do not know the table skip it like any skippable frame.
std::vector<uint8_t> MakeZstdTable(std::span<const ZstdSizes> frames) {
  if (frames.size() > kMaxSeekFrames) return {};
  const size_t size = frames.size() * kSeekEntryBytes + kSeekFooterBytes;
  std::vector<uint8_t> table(kSeekHeadBytes + size);
  StoreLittle32(table.data(), kSeekTableMagic);
  StoreLittle32(&table[4], static_cast<uint32_t>(size));
  uint8_t* entry = table.data() + kSeekHeadBytes;
  for (const ZstdSizes& frame : frames) {
    StoreLittle32(entry, frame.stored);
    StoreLittle32(entry + 4, frame.plain);
    entry += kSeekEntryBytes;
  }
  StoreLittle32(entry, static_cast<uint32_t>(frames.size()));
  StoreLittle32(entry + kSeekFooterMagicAt, kSeekFooterMagic);
  return table;
}

Result<std::optional<ZstdFrame>> ZstdFrameWalk::FrameAt(uint64_t begin) {
  const auto bytes = BytesAt(begin, kMaxFrameHeader);
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() < kMagicAndSize) return std::optional<ZstdFrame>();
  const uint32_t magic = LoadLittle32(bytes->data());
  if ((magic & ~uint32_t{0xf}) == kSkippableMagic) {
    const uint64_t size = LoadLittle32(bytes->data() + 4);
    if (size > stored_->size() - begin - kMagicAndSize) {
      return std::optional<ZstdFrame>();
    }
    return std::optional(
        ZstdFrame{.end = begin + kMagicAndSize + size, .plain = 0});
  }
  const auto header = ReadFrameHeader(*bytes);
  if (magic != kFrameMagic || !header) return std::optional<ZstdFrame>();
  return WalkBlocks(begin + header->bytes, header->has_checksum ? kChecksum : 0,
                    header->plain);
}

Result<std::optional<ZstdFrame>> ZstdFrameWalk::WalkBlocks(
    uint64_t at, uint64_t trailer, std::optional<uint64_t> plain) {
  constexpr uint32_t kRepeatedType = 1;
  constexpr uint32_t kReservedType = 3;
  for (bool is_last = false; !is_last;) {
    const auto bytes = BytesAt(at, kFrameBlockHeader);
    if (!bytes.ok()) return bytes.status();
    if (bytes->size() < kFrameBlockHeader) return std::optional<ZstdFrame>();
    const uint32_t header = uint32_t{(*bytes)[0]} | uint32_t{(*bytes)[1]} << 8 |
                            uint32_t{(*bytes)[2]} << 16;
    is_last = (header & 1) != 0;
    const uint32_t type = header >> 1 & 3;
    const uint64_t size = type == kRepeatedType ? 1 : header >> 3;
    at += kFrameBlockHeader;
    if (type == kReservedType || size > kMaxBlock ||
        size > stored_->size() - at) {
      return std::optional<ZstdFrame>();
    }
    at += size;
  }
  if (trailer > stored_->size() - at) return std::optional<ZstdFrame>();
  return std::optional(ZstdFrame{.end = at + trailer, .plain = plain});
}

Result<std::span<const uint8_t>> ZstdFrameWalk::BytesAt(uint64_t at,
                                                        size_t size) {
  const uint64_t left = stored_->size() - std::min(at, stored_->size());
  size = static_cast<size_t>(std::min<uint64_t>(size, left));
  if (at < begin_ || at - begin_ > size_ || size > size_ - (at - begin_)) {
    size_ = 0;
    const Result<size_t> got = stored_->ReadAt(at, buffer_);
    if (!got.ok()) return got.status();
    begin_ = at;
    size_ = *got;
  }
  const size_t from = static_cast<size_t>(at - begin_);
  return std::span<const uint8_t>(buffer_).subspan(
      from, std::min(size, size_ - from));
}

}  // namespace headrace::compression
