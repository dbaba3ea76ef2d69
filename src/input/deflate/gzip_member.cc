#include "src/input/deflate/gzip_member.h"

#if HEADRACE_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#include <algorithm>
#include <array>

#include "src/base/little_endian.h"

namespace headrace::compression {
namespace {

constexpr size_t kSubfieldHead = 4;
constexpr size_t kClaimBytes = 12;
constexpr size_t kBgzfBytes = 2;
constexpr uint8_t kHasExtra = 4;

// The header begins with the magic number, deflate, the flag of an extra field,
// no time, no extra flags and no system. The field's size and the head of its
// one subfield follow.
constexpr std::array<uint8_t, kClaimingHeader - kClaimBytes> kHeaderBegin = {
    0x1f, 0x8b, 8,  kHasExtra, 0,   0,   0,           0,
    0,    0xff, 16, 0,         'H', 'R', kClaimBytes, 0};

}  // namespace

std::optional<MemberClaim> FindClaim(std::span<const uint8_t> extra) {
  while (extra.size() >= kSubfieldHead && extra.size() <= kMaxClaimExtra) {
    const size_t size = LoadLittle16(&extra[2]);
    const auto data = extra.subspan(kSubfieldHead);
    if (size > data.size()) return {};
    if (extra[0] == 'H' && extra[1] == 'R' && size == kClaimBytes) {
      return MemberClaim{.stored = LoadLittle32(data.data()),
                         .plain = LoadLittle32(data.data() + 4),
                         .records = LoadLittle32(data.data() + 8)};
    }
    if (extra[0] == 'B' && extra[1] == 'C' && size == kBgzfBytes) {
      return MemberClaim{.stored = uint64_t{LoadLittle16(data.data())} + 1};
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
  const size_t size = LoadLittle16(&bytes[10]);
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

#if HEADRACE_HAVE_LIBDEFLATE
namespace {

// libdeflate does not check a header's own CRC.
constexpr size_t kFlagsAt = 3;
constexpr uint8_t kHasHeaderCrc = 2;

bool IsAsClaimed(std::span<const uint8_t> stored, std::span<uint8_t> out) {
  const std::optional<MemberClaim> claim = ClaimOfMember(stored);
  return !claim || !claim->plain ||
         (claim->stored == stored.size() && *claim->plain == out.size());
}

libdeflate_decompressor* Library(void* state) {
  return static_cast<libdeflate_decompressor*>(state);
}

}  // namespace

WholeMember::WholeMember() : state_(libdeflate_alloc_decompressor()) {}
WholeMember::~WholeMember() { libdeflate_free_decompressor(Library(state_)); }

bool WholeMember::Inflate(std::span<const uint8_t> stored,
                          std::span<uint8_t> out) {
  if (state_ == nullptr || stored.size() <= kFlagsAt ||
      (stored[kFlagsAt] & kHasHeaderCrc) != 0) {
    return false;
  }
  size_t used = 0;
  size_t made = 0;
  return libdeflate_gzip_decompress_ex(Library(state_), stored.data(),
                                       stored.size(), out.data(), out.size(),
                                       &used, &made) == LIBDEFLATE_SUCCESS &&
         used == stored.size() && made == out.size() &&
         IsAsClaimed(stored, out);
}
#else
WholeMember::WholeMember() : state_(nullptr) {}
WholeMember::~WholeMember() = default;
bool WholeMember::Inflate(std::span<const uint8_t>, std::span<uint8_t>) {
  return false;
}
#endif

}  // namespace headrace::compression
