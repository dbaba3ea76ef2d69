#include "tests/random/small_png.h"

#include <zlib.h>

#include <string_view>

#include "tests/support/zlib_stream.h"

namespace headrace::testing {
namespace {

void AppendBigEndian(uint32_t number, std::string* out) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(number >> shift & 0xff));
  }
}

void AppendChunk(std::string_view type, std::string_view data,
                 std::string* out) {
  AppendBigEndian(static_cast<uint32_t>(data.size()), out);
  std::string checked(type);
  checked += data;
  out->append(checked);
  AppendBigEndian(static_cast<uint32_t>(
                      crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                            static_cast<uInt>(checked.size()))),
                  out);
}

}  // namespace

std::string SmallPng(uint64_t seed, uint32_t size) {
  std::string header;
  AppendBigEndian(size, &header);
  AppendBigEndian(size, &header);
  // Eight bits of red, green and blue.
  header.append("\x08\x02\0\0\0", 5);
  std::string pixels;
  for (uint32_t y = 0; y < size; ++y) {
    pixels.push_back(0);  // the row is not filtered
    for (uint32_t x = 0; x < size; ++x) {
      pixels.push_back(static_cast<char>(x * 255 / size));
      pixels.push_back(static_cast<char>(y * 255 / size));
      pixels.push_back(static_cast<char>(seed * 97 % 256));
    }
  }
  std::string png = "\x89PNG\r\n\x1a\n";
  AppendChunk("IHDR", header, &png);
  AppendChunk("IDAT", ZlibStream(pixels), &png);
  AppendChunk("IEND", "", &png);
  return png;
}

}  // namespace headrace::testing
