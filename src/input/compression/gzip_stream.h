// GzipStream: the members of a gzip file (RFC 1952), one after another.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_GZIP_STREAM_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_GZIP_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "src/input/compression/decompressor.h"
#include "src/input/deflate/member_claim.h"

namespace headrace::compression {

// Stricter than gzip(1): what follows the last member has to be a member, and
// each trailer has to be there and to be right, and what a member of blocked
// gzip says of itself (member_claim.h) has to be so. A member may be empty.
class GzipStream : public DeflateDecompressor {
 public:
  GzipStream(InputBuffer input, std::unique_ptr<RawInflate> inflate)
      : DeflateDecompressor(std::move(input), std::move(inflate)) {}

  MemberState state() const override { return {.check = crc_, .size = size_}; }

 private:
  Status ReadHeader() override;
  void SetState(const std::optional<MemberState>& state) override;
  void Add(std::span<const uint8_t> bytes) override;
  Status ReadTrailer() override;

  // The parts of a header. All its bytes but the magic go through UseHeader,
  // because the header may carry a checksum of itself.
  Status CheckMagic();
  Status HeaderByte(uint8_t* byte);
  Status SkipHeader(size_t count);
  Status SkipText();  // up to a zero byte
  Status ReadExtra();
  Status CheckHeaderCrc();
  Status CheckClaim() const;
  Status FillHeader();
  void UseHeader(std::span<const uint8_t> bytes);

  uint64_t members_ = 0;
  uint32_t header_crc_ = 0;
  uint32_t crc_ = 0;
  uint32_t size_ = 0;   // modulo 2^32, as it is stored
  uint64_t begin_ = 0;  // of the member, in the stored file
  std::optional<MemberClaim> claim_;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_GZIP_STREAM_H_
