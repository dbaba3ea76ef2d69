#include "tests/compression/zstd_library.h"

#include <zstd.h>

#include <memory>

namespace headrace::compression {

ZstdWhole ZstdByLibrary(const std::string& stored, size_t most) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(
      ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZstdWhole whole;
  std::string buffer(size_t{1} << 20, '\0');
  ZSTD_inBuffer in = {stored.data(), stored.size(), 0};
  size_t left = 0;
  bool is_full = false;
  while ((in.pos < in.size || is_full) && whole.bytes.size() <= most) {
    ZSTD_outBuffer out = {buffer.data(), buffer.size(), 0};
    left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left)) return {whole.bytes, false};
    whole.bytes.append(buffer, 0, out.pos);
    is_full = left != 0 && out.pos == out.size;
  }
  whole.is_good = left == 0 || whole.bytes.size() > most;
  return whole;
}

}  // namespace headrace::compression
