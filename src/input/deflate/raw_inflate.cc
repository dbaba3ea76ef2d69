// RawInflate with zlib, and with ISA-L where it is present.

#include "src/input/deflate/raw_inflate.h"

#include <zlib.h>
#if HEADRACE_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include <new>

namespace headrace::compression {
namespace {

// Calls a library whose stream has zlib's names for the buffers. Returns the
// library's return code. Sets the byte counts of `result`, and its state as if
// the code were a success; the caller replaces the state if the code says
// something else.
template <class Stream, class Call>
int CallLibrary(Call call, std::span<const uint8_t> in, bool input_ended,
                std::span<uint8_t> out, Stream* stream, InflateResult* result) {
  stream->next_in = const_cast<uint8_t*>(in.data());
  stream->avail_in = SizeForLibrary(in.size());
  stream->next_out = out.data();
  stream->avail_out = SizeForLibrary(out.size());
  const int code = call(stream);
  result->produced = static_cast<size_t>(stream->next_out - out.data());
  result->consumed = stream->next_in - in.data();
  const bool all_in = static_cast<size_t>(result->consumed) == in.size();
  result->state = input_ended && all_in && stream->avail_out > 0
                      ? InflateState::kCut
                      : InflateState::kGoing;
  return code;
}

// Negative: raw deflate; 15: any distance that deflate can express.
constexpr int kRawWindowBits = -15;

class ZlibInflate : public RawInflate {
 public:
  ~ZlibInflate() override { inflateEnd(&stream_); }

  bool Init() { return inflateInit2(&stream_, kRawWindowBits) == Z_OK; }

  InflateResult Run(std::span<const uint8_t> in, bool input_ended,
                    std::span<uint8_t> out) override {
    return RunTo(Z_NO_FLUSH, in, input_ended, out);
  }

  InflateResult RunToBlock(std::span<const uint8_t> in, bool input_ended,
                           std::span<uint8_t> out) override {
    constexpr int kAfterBlock = 128;
    constexpr int kLastBlock = 64;
    constexpr int kUnusedBits = 7;
    InflateResult result = RunTo(Z_BLOCK, in, input_ended, out);
    // zlib stops after the last block, too, although no other block begins
    // there.
    const int stop = stream_.data_type & (kAfterBlock | kLastBlock);
    if (result.state == InflateState::kGoing && stop == kAfterBlock) {
      result.block = BlockBegin{
          .bits_back = static_cast<uint64_t>(stream_.data_type & kUnusedBits)};
    }
    return result;
  }

  bool sees_all_blocks() const override { return true; }

  bool RestartAtBlock(uint8_t byte, int bits,
                      std::span<const uint8_t> window) override {
    return inflateReset(&stream_) == Z_OK &&
           (bits == 0 ||
            inflatePrime(&stream_, bits, byte >> (8 - bits)) == Z_OK) &&
           (window.empty() ||
            inflateSetDictionary(&stream_, window.data(),
                                 SizeForLibrary(window.size())) == Z_OK);
  }

 private:
  InflateResult RunTo(int flush, std::span<const uint8_t> in, bool input_ended,
                      std::span<uint8_t> out) {
    InflateResult result;
    const int code = CallLibrary(
        [flush](z_stream* stream) { return inflate(stream, flush); }, in,
        input_ended, out, &stream_, &result);
    if (code == Z_STREAM_END) {
      result.state = InflateState::kDone;
    } else if (code == Z_MEM_ERROR) {
      result.state = InflateState::kNoMemory;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      // Z_BUF_ERROR: no progress, for want of input or room.
      result.state = InflateState::kDamaged;
    }
    return result;
  }

  z_stream stream_ = {};
};

#if HEADRACE_HAVE_ISAL

class IsalInflate : public RawInflate {
 public:
  IsalInflate() { isal_inflate_init(&state_); }

  InflateResult Run(std::span<const uint8_t> in, bool input_ended,
                    std::span<uint8_t> out) override {
    InflateResult result;
    const int code =
        CallLibrary(&isal_inflate, in, input_ended, out, &state_, &result);
    if (code < 0) {
      result.state = InflateState::kDamaged;
    } else if (state_.block_state == ISAL_BLOCK_FINISH) {
      result.state = InflateState::kDone;
      // Whole bytes in the bit buffer belong to what follows the stream. Later
      // versions of the library put them back themselves and clear the length.
      result.consumed -= state_.read_in_length / 8;
      state_.read_in_length = 0;
    } else if (result.state == InflateState::kGoing && result.produced == 0 &&
               result.consumed == 0 && !in.empty()) {
      result.state = InflateState::kDamaged;  // stuck; not known to happen
    }
    return result;
  }

  // The library does not stop after a block, and shows its position only when
  // its input ends. So it gets pieces shorter than most block headers: one of
  // the pieces ends inside the header.
  InflateResult RunToBlock(std::span<const uint8_t> in, bool input_ended,
                           std::span<uint8_t> out) override {
    constexpr size_t kPiece = 64;
    InflateResult all;
    while (true) {
      const auto rest = in.subspan(static_cast<size_t>(all.consumed));
      const auto piece = rest.first(std::min(rest.size(), kPiece));
      const InflateResult result =
          Run(piece, input_ended && piece.size() == rest.size(),
              out.subspan(all.produced));
      all.state = result.state;
      all.produced += result.produced;
      all.consumed += result.consumed;
      if (result.state != InflateState::kGoing) return all;
      all.block = FindBlock();
      if (all.block || piece.size() == rest.size() ||
          all.produced == out.size()) {
        return all;
      }
    }
  }

  bool sees_all_blocks() const override { return false; }
  bool RestartAtBlock(uint8_t byte, int bits,
                      std::span<const uint8_t> window) override {
    isal_inflate_reset(&state_);
    if (bits > 0) {
      state_.read_in = byte >> (8 - bits);
      state_.read_in_length = bits;
    }
    return window.empty() ||
           isal_inflate_set_dict(&state_, const_cast<uint8_t*>(window.data()),
                                 SizeForLibrary(window.size())) == 0;
  }

 private:
  std::optional<BlockBegin> FindBlock() const {
    if (state_.tmp_out_valid != state_.tmp_out_processed ||
        state_.read_in_length < 0) {
      return {};
    }
    const uint64_t bits = static_cast<uint64_t>(state_.read_in_length);
    if (state_.block_state == ISAL_BLOCK_NEW_HDR) return BlockBegin{bits};
    if (state_.block_state != ISAL_BLOCK_HDR) return {};
    // The library holds the part of the header that has arrived.
    return BlockBegin{bits + 8 * static_cast<uint64_t>(state_.tmp_in_size)};
  }

  inflate_state state_;
};

#endif

}  // namespace

std::unique_ptr<RawInflate> NewRawInflate(InflateLibrary library) {
#if HEADRACE_HAVE_ISAL
  if (library == InflateLibrary::kIsal) {
    return std::unique_ptr<RawInflate>(new (std::nothrow) IsalInflate);
  }
#else
  static_cast<void>(library);
#endif
  std::unique_ptr<ZlibInflate> inflate(new (std::nothrow) ZlibInflate);
  if (inflate == nullptr || !inflate->Init()) return nullptr;
  return inflate;
}

}  // namespace headrace::compression
