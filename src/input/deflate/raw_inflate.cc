#include "src/input/deflate/raw_inflate.h"

#include <zlib.h>

#include <new>

#include "src/input/deflate/raw_inflate_isal.h"

namespace headrace::compression {
namespace {

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
    constexpr int kBehindBlock = 128;
    constexpr int kLastBlock = 64;
    constexpr int kUnusedBits = 7;
    InflateResult result = RunTo(Z_BLOCK, in, input_ended, out);
    // zlib stops after the last block, too, where no other block begins.
    const int stop = stream_.data_type & (kBehindBlock | kLastBlock);
    if (result.state == InflateState::kGoing && stop == kBehindBlock) {
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
    stream_.next_in = const_cast<Bytef*>(in.data());
    stream_.avail_in = SizeForLibrary(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = SizeForLibrary(out.size());
    const int code = inflate(&stream_, flush);
    InflateResult result;
    result.produced = static_cast<size_t>(stream_.next_out - out.data());
    result.consumed = stream_.next_in - in.data();
    const bool all_in = static_cast<size_t>(result.consumed) == in.size();
    result.state = StateOf(code, input_ended && all_in);
    return result;
  }

  InflateState StateOf(int code, bool no_more_input) const {
    switch (code) {
      case Z_STREAM_END:
        return InflateState::kDone;
      case Z_OK:
      case Z_BUF_ERROR:  // no progress, for want of input or room
        return no_more_input && stream_.avail_out > 0 ? InflateState::kCut
                                                      : InflateState::kGoing;
      case Z_MEM_ERROR:
        return InflateState::kNoMemory;
      default:
        return InflateState::kDamaged;
    }
  }

  z_stream stream_ = {};
};

}  // namespace

std::unique_ptr<RawInflate> NewRawInflate(InflateLibrary library) {
#if HEADRACE_HAVE_ISAL
  if (library == InflateLibrary::kIsal) return NewIsalInflate();
#else
  static_cast<void>(library);
#endif
  std::unique_ptr<ZlibInflate> inflate(new (std::nothrow) ZlibInflate);
  if (inflate == nullptr || !inflate->Init()) return nullptr;
  return inflate;
}

}  // namespace headrace::compression
