// Decompressor is the common base of the streams that inflate (streams.h).

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_DECOMPRESSOR_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_DECOMPRESSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/byte_stream.h"
#include "src/base/memory/buffer.h"
#include "src/input/deflate/raw_inflate.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::compression {

inline Status DecompressError(std::string reason) {
  return Status(ErrorCode::kDecompress, std::move(reason));
}

// Returns the error for a file that ends inside one of its parts.
inline Status EndInside(std::string_view part) {
  return DecompressError("unexpected end inside " + std::string(part));
}

// InputBuffer holds the compressed bytes that are read, but not used yet.
class InputBuffer {
 public:
  // Bytes that Advance can take back at any time. Inflaters load 64 bits at a
  // time, so at the end of a stream they have read up to 8 bytes too many, some
  // of them perhaps from an earlier Fill.
  static constexpr size_t kGiveBack = 8;

  // The first Fill allocates the memory.
  InputBuffer(std::unique_ptr<ByteStream> stream, size_t capacity)
      : stream_(std::move(stream)), capacity_(capacity) {}

  // Reads more if nothing is unread; succeeds at the end, too. A failure is
  // final.
  Status Fill();
  // Drops the unread bytes and continues at this byte of the stored file.
  // Returns false and changes nothing if the stream cannot seek there.
  bool SeekTo(uint64_t position);
  // After Fill: whether nothing is unread and nothing will arrive.
  bool ended() const { return ended_ && begin_ == end_; }

  // Valid until Fill or Take. Never a null pointer after a successful Fill.
  std::span<const uint8_t> unread() const {
    return {buffer_.data() + begin_, end_ - begin_};
  }
  // Uses `count` bytes of unread(), or takes back -count <= kGiveBack bytes
  // that were used last.
  void Advance(ptrdiff_t count) {
    begin_ = static_cast<size_t>(static_cast<ptrdiff_t>(begin_) + count);
  }
  // Copies and uses as many bytes as fit into `out`, fewer only at the end.
  Result<size_t> Take(std::span<uint8_t> out);

  // Bytes of the stored file used so far.
  uint64_t position() const {
    return stream_->stored_position() - (end_ - begin_);
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  const size_t capacity_;
  Buffer buffer_;
  size_t begin_ = kGiveBack;
  size_t end_ = kGiveBack;
  bool ended_ = false;
  Status failure_;
};

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
  // Lets `builder`, which outlives this, find the points of the file while the
  // file is read from its beginning.
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

  // Takes all of `out` from the input, or fails with EndInside.
  Status TakeAll(std::span<uint8_t> out, std::string_view part);

  // Returns the failure for a file that does not begin like `kind`. It says
  // what the file looks like instead, or else `reason`. `taken` has those of
  // the file's first bytes that were taken from input_.
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

// Returns a stream that inflates stored bytes of `compression`, not kAuto or
// kNone. `stored_size` is a hint, 0 if unknown. Fails with kOutOfMemory.
Result<std::unique_ptr<Decompressor>> Decompress(
    Compression compression, std::unique_ptr<ByteStream> stored,
    uint64_t stored_size, InflateLibrary library = kBestInflate);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_DECOMPRESSOR_H_
