#include "bench/sides/gzip_side.h"

#include <zlib.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "src/input/compression/decompressor.h"
#include "src/input/source/streams.h"

namespace headrace::bench {
namespace {

constexpr int kGzipWrapper = 15 + 16;
constexpr size_t kHotBytes = size_t{256} << 10;

z_stream StreamOf(std::string_view input) {
  z_stream stream = {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
  return stream;
}

}  // namespace

std::string Gzip(std::string_view plain) {
  z_stream stream = StreamOf(plain);
  deflateInit2(&stream, 6, Z_DEFLATED, kGzipWrapper, 8, Z_DEFAULT_STRATEGY);
  std::string stored(deflateBound(&stream, plain.size()), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(stored.data());
  stream.avail_out = static_cast<uInt>(stored.size());
  deflate(&stream, Z_FINISH);
  stored.resize(stream.total_out);
  deflateEnd(&stream);
  return stored;
}

Result<uint64_t> InflateOnly(std::string_view stored) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(stored.data()),
                        stored.size());
  auto stream = compression::Decompress(
      Compression::kGzip, std::make_unique<source::MemoryStream>(bytes),
      stored.size());
  if (!stream.ok()) return stream.status();
  std::vector<uint8_t> hot(kHotBytes);
  for (uint64_t total = 0;;) {
    const Result<size_t> size = (*stream)->Read(hot);
    if (!size.ok()) return size.status();
    if (*size == 0) return total;
    total += *size;
  }
}

Result<uint64_t> InflateByZlib(std::string_view stored) {
  z_stream stream = StreamOf(stored);
  inflateInit2(&stream, kGzipWrapper);
  std::vector<uint8_t> hot(kHotBytes);
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = hot.data();
    stream.avail_out = static_cast<uInt>(hot.size());
    result = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  if (result == Z_STREAM_END) return uint64_t{stream.total_out};
  return Status(ErrorCode::kDecompress, "zlib could not inflate the file");
}

}  // namespace headrace::bench
