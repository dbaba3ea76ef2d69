#include "src/input/compression/decompressor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "src/input/compression/gzip_stream.h"
#include "src/input/compression/looks_like.h"
#include "src/input/compression/snappy_stream.h"
#include "src/input/compression/zlib_stream.h"
#include "src/input/compression/zstd_stream.h"

namespace headrace::compression {
namespace {

// Compressed bytes per read.
constexpr uint64_t kInputBytes = uint64_t{256} << 10;

}  // namespace

Result<size_t> Decompressor::Read(std::span<uint8_t> out) {
  size_t filled = 0;
  while (filled < out.size() && !done_ && failure_.ok()) {
    size_t produced = 0;
    failure_ = Step(out.subspan(filled), &produced);
    filled += produced;
  }
  if (filled == 0 && !failure_.ok()) return failure_;
  return filled;
}

Status Decompressor::JumpTo(const SeekPoint& point,
                            std::span<const uint8_t> window) {
  if (!input_.SeekTo(point.stored_byte())) {
    return failure_ = DecompressError(
               "the compressed file cannot be read at "
               "any place");
  }
  done_ = false;
  ExpectMember(~uint64_t{0});
  return failure_ = BeginAt(point, window);
}

Status Decompressor::NotOfKind(std::string_view kind,
                               std::span<const uint8_t> taken,
                               std::string_view reason) {
  std::array<uint8_t, 64> head;
  size_t size = std::min(taken.size(), head.size());
  std::copy_n(taken.begin(), size, head.begin());
  const auto more = input_.Take(std::span(head).subspan(size));
  if (more.ok()) size += *more;
  const std::string_view found = LooksLike(head.data(), size);
  std::string message = "not " + std::string(kind) + ": ";
  if (found.empty()) {
    message += reason;
  } else {
    message += "looks like " + std::string(found);
  }
  return DecompressError(std::move(message));
}

Status DeflateDecompressor::BeginAt(const SeekPoint& point,
                                    std::span<const uint8_t> window) {
  inside_ = point.is_inside;
  again_ = 0;
  block_bit_.reset();
  SetState(inside_ ? std::optional(point.state) : std::nullopt);
  if (!inside_) return Status();
  if (!window_.Grow(kDeflateWindow)) return Status::OutOfMemory();
  window_size_ = std::min(window.size(), kDeflateWindow);
  std::memcpy(window_.data(), window.data(), window_size_);
  start_bit_ = point.stored_bit;
  given_ = 0;
  return BeginInflate();
}

Status DeflateDecompressor::BeginMember() {
  const uint64_t begin = input_.position();
  if (Status status = ReadHeader(); !status.ok() || done_) return status;
  MeetMember(begin);
  inside_ = true;
  start_bit_ = 8 * input_.position();
  window_size_ = 0;
  given_ = 0;
  return BeginInflate();
}

// Starts the inflater. The input is at the byte of start_bit_.
Status DeflateDecompressor::BeginInflate() {
  const int used = static_cast<int>(start_bit_ % 8);
  std::array<uint8_t, 1> byte = {};
  if (used > 0) {
    const Result<size_t> taken = input_.Take(byte);
    if (!taken.ok()) return taken.status();
    if (*taken == 0) {
      return DecompressError("unexpected end inside the deflate data");
    }
  }
  if (inflate_->RestartAtBlock(byte[0], (8 - used) % 8,
                               {window_.data(), window_size_})) {
    return Status();
  }
  return DecompressError("the inflater does not go on inside deflate data");
}

Status DeflateDecompressor::Step(std::span<uint8_t> out, size_t* produced) {
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
  Add(out.first(*produced));
  if (builder_ != nullptr) {
    builder_->Add(out.first(*produced));
    if (wants_point && block_bit_) builder_->AddPoint(*block_bit_, state());
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
      return DecompressError("unexpected end inside the deflate data");
    case InflateState::kNoMemory:
      break;
  }
  return Status::OutOfMemory();
}

Result<bool> DeflateDecompressor::StandsBefore(uint64_t stored_bit) {
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

// Makes zlib read the damaged or cut stream again. Returns false if zlib has
// read it, or if the input cannot seek.
Result<bool> DeflateDecompressor::BeginAgain() {
  if (exact_ || !input_.SeekTo(start_bit_ / 8)) return false;
  auto zlib = NewRawInflate(InflateLibrary::kZlib);
  if (zlib == nullptr) return Status::OutOfMemory();
  inflate_ = std::move(zlib);
  exact_ = true;
  again_ = given_;
  if (Status status = BeginInflate(); !status.ok()) return status;
  return true;
}

Result<std::unique_ptr<Decompressor>> Decompress(
    Compression compression, std::unique_ptr<ByteStream> stored,
    uint64_t stored_size, InflateLibrary library) {
  const uint64_t capacity =
      stored_size == 0 ? kInputBytes : std::min(stored_size, kInputBytes);
  if (!stored->SeekTo(stored->stored_position())) {
    library = InflateLibrary::kZlib;
  }
  InputBuffer input(std::move(stored), static_cast<size_t>(capacity));
  std::unique_ptr<Decompressor> stream;
  if (compression == Compression::kGzip || compression == Compression::kZlib) {
    auto inflate = NewRawInflate(library);
    if (inflate == nullptr) return Status::OutOfMemory();
    if (compression == Compression::kGzip) {
      stream.reset(new (std::nothrow)
                       GzipStream(std::move(input), std::move(inflate)));
    } else {
      stream.reset(new (std::nothrow)
                       ZlibStream(std::move(input), std::move(inflate)));
    }
  } else if (compression == Compression::kSnappy) {
    stream.reset(new (std::nothrow) SnappyStream(std::move(input)));
  } else {
    auto zstd = ZstdStream::Make(std::move(input));
    if (!zstd.ok()) return zstd.status();
    stream = std::move(*zstd);
  }
  if (stream == nullptr) return Status::OutOfMemory();
  return stream;
}

}  // namespace headrace::compression
