#include "src/compression/raw_inflate_isal.h"

#if HEADRACE_HAVE_ISAL

#include <isa-l/igzip_lib.h>

#include <new>

namespace headrace::compression {
namespace {

class IsalInflate : public RawInflate {
 public:
  IsalInflate() { isal_inflate_init(&state_); }

  void Restart() override { isal_inflate_reset(&state_); }

  InflateResult Run(std::span<const uint8_t> in, bool input_ended,
                    std::span<uint8_t> out) override;

 private:
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
