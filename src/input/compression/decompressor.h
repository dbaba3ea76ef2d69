// Decompressor is the common base of the streams that inflate.

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

namespace headrace::compression {

class Decompressor : public ByteStream {
 public:
  // Fills all of `out` if it can, and returns the bytes before a failure first.
  // An empty file is an empty stream in every compression.
  Result<size_t> Read(std::span<uint8_t> out) final;
  uint64_t stored_position() const final { return input_.position(); }

  // Continues Read at this point; `window` has the bytes before a point that is
  // inside a member. The stored stream must be able to seek.
  Status JumpTo(const SeekPoint& point, std::span<const uint8_t> window);
  // The state of the current member after the bytes that Read has returned.
  virtual MemberState state() const { return {}; }
  // Sets whether StandsBefore will be called.
  virtual void WatchBlocks(bool /*on*/) {}
  // Whether the member continues with a deflate block at this bit. The stored
  // stream must end there, Read must have returned all bytes before it, and
  // only JumpTo may be called afterwards.
  virtual Result<bool> StandsBefore(uint64_t /*stored_bit*/) { return false; }
  // Makes has_met_member() report whether a member or a frame begins at this
  // byte, until JumpTo or the next call. Between calls of Read it misses none.
  void ExpectMember(uint64_t stored_byte) {
    expected_member_ = stored_byte;
    has_met_member_ = false;
  }
  bool has_met_member() const { return has_met_member_; }
  // Lets `builder`, which outlives this, find the points of the file while it
  // is read from its beginning.
  void FindPoints(SeekTableBuilder* builder) { builder_ = builder; }

 protected:
  explicit Decompressor(InputBuffer input) : input_(std::move(input)) {}

  // Makes progress: puts `*produced` bytes at the front of `out`, uses input,
  // or sets done_. Bytes produced with a failure are good, too.
  virtual Status Step(std::span<uint8_t> out, size_t* produced) = 0;

  // Completes JumpTo. The input is at the point's byte.
  virtual Status BeginAt(const SeekPoint& /*point*/,
                         std::span<const uint8_t> /*window*/) {
    return Status(ErrorCode::kInvalidArgument,
                  "this compression has no seek points");
  }

  // Returns the failure of a file that does not begin like `kind`. It says what
  // the file looks like instead, or else `reason`. `taken` has those of the
  // file's first bytes that were taken from input_.
  Status NotOfKind(std::string_view kind, std::span<const uint8_t> taken,
                   std::string_view reason);

  // Notes that a member or a frame begins at this byte.
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

// Inflates raw deflate with a checksum around it: gzip's members, zlib's
// stream.
//
// At damage or a cut, the bytes that ISA-L has returned are not exact: the last
// ones may be missing, and a distance that reaches too far back yields bytes
// that are not in the data. So the bytes of its last call are dropped, and zlib
// inflates the deflate stream again, which returns just the bytes that the data
// determines. Pipes, whose bytes cannot be read twice, are left to zlib.
class DeflateDecompressor : public Decompressor {
 public:
  void WatchBlocks(bool on) final { watches_blocks_ = on; }
  Result<bool> StandsBefore(uint64_t stored_bit) final;

 protected:
  DeflateDecompressor(InputBuffer input, std::unique_ptr<RawInflate> inflate)
      : Decompressor(std::move(input)), inflate_(std::move(inflate)) {}

  // Reads the header before each deflate stream. Sets done_ if the input ends
  // instead, which is allowed.
  virtual Status ReadHeader() = 0;
  // Adds inflated bytes of the member to its state.
  virtual void Add(std::span<const uint8_t> bytes) = 0;
  // Called after a jump, into a member with this state or to a header.
  virtual void SetState(const std::optional<MemberState>& state) = 0;
  // Reads and checks the trailer after each deflate stream.
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

inline Status DecompressError(std::string reason) {
  return Status(ErrorCode::kDecompress, std::move(reason));
}

// Returns a stream that inflates stored bytes of `compression`, not kAuto or
// kNone. `stored_size` is a hint, 0 if unknown. Fails with kOutOfMemory.
Result<std::unique_ptr<Decompressor>> Decompress(
    Compression compression, std::unique_ptr<ByteStream> stored,
    uint64_t stored_size, InflateLibrary library = kBestInflate);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_DECOMPRESSOR_H_
