#include "src/input/deflate/member_claim.h"

#include <algorithm>
#include <array>

#include "src/base/little_endian.h"

namespace headrace::compression {
namespace {

constexpr size_t kSubfieldHead = 4;
constexpr size_t kClaimBytes = 12;
constexpr size_t kBgzfBytes = 2;
constexpr uint8_t kHasExtra = 4;

// Magic, deflate, an extra field, no time, no flags, no system; the field's
// size, and one subfield.
constexpr std::array<uint8_t, kClaimingHeader - kClaimBytes> kHeaderBegin = {
    0x1f, 0x8b, 8,  kHasExtra, 0,   0,   0,           0,
    0,    0xff, 16, 0,         'H', 'R', kClaimBytes, 0};

}  // namespace

std::optional<MemberClaim> FindClaim(std::span<const uint8_t> extra) {
  while (extra.size() >= kSubfieldHead && extra.size() <= kMaxClaimExtra) {
    const size_t size = size_t{extra[2]} | size_t{extra[3]} << 8;
    const auto data = extra.subspan(kSubfieldHead);
    if (size > data.size()) return {};
    if (extra[0] == 'H' && extra[1] == 'R' && size == kClaimBytes) {
      return MemberClaim{.stored = LoadLittle32(data.data()),
                         .plain = LoadLittle32(data.data() + 4),
                         .records = LoadLittle32(data.data() + 8)};
    }
    if (extra[0] == 'B' && extra[1] == 'C' && size == kBgzfBytes) {
      return MemberClaim{.stored =
                             (uint64_t{data[0]} | uint64_t{data[1]} << 8) + 1};
    }
    extra = data.subspan(size);
  }
  return {};
}

std::optional<MemberClaim> ClaimOfMember(std::span<const uint8_t> bytes) {
  if (bytes.size() < kGzipHead || bytes[0] != 0x1f || bytes[1] != 0x8b ||
      bytes[2] != 8 || (bytes[3] & kHasExtra) == 0) {
    return {};
  }
  const size_t size = size_t{bytes[10]} | size_t{bytes[11]} << 8;
  if (size > bytes.size() - kGzipHead) return {};
  return FindClaim(bytes.subspan(kGzipHead, size));
}

void StoreClaimingHeader(uint32_t stored, uint32_t plain, uint32_t records,
                         uint8_t* header) {
  uint8_t* const claim =
      std::copy(kHeaderBegin.begin(), kHeaderBegin.end(), header);
  StoreLittle32(claim, stored);
  StoreLittle32(claim + 4, plain);
  StoreLittle32(claim + 8, records);
}

}  // namespace headrace::compression
