// ByteStream gives bytes in order, each once. Decompressors are ByteStreams
// over a ByteStream.

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

  // Fills the front of `out`, which is not empty, and returns how many bytes:
  // at least 1, or 0 at the end. A failure comes after every byte before it,
  // and does not name the file; the end and a failure are final.
  virtual Result<size_t> Read(std::span<uint8_t> out) = 0;

  // Read goes on at this byte of all that it gives; behind the end there is
  // nothing to read. False, and nothing changed, where that cannot be done.
  virtual bool SeekTo(uint64_t /*position*/) { return false; }

  // Whether ReadAt works.
  virtual bool can_read_at() const { return false; }

  // Fills `out` with the bytes that Read gives from `position` on, whatever was
  // read before, and changes nothing of what Read gives. Returns how many
  // bytes: fewer than out.size() only at the end.
  virtual Result<size_t> ReadAt(uint64_t /*position*/,
                                std::span<uint8_t> /*out*/) {
    return Status(ErrorCode::kInvalidArgument, "this stream cannot seek");
  }

  // Whether a call of ReadAt may take as long as reading a megabyte, as a
  // request to a server does.
  virtual bool is_far() const { return false; }

  // These bytes will be read soon: whoever keeps them may begin to fetch them.
  virtual void WillNeed(uint64_t /*position*/, uint64_t /*size*/) const {}

  // Bytes of the stored file count as they are used.
  virtual uint64_t stored_position() const = 0;
};

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_BYTE_STREAM_H_
