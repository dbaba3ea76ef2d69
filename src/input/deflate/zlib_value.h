// Inflates a value that is one zlib stream and nothing else, in one call.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_ZLIB_VALUE_H_
#define HEADRACE_SRC_INPUT_DEFLATE_ZLIB_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

namespace headrace::compression {

// Not thread-safe. Keeps the memory that the libraries need.
class ZlibValue {
 public:
  enum class End : uint8_t {
    kWhole,    // the stream and its checksum are right
    kDamaged,  // not a zlib stream, or cut, or followed by other bytes
    kLonger,   // the stream has more bytes than there is room for
    kNoMemory,
  };

  ZlibValue();
  ~ZlibValue();

  // Inflates `stored` to `out`, which has room for `room` bytes, and sets
  // `size` to the number of bytes. The bytes of `out` after them are undefined.
  End Inflate(std::string_view stored, uint8_t* out, size_t room, size_t* size);
  // Does the same without keeping the bytes.
  End Count(std::string_view stored, size_t room, size_t* size);

  // Returns the maximum number of bytes that a stream of `stored` bytes
  // inflates to.
  static size_t MostBytes(size_t stored) {
    // A match of 258 bytes takes two bits.
    constexpr size_t kMaxPerByte = 1032;
    constexpr size_t kMax = std::numeric_limits<size_t>::max();
    return stored > kMax / kMaxPerByte ? kMax : stored * kMaxPerByte;
  }

 private:
  struct State;
  bool HasState();
  bool StartZlib();
  End RunZlib(std::string_view stored, uint8_t* out, size_t room, size_t* size);

  std::unique_ptr<State> state_;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_ZLIB_VALUE_H_
