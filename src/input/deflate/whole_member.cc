#include "src/input/deflate/whole_member.h"

#if HEADRACE_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#include <cstddef>
#include <optional>

#include "src/input/deflate/member_claim.h"

namespace headrace::compression {

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
