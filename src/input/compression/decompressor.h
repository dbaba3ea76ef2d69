// Decompressor: what the decompressing streams have in common.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_DECOMPRESSOR_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_DECOMPRESSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/byte_stream.h"
#include "src/input/compression/input_buffer.h"
#include "src/input/deflate/raw_inflate.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/deflate/seek_table_builder.h"

namespace headrace::compression {

class Decompressor : public ByteStream {
 public:
  // Fills `out` to the brim where it can. Bytes before a failure are given
  // first. A file of no bytes is an empty stream in every compression.
  Result<size_t> Read(std::span<uint8_t> out) final;
  uint64_t stored_position() const final { return input_.position(); }

  // Read goes on at this point; `window` has the bytes before it, where it is
  // inside. The stored stream must be able to seek.
  Status JumpTo(const SeekPoint& point, std::span<const uint8_t> window);
  // How far the member at which Read stands has come.
  virtual MemberState state() const { return {}; }
  // StandsBefore will be asked, or not.
  virtual void WatchBlocks(bool /*on*/) {}
  // Whether the member goes on with a block of deflate at this bit. Nothing
  // from it on may have come from the stored stream, and Read must have given
  // all bytes before it; nothing but JumpTo may follow.
  virtual Result<bool> StandsBefore(uint64_t /*stored_bit*/) { return false; }
  // Until JumpTo or the next call it is noticed whether a member, or a frame,
  // begins at this byte. Between two calls of Read none is missed.
  void ExpectMember(uint64_t stored_byte) {
    expected_member_ = stored_byte;
    has_met_member_ = false;
  }
  bool has_met_member() const { return has_met_member_; }
  // The points of the file are found while it is read from its beginning.
  // `builder` outlives this.
  void FindPoints(SeekTableBuilder* builder) { builder_ = builder; }

 protected:
  explicit Decompressor(InputBuffer input) : input_(std::move(input)) {}

  // Does something: puts `*produced` bytes at the front of `out`, or uses
  // input, or sets done_. Bytes that come with a failure are good as well.
  virtual Status Step(std::span<uint8_t> out, size_t* produced) = 0;

  // The rest of JumpTo. The input stands at the point's byte.
  virtual Status BeginAt(const SeekPoint& /*point*/,
                         std::span<const uint8_t> /*window*/) {
    return Status(ErrorCode::kInvalidArgument,
                  "this compression has no seek points");
  }

  // The failure of a file that does not begin as `kind` does; `taken` are the
  // file's first bytes, as far as they have left input_. Says what the file
  // looks like instead, or else `reason`.
  Status NotOfKind(std::string_view kind, std::span<const uint8_t> taken,
                   std::string_view reason);

  // A member, or a frame, begins at this byte.
  void MeetMember(uint64_t begin) {
    if (begin == expected_member_) has_met_member_ = true;
    if (builder_ != nullptr) builder_->BeginMember(begin);
  }

  InputBuffer input_;
  bool done_ = false;
  SeekTableBuilder* builder_ = nullptr;

 private:
  Status failure_;
  uint64_t expected_member_ = ~uint64_t{0};
  bool has_met_member_ = false;
};

// A wrapper with a checksum around raw deflate: gzip's members, zlib's stream.
//
// Where ISA-L meets damage or a cut, the bytes it has given are not exact: the
// last ones may be missing, and a distance that reaches too far back counts
// bytes that came from nowhere. So what its last call gave is dropped, and the
// deflate stream is inflated again by zlib, which gives what the data
// determines and no more. That needs stored bytes that can be read twice;
// elsewhere, on pipes, zlib does all the work.
class DeflateDecompressor : public Decompressor {
 public:
  void WatchBlocks(bool on) final { watches_blocks_ = on; }
  Result<bool> StandsBefore(uint64_t stored_bit) final;

 protected:
  DeflateDecompressor(InputBuffer input, std::unique_ptr<RawInflate> inflate)
      : Decompressor(std::move(input)), inflate_(std::move(inflate)) {}

  // Before each deflate stream: reads what stands before it. Sets done_ where
  // the input ends instead, as it may.
  virtual Status ReadHeader() = 0;
  // Bytes that were inflated since the header.
  virtual void Add(std::span<const uint8_t> bytes) = 0;
  // A jump leads before a header, or into the member of this state.
  virtual void SetState(const std::optional<MemberState>& state) = 0;
  // After it: reads and checks what stands behind it.
  virtual Status ReadTrailer() = 0;

 private:
  Status Step(std::span<uint8_t> out, size_t* produced) final;
  Status BeginAt(const SeekPoint& point, std::span<const uint8_t> window) final;
  Status BeginMember();
  Status BeginInflate();
  Result<bool> BeginAgain();

  std::unique_ptr<RawInflate> inflate_;
  bool exact_ = false;   // zlib has taken over
  bool inside_ = false;  // a deflate stream
  // Where inflating began: before the deflate stream, or at a block of it,
  // which refers to window_.
  uint64_t start_bit_ = 0;
  Buffer window_;
  size_t window_size_ = 0;
  uint64_t given_ = 0;  // bytes since then
  uint64_t again_ = 0;  // bytes still to come that were given before
  // Where the stream stands, if it is known to stand before a block.
  std::optional<uint64_t> block_bit_;
  bool watches_blocks_ = false;
};

inline Status DecompressError(std::string reason) {
  return Status(ErrorCode::kDecompress, std::move(reason));
}

// The stream that undoes `compression`, which is neither kAuto nor kNone, over
// the stored bytes. `stored_size` is a hint, 0 where it is not known.
// kOutOfMemory.
Result<std::unique_ptr<Decompressor>> Decompress(
    Compression compression, std::unique_ptr<ByteStream> stored,
    uint64_t stored_size, InflateLibrary library = kBestInflate);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_DECOMPRESSOR_H_
