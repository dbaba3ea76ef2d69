// RawInflate inflates a raw deflate stream (RFC 1951) with ISA-L or zlib.
//
// The wrappers of gzip and zlib are parsed and checked elsewhere
// (deflate_stream.cc), so that ISA-L and zlib accept the same files. ISA-L is
// not exact about the bytes before damage, so zlib takes over there. ISA-L also
// accepts incomplete Huffman codes, which no writer produces.

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
  kDone,     // the stream is complete and all of it has been returned
  kDamaged,  // not deflate from here on
  kCut,      // the input ended inside the stream
  kNoMemory,
};

// The stream is before a deflate block. The last `bits_back` bits of the used
// input, which may be more than eight, belong to the block.
struct BlockBegin {
  uint64_t bits_back = 0;
};

struct InflateResult {
  InflateState state = InflateState::kGoing;
  size_t produced = 0;  // bytes of `out`, good in every state
  // Bytes of `in` used. With kDone it may be negative, at least
  // -InputBuffer::kGiveBack: bytes of earlier calls that belong to what
  // follows.
  ptrdiff_t consumed = 0;
  // Set by RunToBlock, with kGoing, if all bytes before a block have been
  // returned.
  std::optional<BlockBegin> block = {};
};

class RawInflate {
 public:
  RawInflate() = default;
  RawInflate(const RawInflate&) = delete;
  RawInflate& operator=(const RawInflate&) = delete;
  virtual ~RawInflate() = default;

  // Call it before each stream, including the first.
  void Restart() { RestartAtBlock(0, 0, {}); }
  // Inflates `in` to `out`. `in` is not a null pointer, even if it is empty;
  // `out` is not empty, and all of it may be written to, whatever is produced.
  // `input_ended` says that nothing follows `in`. All states but kGoing are
  // final, and are returned only after all inflated bytes.
  virtual InflateResult Run(std::span<const uint8_t> in, bool input_ended,
                            std::span<uint8_t> out) = 0;

  // Like Run, but stops where a block begins, if it notices the block: ISA-L
  // may miss blocks with a very short header.
  virtual InflateResult RunToBlock(std::span<const uint8_t> in,
                                   bool input_ended,
                                   std::span<uint8_t> out) = 0;

  // Whether RunToBlock misses no block and is hardly slower than Run.
  virtual bool sees_all_blocks() const = 0;

  // Call it before a stream that continues at a block, which begins with the
  // high `bits` bits of `byte`, at most 7. `window` has the inflated bytes
  // before it, at most kDeflateWindow. Returns false if the library refuses.
  virtual bool RestartAtBlock(uint8_t byte, int bits,
                              std::span<const uint8_t> window) = 0;
};

// ISA-L is about twice as fast as zlib, which takes over where ISA-L is absent.
enum class InflateLibrary : uint8_t { kIsal, kZlib };
inline constexpr InflateLibrary kBestInflate =
    HEADRACE_HAVE_ISAL ? InflateLibrary::kIsal : InflateLibrary::kZlib;

// Returns how much of a buffer to pass to a library in one call: well below
// 2^32, because ISA-L adds to these numbers.
constexpr uint32_t SizeForLibrary(size_t size) {
  return static_cast<uint32_t>(std::min(size, size_t{1} << 30));
}

// Returns null if there is no memory.
std::unique_ptr<RawInflate> NewRawInflate(
    InflateLibrary library = kBestInflate);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_RAW_INFLATE_H_
