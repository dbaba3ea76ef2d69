#include "src/input/blocks/member_hops.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/input/compression/zstd_seek_table.h"
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
  // One read has the trailer of a member and the header of the next one, at
  // at_.
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

  // Adds the size in the trailer, which has 32 bits, as a claimed size has.
  // Returns false if the two differ.
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
  if (bytes > stored_size - kSeekHeadBytes - kSeekFooterBytes)
    return MemberHops();
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

}  // namespace headrace::compression
