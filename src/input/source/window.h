// Window is a pinned, immutable piece of the uncompressed stream.
//
// All over-read safety lives here: kSlack bytes after a window's last byte are
// readable, with any content, so kernels need not care about page ends.

#ifndef HEADRACE_SRC_INPUT_SOURCE_WINDOW_H_
#define HEADRACE_SRC_INPUT_SOURCE_WINDOW_H_

#include <cstddef>
#include <cstdint>

#include "src/base/memory/pin.h"

namespace headrace::source {

inline constexpr size_t kSlack = 64;

enum class Tail : uint8_t {
  kMore,    // the stream may go on after it: ask for the next window
  kEnd,     // the stream ends with it
  kFailed,  // reading on failed: Source::failure() says why
};

struct Window {
  const uint8_t* data = nullptr;
  size_t size = 0;
  uint64_t offset = 0;  // of data[0] in the uncompressed stream
  Tail tail = Tail::kMore;
  Pin pin;  // empty for memory that the caller keeps alive

  uint64_t end() const { return offset + size; }
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_WINDOW_H_
