// Inflates a whole gzip member in one call, which is faster than in pieces.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_WHOLE_MEMBER_H_
#define HEADRACE_SRC_INPUT_DEFLATE_WHOLE_MEMBER_H_

#include <cstdint>
#include <span>

namespace headrace::compression {

// Needs libdeflate; without it no member is accepted. Not thread-safe.
class WholeMember {
 public:
  WholeMember();
  WholeMember(const WholeMember&) = delete;
  WholeMember& operator=(const WholeMember&) = delete;
  ~WholeMember();

  // Returns true if `stored` is exactly one member, right in all that
  // GzipStream checks, and inflates to exactly `out`. Otherwise `out` has
  // undefined bytes, and GzipStream reports what is wrong, if anything is.
  bool Inflate(std::span<const uint8_t> stored, std::span<uint8_t> out);

  static constexpr bool kIsAvailable = HEADRACE_HAVE_LIBDEFLATE;

 private:
  // libdeflate's; null without it, or without memory for it.
  [[maybe_unused]] void* const state_;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_WHOLE_MEMBER_H_
