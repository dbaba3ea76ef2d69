#include "src/source/zstd_stream.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <new>

#include "absl/strings/str_cat.h"

namespace headrace::source {
namespace {

constexpr int kMaxWindowLog = 27;
constexpr size_t kBlockHeader = 3;

constexpr size_t kMagicBytes = 4;
using Magic = std::array<uint8_t, kMagicBytes>;
constexpr Magic kFrame = {0x28, 0xb5, 0x2f, 0xfd};
// The low half of the first byte is the writer's to choose.
constexpr Magic kSkippableFrame = {0x50, 0x2a, 0x4d, 0x18};

// As far as there are bytes.
bool BeginsAs(std::span<const uint8_t> bytes, const Magic& magic) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool choice = i == 0 && magic == kSkippableFrame;
    if ((choice ? bytes[i] & 0xf0 : bytes[i]) != magic[i]) return false;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<ByteStream>> ZstdStream::Make(InputBuffer input) {
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  if (context == nullptr) return Status::OutOfMemory();
  std::unique_ptr<ByteStream> stream(new (std::nothrow)
                                         ZstdStream(std::move(input), context));
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
  if (!flushing_) {
    if (Status status = input_.Fill(); !status.ok()) return status;
    if (input_.ended()) {
      return DecompressError("unexpected end inside a zstd frame");
    }
  }
  auto input = input_.unread();
  size_t wanted = hint_ > kBlockHeader ? hint_ - kBlockHeader : hint_;
  // The last byte comes alone. zstd gives stored blocks as they arrive, and
  // where the frame ends too early drops what arrived last: that must not
  // depend on how much that was.
  if (wanted > 1) --wanted;
  input = input.first(flushing_ ? 0 : std::min(input.size(), wanted));
  size_t used = 0;
  if (Status status = Feed(input, &used, out, produced); !status.ok()) {
    return status;
  }
  input_.Advance(static_cast<ptrdiff_t>(used));
  return Status();
}

Status ZstdStream::BeginFrame() {
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
    return DecompressError("unexpected end inside a zstd frame");
  }
  ++frames_;
  size_t used = 0;
  size_t produced = 0;
  uint8_t nothing;
  return Feed(bytes, &used, std::span(&nothing, 1), &produced);
}

Status ZstdStream::Feed(std::span<const uint8_t> input, size_t* used,
                        std::span<uint8_t> out, size_t* produced) {
  ZSTD_inBuffer in = {input.data(), input.size(), 0};
  ZSTD_outBuffer to = {out.data(), out.size(), 0};
  const size_t code = ZSTD_decompressStream(context_, &to, &in);
  if (ZSTD_isError(code)) return Explain(code);
  *used = in.pos;
  *produced = to.pos;
  hint_ = code;
  inside_ = code != 0;
  flushing_ = inside_ && to.pos == to.size;
  return Status();
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

}  // namespace headrace::source
