#include "src/input/compression/gzip_stream.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "src/base/little_endian.h"
#include "src/input/deflate/checksum.h"

namespace headrace::compression {
namespace {

constexpr uint8_t kMagic1 = 0x1f;
constexpr uint8_t kMagic2 = 0x8b;
constexpr uint8_t kDeflate = 8;

// FTEXT (bit 0) does not matter here.
constexpr uint8_t kHeaderCrc = 0x02;
constexpr uint8_t kExtra = 0x04;
constexpr uint8_t kName = 0x08;
constexpr uint8_t kComment = 0x10;
constexpr uint8_t kReserved = 0xe0;

std::string Mismatch(const char* what, uint32_t stored, uint32_t computed) {
  return absl::StrCat(what, ": stored ", absl::Hex(stored, absl::kZeroPad8),
                      ", computed ", absl::Hex(computed, absl::kZeroPad8));
}

}  // namespace

Status GzipStream::ReadHeader() {
  if (Status status = input_.Fill(); !status.ok()) return status;
  if (input_.ended()) {
    done_ = true;
    return Status();
  }
  begin_ = input_.position();
  claim_.reset();
  if (Status status = CheckMagic(); !status.ok()) return status;
  uint8_t method = 0;
  uint8_t flags = 0;
  if (Status status = HeaderByte(&method); !status.ok()) return status;
  if (method != kDeflate) {
    return DecompressError(
        absl::StrCat("gzip header: unknown method ", method));
  }
  if (Status status = HeaderByte(&flags); !status.ok()) return status;
  if ((flags & kReserved) != 0) {
    return DecompressError("gzip header: reserved flags are set");
  }
  // Time, extra flags, operating system.
  if (Status status = SkipHeader(6); !status.ok()) return status;
  if ((flags & kExtra) != 0) {
    if (Status status = ReadExtra(); !status.ok()) return status;
  }
  for (uint8_t text : {kName, kComment}) {
    if ((flags & text) == 0) continue;
    if (Status status = SkipText(); !status.ok()) return status;
  }
  if ((flags & kHeaderCrc) != 0) {
    if (Status status = CheckHeaderCrc(); !status.ok()) return status;
  }
  ++members_;
  crc_ = 0;
  size_ = 0;
  return Status();
}

Status GzipStream::ReadExtra() {
  uint8_t low = 0;
  uint8_t high = 0;
  if (Status status = HeaderByte(&low); !status.ok()) return status;
  if (Status status = HeaderByte(&high); !status.ok()) return status;
  const size_t size = size_t{low} | size_t{high} << 8;
  if (size > kMaxClaimExtra) return SkipHeader(size);
  std::array<uint8_t, kMaxClaimExtra> extra;
  for (size_t i = 0; i < size; ++i) {
    if (Status status = HeaderByte(&extra[i]); !status.ok()) return status;
  }
  claim_ = FindClaim(std::span(extra).first(size));
  return Status();
}

Status GzipStream::CheckMagic() {
  std::array<uint8_t, 2> magic;
  auto taken = input_.Take(magic);
  if (!taken.ok()) return taken.status();
  const bool right = magic[0] == kMagic1 && (*taken < 2 || magic[1] == kMagic2);
  if (!right && members_ > 0) {
    return DecompressError("bytes after the last gzip member");
  }
  if (!right) {
    return NotOfKind("gzip", std::span(magic).first(*taken),
                     "does not begin with 1f 8b");
  }
  if (*taken < 2) {
    return DecompressError("unexpected end inside a gzip header");
  }
  header_crc_ = Crc32(0, magic);
  return Status();
}

Status GzipStream::HeaderByte(uint8_t* byte) {
  if (Status status = FillHeader(); !status.ok()) return status;
  *byte = input_.unread().front();
  UseHeader(input_.unread().first(1));
  return Status();
}

Status GzipStream::SkipHeader(size_t count) {
  while (count > 0) {
    if (Status status = FillHeader(); !status.ok()) return status;
    const auto bytes =
        input_.unread().first(std::min(count, input_.unread().size()));
    UseHeader(bytes);
    count -= bytes.size();
  }
  return Status();
}

Status GzipStream::SkipText() {
  for (bool is_over = false; !is_over;) {
    if (Status status = FillHeader(); !status.ok()) return status;
    const auto bytes = input_.unread();
    const auto zero = std::find(bytes.begin(), bytes.end(), 0);
    is_over = zero != bytes.end();
    UseHeader({bytes.begin(), is_over ? zero + 1 : zero});
  }
  return Status();
}

// Reads more bytes of a header, at least one.
Status GzipStream::FillHeader() {
  if (Status status = input_.Fill(); !status.ok()) return status;
  if (!input_.ended()) return Status();
  return DecompressError("unexpected end inside a gzip header");
}

void GzipStream::UseHeader(std::span<const uint8_t> bytes) {
  header_crc_ = Crc32(header_crc_, bytes);
  input_.Advance(static_cast<ptrdiff_t>(bytes.size()));
}

Status GzipStream::CheckHeaderCrc() {
  const uint32_t computed = header_crc_ & 0xFFFFu;
  uint8_t low = 0;
  uint8_t high = 0;
  if (Status status = HeaderByte(&low); !status.ok()) return status;
  if (Status status = HeaderByte(&high); !status.ok()) return status;
  const uint32_t stored = uint32_t{low} | uint32_t{high} << 8;
  if (stored == computed) return Status();
  return DecompressError(Mismatch("gzip header CRC", stored, computed));
}

void GzipStream::SetState(const std::optional<MemberState>& state) {
  claim_.reset();
  if (!state) return;
  members_ = 1;
  crc_ = state->check;
  size_ = state->size;
}

void GzipStream::Add(std::span<const uint8_t> bytes) {
  crc_ = Crc32(crc_, bytes);
  size_ += static_cast<uint32_t>(bytes.size());
}

Status GzipStream::ReadTrailer() {
  std::array<uint8_t, 8> trailer;
  auto taken = input_.Take(trailer);
  if (!taken.ok()) return taken.status();
  if (*taken < trailer.size()) {
    return DecompressError("unexpected end inside a gzip trailer");
  }
  const uint32_t crc = LoadLittle32(trailer.data());
  const uint32_t size = LoadLittle32(trailer.data() + 4);
  if (crc != crc_) {
    return DecompressError(Mismatch("gzip trailer: CRC", crc, crc_));
  }
  if (size != size_) {
    return DecompressError(absl::StrCat(
        "gzip trailer: size modulo 2^32: stored ", size, ", computed ", size_));
  }
  return CheckClaim();
}

// Checks headrace's claim, but not BGZF's, which other readers ignore, too.
Status GzipStream::CheckClaim() const {
  if (!claim_ || !claim_->plain) return Status();
  const uint64_t stored = input_.position() - begin_;
  if (claim_->stored == stored && *claim_->plain == size_) return Status();
  return DecompressError(
      absl::StrCat("the header of the gzip member says that it has ",
                   claim_->stored, " bytes and inflates to ", *claim_->plain,
                   ", it has ", stored, " and inflates to ", size_));
}

}  // namespace headrace::compression
