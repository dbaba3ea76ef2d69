#include "src/input/compression/zstd_stream.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <new>

#include "absl/strings/str_cat.h"

namespace headrace::compression {
namespace {

constexpr int kMaxWindowLog = 27;
constexpr size_t kBlockHeader = 3;

constexpr size_t kMagicBytes = 4;
using ZstdMagic = std::array<uint8_t, kMagicBytes>;
constexpr ZstdMagic kFrame = {0x28, 0xb5, 0x2f, 0xfd};
// The writer chooses the low half of the first byte.
constexpr ZstdMagic kSkippableFrame = {0x50, 0x2a, 0x4d, 0x18};

// Compares as many bytes as there are.
bool BeginsAs(std::span<const uint8_t> bytes, const ZstdMagic& magic) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool choice = i == 0 && magic == kSkippableFrame;
    if ((choice ? bytes[i] & 0xf0 : bytes[i]) != magic[i]) return false;
  }
  return true;
}

Status EndInsideFrame() {
  return DecompressError("unexpected end inside a zstd frame");
}

}  // namespace

Result<std::unique_ptr<Decompressor>> ZstdStream::Make(InputBuffer input) {
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  if (context == nullptr) return Status::OutOfMemory();
  std::unique_ptr<Decompressor> stream(
      new (std::nothrow) ZstdStream(std::move(input), context));
  if (stream == nullptr) {
    ZSTD_freeDCtx(context);
    return Status::OutOfMemory();
  }
  const size_t code =
      ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kMaxWindowLog);
  if (ZSTD_isError(code)) return DecompressError(ZSTD_getErrorName(code));
  return stream;
}

ZstdStream::~ZstdStream() { ZSTD_freeDCtx(context_); }

Status ZstdStream::Step(std::span<uint8_t> out, size_t* produced) {
  if (!inside_) return BeginFrame();
  if (flushing_) return Feed({}, out, produced).status();
  if (Status status = input_.Fill(); !status.ok()) return status;
  const auto input = input_.unread();
  const size_t wanted =
      hint_ > kBlockHeader && !last_block_ ? hint_ - kBlockHeader : hint_;
  // The library gets whole blocks. It would accept stored ones in pieces as
  // they arrive, but would drop all of a piece that does not fit into the
  // frame, and the bytes before damage must not depend on the pieces. Only
  // skippable frames are longer.
  if (input.size() < wanted && wanted <= ZSTD_BLOCKSIZE_MAX) {
    if (!block_.Grow(ZSTD_BLOCKSIZE_MAX)) return Status::OutOfMemory();
    const std::span<uint8_t> block(block_.data(), wanted);
    auto taken = input_.Take(block);
    if (!taken.ok()) return taken.status();
    if (*taken < wanted) return EndInsideFrame();
    const auto used = Feed(block, out, produced);
    if (!used.ok()) return used.status();
    // The library leaves a byte of a frame's last block until all inflated
    // bytes had room.
    input_.Advance(static_cast<ptrdiff_t>(*used) -
                   static_cast<ptrdiff_t>(wanted));
    return Status();
  }
  if (input.empty()) return EndInsideFrame();
  auto used = Feed(input.first(std::min(input.size(), wanted)), out, produced);
  if (!used.ok()) return used.status();
  input_.Advance(static_cast<ptrdiff_t>(*used));
  return Status();
}

Status ZstdStream::BeginAt(const SeekPoint& /*point*/,
                           std::span<const uint8_t> /*window*/) {
  ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
  inside_ = false;
  flushing_ = false;
  return Status();
}

Status ZstdStream::BeginFrame() {
  const uint64_t begin = input_.position();
  std::array<uint8_t, kMagicBytes> magic;
  auto taken = input_.Take(magic);
  if (!taken.ok()) return taken.status();
  const auto bytes = std::span(magic).first(*taken);
  if (bytes.empty()) {
    done_ = true;
    return Status();
  }
  if (!BeginsAs(bytes, kFrame) && !BeginsAs(bytes, kSkippableFrame)) {
    if (frames_ > 0) return DecompressError("bytes after the last zstd frame");
    return NotOfKind("zstd", bytes, "does not begin with a frame");
  }
  if (bytes.size() < kMagicBytes) {
    return EndInsideFrame();
  }
  ++frames_;
  MeetMember(begin);
  last_block_ = false;
  size_t produced = 0;
  uint8_t nothing;
  return Feed(bytes, std::span(&nothing, 1), &produced).status();
}

Result<size_t> ZstdStream::Feed(std::span<const uint8_t> input,
                                std::span<uint8_t> out, size_t* produced) {
  // Three bytes are a block's header, or the end of a skippable frame.
  const bool is_block_header = inside_ && !flushing_ && hint_ == kBlockHeader;
  if (is_block_header && !last_block_) last_block_ = (input[0] & 1) != 0;
  ZSTD_inBuffer in = {input.data(), input.size(), 0};
  ZSTD_outBuffer to = {out.data(), out.size(), 0};
  const size_t code = ZSTD_decompressStream(context_, &to, &in);
  if (ZSTD_isError(code)) return Explain(code);
  *produced = to.pos;
  if (builder_ != nullptr) builder_->Add(out.first(to.pos));
  hint_ = code;
  inside_ = code != 0;
  flushing_ = inside_ && to.pos == to.size;
  return in.pos;
}

Status ZstdStream::Explain(size_t code) const {
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
      return Status::OutOfMemory();
    case ZSTD_error_frameParameter_windowTooLarge:
      return DecompressError("a zstd frame needs a window over 128 MiB");
    case ZSTD_error_checksum_wrong:
      return DecompressError("zstd frame: wrong checksum");
    default:
      return DecompressError(absl::StrCat("zstd: ", ZSTD_getErrorName(code)));
  }
}

}  // namespace headrace::compression
