// InputBuffer holds the compressed bytes that are read, but not used yet.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_INPUT_BUFFER_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_INPUT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "headrace/status.h"
#include "src/base/byte_stream.h"
#include "src/base/memory/buffer.h"

namespace headrace::compression {

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

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_INPUT_BUFFER_H_
