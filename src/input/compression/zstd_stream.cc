#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/memory/buffer.h"
#include "src/input/compression/streams.h"

namespace headrace::compression {
namespace {

constexpr std::string_view kZstdFrame = "a zstd frame";
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

// ZstdStream inflates zstd frames one after another and skips skippable ones.
//
// A frame may ask for a window of at most 128 MiB, which `zstd --ultra -22`
// needs; the library allocates that memory when it has read the frame's header.
class ZstdStream final : public Decompressor {
 public:
  explicit ZstdStream(InputBuffer input)
      : Decompressor(std::move(input)),
        context_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {}

  bool Init() {
    return context_ != nullptr &&
           ZSTD_isError(ZSTD_DCtx_setParameter(
               context_.get(), ZSTD_d_windowLogMax, kMaxWindowLog)) == 0;
  }

 private:
  Status Step(std::span<uint8_t> out, size_t* produced) override {
    if (!inside_) return BeginFrame();
    if (flushing_) return Feed({}, out, produced).status();
    if (Status status = input_.Fill(); !status.ok()) return status;
    const auto input = input_.unread();
    const size_t wanted =
        hint_ > kBlockHeader && !last_block_ ? hint_ - kBlockHeader : hint_;
    // The library gets whole blocks. It would also accept uncompressed blocks
    // in pieces as they arrive. But it would drop all of a piece that does not
    // fit into the frame, and the bytes returned before damage must not depend
    // on the pieces. Only skippable frames are longer.
    if (input.size() < wanted && wanted <= ZSTD_BLOCKSIZE_MAX) {
      if (!block_.Grow(ZSTD_BLOCKSIZE_MAX)) return Status::OutOfMemory();
      const std::span<uint8_t> block(block_.data(), wanted);
      Status status = TakeAll(block, kZstdFrame);
      if (!status.ok()) return status;
      const auto used = Feed(block, out, produced);
      if (!used.ok()) return used.status();
      // The library leaves one byte of a frame's last block unused until all
      // inflated bytes had room.
      input_.Advance(static_cast<ptrdiff_t>(*used) -
                     static_cast<ptrdiff_t>(wanted));
      return Status();
    }
    if (input.empty()) return EndInside(kZstdFrame);
    auto used =
        Feed(input.first(std::min(input.size(), wanted)), out, produced);
    if (!used.ok()) return used.status();
    input_.Advance(static_cast<ptrdiff_t>(*used));
    return Status();
  }

  Status BeginAt(const SeekPoint& /*point*/,
                 std::span<const uint8_t> /*window*/) override {
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    inside_ = false;
    flushing_ = false;
    return Status();
  }

  // Checks a frame's magic number and passes it to the library. Sets done_ at
  // the end of the input.
  Status BeginFrame() {
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
      return frames_ > 0
                 ? DecompressError("bytes after the last zstd frame")
                 : NotOfKind("zstd", bytes, "does not begin with a frame");
    }
    if (bytes.size() < kMagicBytes) return EndInside(kZstdFrame);
    ++frames_;
    MeetMember(begin);
    last_block_ = false;
    size_t produced = 0;
    uint8_t nothing;
    return Feed(bytes, std::span(&nothing, 1), &produced).status();
  }

  // Returns the number of bytes used. The library does not report how much it
  // produced in a call that fails, so each call gets at most one block. The
  // size that the library asks for (hint_) includes the header of the next
  // block, if there is one.
  Result<size_t> Feed(std::span<const uint8_t> input, std::span<uint8_t> out,
                      size_t* produced) {
    // Three bytes are a block's header, or the end of a skippable frame.
    const bool is_block_header = inside_ && !flushing_ && hint_ == kBlockHeader;
    if (is_block_header && !last_block_) last_block_ = (input[0] & 1) != 0;
    ZSTD_inBuffer in = {input.data(), input.size(), 0};
    ZSTD_outBuffer to = {out.data(), out.size(), 0};
    const size_t code = ZSTD_decompressStream(context_.get(), &to, &in);
    if (ZSTD_isError(code)) return Explain(code);
    *produced = to.pos;
    if (builder_ != nullptr) builder_->Add(out.first(to.pos));
    hint_ = code;
    inside_ = code != 0;
    flushing_ = inside_ && to.pos == to.size;
    return in.pos;
  }

  Status Explain(size_t code) const {
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

  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  uint64_t frames_ = 0;
  Buffer block_;             // a block that arrived in pieces
  size_t hint_ = 0;          // what the library asked for last
  bool last_block_ = false;  // its header has been fed
  bool inside_ = false;      // reading is inside a frame
  bool flushing_ = false;    // the library may hold bytes that had no room
};

}  // namespace

std::unique_ptr<Decompressor> NewZstdStream(InputBuffer input,
                                            InflateLibrary /*library*/) {
  std::unique_ptr<ZstdStream> stream(new (std::nothrow)
                                         ZstdStream(std::move(input)));
  if (stream == nullptr || !stream->Init()) return nullptr;
  return stream;
}

}  // namespace headrace::compression
