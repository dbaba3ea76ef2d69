// ZstdStream inflates zstd frames one after another and skips skippable ones.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_STREAM_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "src/base/memory/buffer.h"
#include "src/input/compression/decompressor.h"

struct ZSTD_DCtx_s;

namespace headrace::compression {

// A frame may ask for a window of at most 128 MiB, which `zstd --ultra -22`
// needs; the library allocates that memory when it has read the frame's header.
class ZstdStream : public Decompressor {
 public:
  // Fails with kOutOfMemory.
  static Result<std::unique_ptr<Decompressor>> Make(InputBuffer input);
  ~ZstdStream() override;

 private:
  ZstdStream(InputBuffer input, ZSTD_DCtx_s* context)
      : Decompressor(std::move(input)), context_(context) {}
  Status Step(std::span<uint8_t> out, size_t* produced) override;
  Status BeginAt(const SeekPoint& point,
                 std::span<const uint8_t> window) override;
  // Checks a frame's magic number and passes it to the library. Sets done_ at
  // the end of the input.
  Status BeginFrame();
  // Returns the number of bytes used. The library does not report how much it
  // produced in a call that fails, so each call gets at most one block: what it
  // asks for includes the header of the next block, unless there is none.
  Result<size_t> Feed(std::span<const uint8_t> input, std::span<uint8_t> out,
                      size_t* produced);
  Status Explain(size_t code) const;

  ZSTD_DCtx_s* const context_;
  uint64_t frames_ = 0;
  Buffer block_;             // one that arrived in pieces
  size_t hint_ = 0;          // what the library asked for last
  bool last_block_ = false;  // its header has been fed
  bool inside_ = false;      // a frame
  bool flushing_ = false;    // the library may hold bytes that had no room
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_STREAM_H_
