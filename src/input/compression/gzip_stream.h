// GzipStream inflates the members of a gzip file (RFC 1952), one after another.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_GZIP_STREAM_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_GZIP_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "src/input/compression/decompressor.h"
#include "src/input/deflate/gzip_member.h"

namespace headrace::compression {

// Stricter than gzip(1): only a member may follow a member, each trailer must
// be there and be right, and the claim of a blocked gzip member
// (gzip_member.h) must be true. A member may be empty.
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

  // These read the parts of a header. All its bytes but the magic go through
  // UseHeader, because the header may have a checksum.
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
