// ByteStream reads bytes in order, each once. Decompressors are ByteStreams
// over another ByteStream.

#ifndef HEADRACE_SRC_BASE_BYTE_STREAM_H_
#define HEADRACE_SRC_BASE_BYTE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "headrace/status.h"

namespace headrace {

class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  // Fills the front of `out`, which is not empty, and returns the number of
  // bytes: at least 1, or 0 at the end. A failure is returned only after all
  // bytes before it, and does not name the file. The end and failures are
  // final.
  virtual Result<size_t> Read(std::span<uint8_t> out) = 0;

  // Makes Read continue at this byte of the stream; beyond the end there is
  // nothing to read. Returns false and changes nothing if the stream cannot
  // seek there.
  virtual bool SeekTo(uint64_t /*position*/) { return false; }

  // Whether ReadAt works.
  virtual bool can_read_at() const { return false; }

  // Fills `out` with the bytes of the stream from `position` on, independently
  // of Read. Returns the number of bytes: fewer than out.size() only at the
  // end.
  virtual Result<size_t> ReadAt(uint64_t /*position*/,
                                std::span<uint8_t> /*out*/) {
    return Status(ErrorCode::kInvalidArgument, "this stream cannot seek");
  }

  // Whether a call of ReadAt may take as long as reading a megabyte, as a
  // request to a server does.
  virtual bool is_far() const { return false; }

  // A hint that these bytes will be read soon, so fetching them may begin.
  virtual void WillNeed(uint64_t /*position*/, uint64_t /*size*/) const {}

  // The number of bytes of the stored file that have been used.
  virtual uint64_t stored_position() const = 0;
};

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_BYTE_STREAM_H_
