// RawInflate: a raw deflate stream (RFC 1951), whichever library undoes it.
//
// The wrappers of gzip and zlib are parsed and checked elsewhere
// (gzip_stream.h, zlib_stream.h), so that ISA-L and zlib accept the same files.
// ISA-L is not exact about the bytes before damage, which is why zlib takes
// over there (decompressor.h); and it takes incomplete Huffman codes, which no
// writer produces.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_RAW_INFLATE_H_
#define HEADRACE_SRC_INPUT_DEFLATE_RAW_INFLATE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace headrace::compression {

enum class InflateState : uint8_t {
  kGoing,    // wants more input or more room
  kDone,     // the stream is complete and all of it has been given
  kDamaged,  // not deflate from here on
  kCut,      // the input ended inside the stream
  kNoMemory,
};

// The stream stands before a block of deflate. The last bits of what was used
// of the input, whole bytes and more, may be the block's.
struct BlockBegin {
  uint64_t bits_back = 0;
};

struct InflateResult {
  InflateState state = InflateState::kGoing;
  size_t produced = 0;  // bytes of `out`, good in every state
  // Bytes of `in` used. With kDone it may be negative, at least
  // -InputBuffer::kGiveBack: bytes of earlier calls that belong to what follows
  // the stream.
  ptrdiff_t consumed = 0;
  // Of RunToBlock, with kGoing: all bytes before the block have been given.
  std::optional<BlockBegin> block = {};
};

class RawInflate {
 public:
  RawInflate() = default;
  RawInflate(const RawInflate&) = delete;
  RawInflate& operator=(const RawInflate&) = delete;
  virtual ~RawInflate() = default;

  // Before each stream, the first one too.
  void Restart() { RestartAtBlock(0, 0, {}); }
  // `in` is not a null pointer, even when it is empty; `out` is not empty, and
  // all of it may be written to, whatever is produced. `input_ended` says that
  // nothing follows `in`. All states but kGoing are final and are given only
  // when everything that was inflated before has been.
  virtual InflateResult Run(std::span<const uint8_t> in, bool input_ended,
                            std::span<uint8_t> out) = 0;

  // Like Run, but stops where a block begins, if it sees that one does: ISA-L
  // may miss blocks that have hardly a header.
  virtual InflateResult RunToBlock(std::span<const uint8_t> in,
                                   bool input_ended,
                                   std::span<uint8_t> out) = 0;

  // Whether RunToBlock misses no block and takes hardly longer than Run.
  virtual bool sees_all_blocks() const = 0;

  // Before a stream that goes on at a block: first come the high `bits` bits of
  // `byte`, at most 7, and `window` has the bytes made before, at most
  // kDeflateWindow. False if the library refuses.
  virtual bool RestartAtBlock(uint8_t byte, int bits,
                              std::span<const uint8_t> window) = 0;
};

// ISA-L is about twice as fast; zlib takes over where it is absent.
enum class InflateLibrary : uint8_t { kIsal, kZlib };
inline constexpr InflateLibrary kBestInflate =
    HEADRACE_HAVE_ISAL ? InflateLibrary::kIsal : InflateLibrary::kZlib;

// So much of a buffer is given to a library at once: well below 2^32, because
// ISA-L adds to these numbers.
constexpr uint32_t SizeForLibrary(size_t size) {
  return static_cast<uint32_t>(std::min(size, size_t{1} << 30));
}

// Null when there is no memory.
std::unique_ptr<RawInflate> NewRawInflate(
    InflateLibrary library = kBestInflate);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_RAW_INFLATE_H_
