// What zstd's own library makes of a whole file, given all of it at once.

#ifndef HEADRACE_TESTS_COMPRESSION_ZSTD_LIBRARY_H_
#define HEADRACE_TESTS_COMPRESSION_ZSTD_LIBRARY_H_

#include <cstddef>
#include <string>

namespace headrace::compression {

struct ZstdWhole {
  std::string bytes;
  bool is_good = true;  // all of the file is whole frames
};

// Ends, as if the file were good, once there are more than `most` bytes.
ZstdWhole ZstdByLibrary(const std::string& stored, size_t most = ~size_t{0});

}  // namespace headrace::compression

#endif  // HEADRACE_TESTS_COMPRESSION_ZSTD_LIBRARY_H_
