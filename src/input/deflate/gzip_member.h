// Whole gzip members. A member may claim in its extra field how long it is, so
// that readers can hop over it: docs/formats/tfrecord.md, "Blocked gzip".

#ifndef HEADRACE_SRC_INPUT_DEFLATE_GZIP_MEMBER_H_
#define HEADRACE_SRC_INPUT_DEFLATE_GZIP_MEMBER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace headrace::compression {

struct MemberClaim {
  uint64_t stored = 0;  // bytes of the member, header and trailer
  std::optional<uint32_t> plain = {};    // inflated bytes
  std::optional<uint32_t> records = {};  // TFRecords
};

// Longer extra fields have no claim.
inline constexpr size_t kMaxClaimExtra = 64;

// Finds the claim in `extra`, the subfields of a header after XLEN. Knows
// headrace's subfield (HR) and BGZF's (BC).
std::optional<MemberClaim> FindClaim(std::span<const uint8_t> extra);

// Bytes of a gzip header up to its extra field, with the field's size.
inline constexpr size_t kGzipHead = 12;

// Returns the claim of the member that begins with these bytes, of which
// kGzipHead + kMaxClaimExtra suffice.
std::optional<MemberClaim> ClaimOfMember(std::span<const uint8_t> bytes);

// The size of a blocked gzip member's header, and the function that writes it.
inline constexpr size_t kClaimingHeader = 28;
void StoreClaimingHeader(uint32_t stored, uint32_t plain, uint32_t records,
                         uint8_t* header);

// Inflates a whole member in one call, which is faster than in pieces. Needs
// libdeflate; without it no member is accepted. Not thread-safe.
class WholeMember {
 public:
  WholeMember();
  WholeMember(const WholeMember&) = delete;
  WholeMember& operator=(const WholeMember&) = delete;
  ~WholeMember();

  // Returns true if `stored` is exactly one member, right in all that
  // GzipStream checks, and inflates to exactly `out`. Otherwise `out` has
  // undefined bytes, and GzipStream reports what is wrong, if anything is.
  bool Inflate(std::span<const uint8_t> stored, std::span<uint8_t> out);

  static constexpr bool kIsAvailable = HEADRACE_HAVE_LIBDEFLATE;

 private:
  // libdeflate's state; null without libdeflate, or without memory for the
  // state.
  [[maybe_unused]] void* const state_;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_GZIP_MEMBER_H_
