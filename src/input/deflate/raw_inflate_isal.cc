#include "src/input/deflate/raw_inflate_isal.h"

#if HEADRACE_HAVE_ISAL

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <new>

namespace headrace::compression {
namespace {

class IsalInflate : public RawInflate {
 public:
  IsalInflate() { isal_inflate_init(&state_); }

  InflateResult Run(std::span<const uint8_t> in, bool input_ended,
                    std::span<uint8_t> out) override;
  InflateResult RunToBlock(std::span<const uint8_t> in, bool input_ended,
                           std::span<uint8_t> out) override;
  bool sees_all_blocks() const override { return false; }
  bool RestartAtBlock(uint8_t byte, int bits,
                      std::span<const uint8_t> window) override;

 private:
  std::optional<BlockBegin> FindBlock() const;
  InflateState StateOf(int code, bool no_more_input);

  inflate_state state_;
};

InflateResult IsalInflate::Run(std::span<const uint8_t> in, bool input_ended,
                               std::span<uint8_t> out) {
  state_.next_in = const_cast<uint8_t*>(in.data());
  state_.avail_in = SizeForLibrary(in.size());
  state_.next_out = out.data();
  state_.avail_out = SizeForLibrary(out.size());
  const int code = isal_inflate(&state_);
  InflateResult result;
  result.produced = static_cast<size_t>(state_.next_out - out.data());
  result.consumed = state_.next_in - in.data();
  const bool all_in = static_cast<size_t>(result.consumed) == in.size();
  result.state = StateOf(code, input_ended && all_in);
  if (result.state == InflateState::kDone) {
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

// The library does not stop after a block, and shows its position only when its
// input ends. So it gets pieces shorter than most block headers: one of the
// pieces ends inside the header.
InflateResult IsalInflate::RunToBlock(std::span<const uint8_t> in,
                                      bool input_ended,
                                      std::span<uint8_t> out) {
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

std::optional<BlockBegin> IsalInflate::FindBlock() const {
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

bool IsalInflate::RestartAtBlock(uint8_t byte, int bits,
                                 std::span<const uint8_t> window) {
  isal_inflate_reset(&state_);
  if (bits > 0) {
    state_.read_in = byte >> (8 - bits);
    state_.read_in_length = bits;
  }
  return window.empty() ||
         isal_inflate_set_dict(&state_, const_cast<uint8_t*>(window.data()),
                               SizeForLibrary(window.size())) == 0;
}

InflateState IsalInflate::StateOf(int code, bool no_more_input) {
  if (code < 0) return InflateState::kDamaged;
  if (state_.block_state == ISAL_BLOCK_FINISH) return InflateState::kDone;
  return no_more_input && state_.avail_out > 0 ? InflateState::kCut
                                               : InflateState::kGoing;
}

}  // namespace

std::unique_ptr<RawInflate> NewIsalInflate() {
  return std::unique_ptr<RawInflate>(new (std::nothrow) IsalInflate);
}

}  // namespace headrace::compression

#endif  // HEADRACE_HAVE_ISAL
