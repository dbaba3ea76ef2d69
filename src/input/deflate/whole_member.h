// A gzip member that is all there is inflated at once, which is faster than
// piece by piece.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_WHOLE_MEMBER_H_
#define HEADRACE_SRC_INPUT_DEFLATE_WHOLE_MEMBER_H_

#include <cstdint>
#include <span>

namespace headrace::compression {

// Needs libdeflate; without it no member is accepted. One thread at a time uses
// it.
class WholeMember {
 public:
  WholeMember();
  WholeMember(const WholeMember&) = delete;
  WholeMember& operator=(const WholeMember&) = delete;
  ~WholeMember();

  // True where `stored` is just one member, right in all that GzipStream
  // checks, which inflates to just `out`. Otherwise `out` has any bytes, and
  // GzipStream says what is wrong, if anything is.
  bool Inflate(std::span<const uint8_t> stored, std::span<uint8_t> out);

  static constexpr bool kIsAvailable = HEADRACE_HAVE_LIBDEFLATE;

 private:
  // libdeflate's; null without it, or without memory for it.
  [[maybe_unused]] void* const state_;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_WHOLE_MEMBER_H_
