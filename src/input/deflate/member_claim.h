// A gzip member may claim in its extra field how long it is, so that readers
// can hop over it: docs/formats/tfrecord.md, "Blocked gzip".

#ifndef HEADRACE_SRC_INPUT_DEFLATE_MEMBER_CLAIM_H_
#define HEADRACE_SRC_INPUT_DEFLATE_MEMBER_CLAIM_H_

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

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_MEMBER_CLAIM_H_
