#include "src/input/deflate/zlib_value.h"

#if HEADRACE_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "src/base/memory/memory_marks.h"
#include "src/input/deflate/raw_inflate.h"

namespace headrace::compression {

struct ZlibValue::State {
  z_stream zlib = {};
  bool has_zlib = false;
#if HEADRACE_HAVE_LIBDEFLATE
  libdeflate_decompressor* const library = libdeflate_alloc_decompressor();
#endif

  ~State() {
    if (has_zlib) inflateEnd(&zlib);
#if HEADRACE_HAVE_LIBDEFLATE
    libdeflate_free_decompressor(library);
#endif
  }
};

ZlibValue::ZlibValue() = default;
ZlibValue::~ZlibValue() = default;

bool ZlibValue::HasState() {
  if (state_ == nullptr) state_.reset(new (std::nothrow) State());
  return state_ != nullptr;
}

bool ZlibValue::StartZlib() {
  if (state_->has_zlib) return inflateReset(&state_->zlib) == Z_OK;
  state_->has_zlib = inflateInit(&state_->zlib) == Z_OK;
  return state_->has_zlib;
}

// libdeflate is faster, and accepts no stream that zlib would not. If
// libdeflate refuses a stream, zlib determines what is wrong.
ZlibValue::End ZlibValue::Inflate(std::string_view stored, uint8_t* out,
                                  size_t room, size_t* size) {
  if (!HasState()) return End::kNoMemory;
#if HEADRACE_HAVE_LIBDEFLATE
  if (state_->library != nullptr) {
    size_t used = 0;
    const libdeflate_result result = libdeflate_zlib_decompress_ex(
        state_->library, stored.data(), stored.size(), out, room, &used, size);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return End::kLonger;
    if (result == LIBDEFLATE_SUCCESS && used == stored.size()) {
      return End::kWhole;
    }
  }
#endif
  const End end = RunZlib(stored, out, room, size);
  MarkWritten(out, *size);
  return end;
}

ZlibValue::End ZlibValue::Count(std::string_view stored, size_t room,
                                size_t* size) {
  if (!HasState()) return End::kNoMemory;
  return RunZlib(stored, nullptr, room, size);
}

// Without `out` the bytes are inflated but not kept.
ZlibValue::End ZlibValue::RunZlib(std::string_view stored, uint8_t* out,
                                  size_t room, size_t* size) {
  *size = 0;
  if (!StartZlib()) return End::kNoMemory;
  std::array<uint8_t, 16384> forgotten;
  z_stream& zlib = state_->zlib;
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));
  size_t left = stored.size();
  while (true) {
    const size_t most =
        out == nullptr ? forgotten.size() : std::numeric_limits<size_t>::max();
    const uInt given = SizeForLibrary(left);
    const uInt free = SizeForLibrary(std::min(room - *size, most));
    zlib.avail_in = given;
    zlib.avail_out = free;
    // zlib needs an address even if it may write nothing.
    zlib.next_out = free > 0 && out != nullptr ? out + *size : forgotten.data();
    const int result = inflate(&zlib, Z_NO_FLUSH);
    left -= given - zlib.avail_in;
    *size += free - zlib.avail_out;
    if (result == Z_MEM_ERROR) return End::kNoMemory;
    if (result == Z_STREAM_END) return left == 0 ? End::kWhole : End::kDamaged;
    if (result != Z_OK && result != Z_BUF_ERROR) return End::kDamaged;
    if (zlib.avail_in == given && zlib.avail_out == free) {
      // zlib never uses the checksum before it has returned all bytes.
      return *size == room && left > 0 ? End::kLonger : End::kDamaged;
    }
  }
}

}  // namespace headrace::compression
