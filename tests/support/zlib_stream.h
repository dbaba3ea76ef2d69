// A zlib stream as zlib makes it.

#ifndef HEADRACE_TESTS_SUPPORT_ZLIB_STREAM_H_
#define HEADRACE_TESTS_SUPPORT_ZLIB_STREAM_H_

#include <zlib.h>

#include <string>
#include <string_view>

namespace headrace::testing {

inline std::string ZlibStream(std::string_view bytes, int level = 6) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string stream(size, '\0');
  compress2(reinterpret_cast<Bytef*>(stream.data()), &size,
            reinterpret_cast<const Bytef*>(bytes.data()),
            static_cast<uLong>(bytes.size()), level);
  stream.resize(size);
  return stream;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_ZLIB_STREAM_H_
