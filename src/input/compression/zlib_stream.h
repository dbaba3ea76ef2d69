// ZlibStream inflates one zlib stream (RFC 1950), which nothing may follow.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_ZLIB_STREAM_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_ZLIB_STREAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "src/input/compression/decompressor.h"

namespace headrace::compression {

// Returns true if these two bytes begin a zlib stream that can be read:
// deflate, a window of at most 32 KiB, no preset dictionary, and a right check.
bool IsZlibHeader(uint8_t first, uint8_t second);

class ZlibStream : public DeflateDecompressor {
 public:
  ZlibStream(InputBuffer input, std::unique_ptr<RawInflate> inflate)
      : DeflateDecompressor(std::move(input), std::move(inflate)) {}

  MemberState state() const override {
    return {.check = adler_, .size = size_};
  }

 private:
  Status ReadHeader() override;
  void SetState(const std::optional<MemberState>& state) override;
  void Add(std::span<const uint8_t> bytes) override;
  Status ReadTrailer() override;

  bool begun_ = false;
  uint32_t adler_ = 1;
  uint32_t size_ = 0;  // modulo 2^32
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_ZLIB_STREAM_H_
