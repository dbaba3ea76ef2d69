// A gzip member may say in its extra field how long it is, so that readers hop
// over it: docs/formats/tfrecord.md, "Blocked gzip".

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

// `extra` has the subfields of the header, behind XLEN. Knows the one that
// headrace writes (HR) and that of BGZF (BC).
std::optional<MemberClaim> FindClaim(std::span<const uint8_t> extra);

// A gzip header up to its extra field, whose size comes last.
inline constexpr size_t kGzipHead = 12;

// The claim of the member that begins with these bytes, of which
// kGzipHead + kMaxClaimExtra suffice.
std::optional<MemberClaim> ClaimOfMember(std::span<const uint8_t> bytes);

// The header of a member of blocked gzip.
inline constexpr size_t kClaimingHeader = 28;
void StoreClaimingHeader(uint32_t stored, uint32_t plain, uint32_t records,
                         uint8_t* header);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_MEMBER_CLAIM_H_
