// Inflates gzip and zlib files: parses and checks the headers and trailers of
// their deflate streams, so that all libraries accept the same files.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/little_endian.h"
#include "src/base/memory/buffer.h"
#include "src/input/compression/streams.h"
#include "src/input/deflate/checksum.h"
#include "src/input/deflate/gzip_member.h"

namespace headrace::compression {
namespace {

constexpr std::string_view kDeflateData = "the deflate data";

// Inflates raw deflate data that has a header and a checksum: gzip's members,
// zlib's stream.
//
// At damage or a cut, the bytes that ISA-L has returned are not exact: the last
// ones may be missing, and a distance that reaches too far back yields bytes
// that are not in the data. So the bytes of its last call are dropped, and zlib
// inflates the deflate stream again, which returns just the bytes that the data
// determines. Pipes, whose bytes cannot be read twice, are left to zlib.
class DeflateStream : public Decompressor {
 public:
  MemberState state() const final { return state_; }
  void WatchBlocks(bool on) final { watches_blocks_ = on; }
  Result<bool> StandsBefore(uint64_t stored_bit) final {
    while (inside_ && block_bit_ != stored_bit) {
      if (Status status = input_.Fill(); !status.ok()) return status;
      std::array<uint8_t, 1> more;
      const InflateResult result =
          inflate_->RunToBlock(input_.unread(), /*input_ended=*/false, more);
      input_.Advance(result.consumed);
      if (result.produced > 0 || result.state != InflateState::kGoing) break;
      if (result.block) {
        block_bit_ = 8 * input_.position() - result.block->bits_back;
      }
      if (result.consumed == 0) break;
    }
    return inside_ && block_bit_ == stored_bit;
  }

 protected:
  using Checksum = uint32_t (*)(uint32_t sum, std::span<const uint8_t> bytes);

  // `checksum` begins with `first_check`.
  DeflateStream(InputBuffer input, std::unique_ptr<RawInflate> inflate,
                Checksum checksum, uint32_t first_check)
      : Decompressor(std::move(input)),
        inflate_(std::move(inflate)),
        checksum_(checksum),
        first_check_(first_check) {}

  // Reads the header before each deflate stream. At least one byte of the
  // header is available.
  virtual Status ReadHeader() = 0;
  // Reads the trailer after each deflate stream and compares it with state_.
  virtual Status ReadTrailer() = 0;
  // Called after a jump, into a member or to a header.
  virtual void Jumped(bool inside) = 0;

  MemberState state_;  // of the current member

 private:
  Status Step(std::span<uint8_t> out, size_t* produced) final {
    if (!inside_) return BeginMember();
    // If reading fails, the bytes that the inflater holds are returned first.
    const Status filled = input_.Fill();
    const bool ended = filled.ok() && input_.ended();
    const bool wants_point = builder_ != nullptr && builder_->WantsPoint();
    const InflateResult result =
        wants_point || (watches_blocks_ && inflate_->sees_all_blocks())
            ? inflate_->RunToBlock(input_.unread(), ended, out)
            : inflate_->Run(input_.unread(), ended, out);
    const bool is_whole = result.state == InflateState::kGoing ||
                          result.state == InflateState::kDone;
    if (!is_whole) {
      const Result<bool> again = BeginAgain();
      if (!again.ok() || *again) return again.status();
    }
    input_.Advance(result.consumed);
    block_bit_.reset();
    if (result.block) {
      block_bit_ = 8 * input_.position() - result.block->bits_back;
    }
    const size_t old =
        static_cast<size_t>(std::min<uint64_t>(again_, result.produced));
    again_ -= old;
    *produced = result.produced - old;
    if (old > 0) std::memmove(out.data(), out.data() + old, *produced);
    given_ += *produced;
    const auto plain = out.first(*produced);
    state_.check = checksum_(state_.check, plain);
    state_.size += static_cast<uint32_t>(plain.size());
    if (builder_ != nullptr) {
      builder_->Add(plain);
      if (wants_point && block_bit_) builder_->AddPoint(*block_bit_, state_);
    }
    switch (result.state) {
      case InflateState::kGoing:
        return result.produced == 0 && result.consumed == 0 ? filled : Status();
      case InflateState::kDone: {
        const Status status = ReadTrailer();
        // ISA-L accepts some codes that are damaged.
        if (!status.ok()) {
          const Result<bool> again = BeginAgain();
          if (!again.ok() || *again) return again.status();
        }
        inside_ = false;
        return status;
      }
      case InflateState::kDamaged:
        return DecompressError("damaged deflate data");
      case InflateState::kCut:
        return EndInside(kDeflateData);
      case InflateState::kNoMemory:
        break;
    }
    return Status::OutOfMemory();
  }

  Status BeginAt(const SeekPoint& point,
                 std::span<const uint8_t> window) final {
    inside_ = point.is_inside;
    again_ = 0;
    block_bit_.reset();
    if (inside_) state_ = point.state;
    Jumped(inside_);
    if (!inside_) return Status();
    if (!window_.Grow(kDeflateWindow)) return Status::OutOfMemory();
    window_size_ = std::min(window.size(), kDeflateWindow);
    std::memcpy(window_.data(), window.data(), window_size_);
    start_bit_ = point.stored_bit;
    given_ = 0;
    return BeginInflate();
  }

  Status BeginMember() {
    if (Status status = input_.Fill(); !status.ok()) return status;
    done_ = input_.ended();
    if (done_) return Status();
    const uint64_t begin = input_.position();
    if (Status status = ReadHeader(); !status.ok()) return status;
    MeetMember(begin);
    state_ = {.check = first_check_};
    inside_ = true;
    start_bit_ = 8 * input_.position();
    window_size_ = 0;
    given_ = 0;
    return BeginInflate();
  }

  // Starts the inflater. The input is at the byte of start_bit_.
  Status BeginInflate() {
    const int used = static_cast<int>(start_bit_ % 8);
    std::array<uint8_t, 1> byte = {};
    if (used > 0) {
      Status status = TakeAll(byte, kDeflateData);
      if (!status.ok()) return status;
    }
    if (inflate_->RestartAtBlock(byte[0], (8 - used) % 8,
                                 {window_.data(), window_size_})) {
      return Status();
    }
    return DecompressError(
        "the inflater makes no progress inside deflate data");
  }

  // Makes zlib read the damaged or cut stream again. Returns false if zlib has
  // already read it, or if the input cannot seek.
  Result<bool> BeginAgain() {
    if (exact_ || !input_.SeekTo(start_bit_ / 8)) return false;
    auto zlib = NewRawInflate(InflateLibrary::kZlib);
    if (zlib == nullptr) return Status::OutOfMemory();
    inflate_ = std::move(zlib);
    exact_ = true;
    again_ = given_;
    if (Status status = BeginInflate(); !status.ok()) return status;
    return true;
  }

  std::unique_ptr<RawInflate> inflate_;
  const Checksum checksum_;
  const uint32_t first_check_;
  bool exact_ = false;   // zlib has taken over
  bool inside_ = false;  // reading is inside a deflate stream
  // Where inflating began: at the beginning of the deflate stream, or at a
  // block inside it, which refers to window_.
  uint64_t start_bit_ = 0;
  Buffer window_;
  size_t window_size_ = 0;
  uint64_t given_ = 0;  // bytes returned since start_bit_
  uint64_t again_ = 0;  // bytes still to inflate that were returned before
  // The position of the stream, if a block is known to begin there.
  std::optional<uint64_t> block_bit_;
  bool watches_blocks_ = false;
};

// ---------------------------------------------------------------------- gzip

constexpr std::string_view kGzipHeader = "a gzip header";
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

// GzipStream inflates the members of a gzip file (RFC 1952), one after another.
//
// Stricter than gzip(1): only a member may follow a member, each trailer must
// be present and right, and the claim of a blocked gzip member (gzip_member.h)
// must be true. A member may be empty.
class GzipStream final : public DeflateStream {
 public:
  GzipStream(InputBuffer input, std::unique_ptr<RawInflate> inflate)
      : DeflateStream(std::move(input), std::move(inflate), &Crc32, 0) {}

 private:
  Status ReadHeader() override {
    begin_ = input_.position();
    claim_.reset();
    if (Status status = CheckMagic(); !status.ok()) return status;
    uint8_t method = 0;
    uint8_t flags = 0;
    if (Status status = HeaderBytes({&method, 1}); !status.ok()) return status;
    if (method != kDeflate) {
      return DecompressError(
          absl::StrCat("gzip header: unknown method ", method));
    }
    if (Status status = HeaderBytes({&flags, 1}); !status.ok()) return status;
    if ((flags & kReserved) != 0) {
      return DecompressError("gzip header: reserved flags are set");
    }
    // Skips the time, the extra flags and the operating system.
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
    return Status();
  }

  Status ReadTrailer() override {
    std::array<uint8_t, 8> trailer;
    Status status = TakeAll(trailer, "a gzip trailer");
    if (!status.ok()) return status;
    const uint32_t crc = LoadLittle32(trailer.data());
    const uint32_t size = LoadLittle32(trailer.data() + 4);
    if (crc != state_.check) {
      return DecompressError(Mismatch("gzip trailer: CRC", crc, state_.check));
    }
    if (size != state_.size) {
      return DecompressError(
          absl::StrCat("gzip trailer: size modulo 2^32: stored ", size,
                       ", computed ", state_.size));
    }
    return CheckClaim();
  }

  void Jumped(bool inside) override {
    claim_.reset();
    if (inside) members_ = 1;
  }

  // These functions read the parts of a header. All bytes of a header except
  // the magic number are added to header_crc_, because the header may have a
  // checksum.
  Status CheckMagic() {
    std::array<uint8_t, 2> magic;
    auto taken = input_.Take(magic);
    if (!taken.ok()) return taken.status();
    const bool right =
        magic[0] == kMagic1 && (*taken < 2 || magic[1] == kMagic2);
    if (!right && members_ > 0) {
      return DecompressError("bytes after the last gzip member");
    }
    if (!right) {
      return NotOfKind("gzip", std::span(magic).first(*taken),
                       "does not begin with 1f 8b");
    }
    if (*taken < 2) return EndInside(kGzipHeader);
    header_crc_ = Crc32(0, magic);
    return Status();
  }

  Status HeaderBytes(std::span<uint8_t> out) {
    Status status = TakeAll(out, kGzipHeader);
    if (status.ok()) header_crc_ = Crc32(header_crc_, out);
    return status;
  }

  Status SkipHeader(size_t count) {
    while (count > 0) {
      if (Status status = FillHeader(); !status.ok()) return status;
      const auto bytes =
          input_.unread().first(std::min(count, input_.unread().size()));
      UseHeader(bytes);
      count -= bytes.size();
    }
    return Status();
  }

  // Skips a text up to a zero byte.
  Status SkipText() {
    for (bool is_over = false; !is_over;) {
      if (Status status = FillHeader(); !status.ok()) return status;
      const auto bytes = input_.unread();
      const auto zero = std::find(bytes.begin(), bytes.end(), 0);
      is_over = zero != bytes.end();
      UseHeader({bytes.begin(), is_over ? zero + 1 : zero});
    }
    return Status();
  }

  Status ReadExtra() {
    std::array<uint8_t, 2> bytes;
    if (Status status = HeaderBytes(bytes); !status.ok()) return status;
    const size_t size = LoadLittle16(bytes.data());
    if (size > kMaxClaimExtra) return SkipHeader(size);
    std::array<uint8_t, kMaxClaimExtra> buffer;
    const auto extra = std::span(buffer).first(size);
    Status status = HeaderBytes(extra);
    if (status.ok()) claim_ = FindClaim(extra);
    return status;
  }

  Status CheckHeaderCrc() {
    const uint32_t computed = header_crc_ & 0xFFFFu;
    std::array<uint8_t, 2> bytes;
    if (Status status = HeaderBytes(bytes); !status.ok()) return status;
    const uint32_t stored = LoadLittle16(bytes.data());
    if (stored == computed) return Status();
    return DecompressError(Mismatch("gzip header CRC", stored, computed));
  }

  // Checks headrace's claim, but not BGZF's, which other readers ignore, too.
  Status CheckClaim() const {
    if (!claim_ || !claim_->plain) return Status();
    const uint64_t stored = input_.position() - begin_;
    if (claim_->stored == stored && *claim_->plain == state_.size) {
      return Status();
    }
    return DecompressError(absl::StrCat(
        "the header of the gzip member says that it has ", claim_->stored,
        " bytes and inflates to ", *claim_->plain, ", but it has ", stored,
        " and inflates to ", state_.size));
  }

  // Reads more bytes of a header, at least one.
  Status FillHeader() {
    if (Status status = input_.Fill(); !status.ok()) return status;
    if (!input_.ended()) return Status();
    return EndInside(kGzipHeader);
  }

  void UseHeader(std::span<const uint8_t> bytes) {
    header_crc_ = Crc32(header_crc_, bytes);
    input_.Advance(static_cast<ptrdiff_t>(bytes.size()));
  }

  uint64_t members_ = 0;
  uint32_t header_crc_ = 0;
  uint64_t begin_ = 0;  // of the member, in the stored file
  std::optional<MemberClaim> claim_;
};

// ---------------------------------------------------------------------- zlib

constexpr uint8_t kDictionary = 0x20;

bool IsChecked(uint8_t first, uint8_t second) {
  const bool deflate = (first & 0x0f) == 8 && (first >> 4) <= 7;
  return deflate && (first * 256 + second) % 31 == 0;
}

// ZlibStream inflates one zlib stream (RFC 1950), which nothing may follow.
class ZlibStream final : public DeflateStream {
 public:
  ZlibStream(InputBuffer input, std::unique_ptr<RawInflate> inflate)
      : DeflateStream(std::move(input), std::move(inflate), &Adler32, 1) {}

 private:
  Status ReadHeader() override {
    if (begun_) return DecompressError("bytes after the zlib stream");
    begun_ = true;
    std::array<uint8_t, 2> header;
    Status status = TakeAll(header, "the zlib header");
    if (!status.ok()) return status;
    if (!IsChecked(header[0], header[1])) {
      return NotOfKind("zlib", header, "no valid header");
    }
    if ((header[1] & kDictionary) != 0) {
      return DecompressError("zlib header: needs a preset dictionary");
    }
    return Status();
  }

  Status ReadTrailer() override {
    std::array<uint8_t, 4> trailer;
    Status status = TakeAll(trailer, "the zlib trailer");
    if (!status.ok()) return status;
    const uint32_t stored = LoadBig32(trailer.data());
    if (stored == state_.check) return Status();
    return DecompressError(
        Mismatch("zlib trailer: Adler-32", stored, state_.check));
  }

  void Jumped(bool inside) override { begun_ = inside; }

  bool begun_ = false;
};

template <class Stream>
std::unique_ptr<Decompressor> NewDeflateStream(InputBuffer input,
                                               InflateLibrary library) {
  auto inflate = NewRawInflate(library);
  if (inflate == nullptr) return nullptr;
  return std::unique_ptr<Decompressor>(
      new (std::nothrow) Stream(std::move(input), std::move(inflate)));
}

}  // namespace

bool IsZlibHeader(uint8_t first, uint8_t second) {
  return IsChecked(first, second) && (second & kDictionary) == 0;
}

std::unique_ptr<Decompressor> NewGzipStream(InputBuffer input,
                                            InflateLibrary library) {
  return NewDeflateStream<GzipStream>(std::move(input), library);
}

std::unique_ptr<Decompressor> NewZlibStream(InputBuffer input,
                                            InflateLibrary library) {
  return NewDeflateStream<ZlibStream>(std::move(input), library);
}

}  // namespace headrace::compression
