// GuardedBytes lie next to a page that nobody may touch.

#ifndef HEADRACE_TESTS_SUPPORT_GUARDED_BYTES_H_
#define HEADRACE_TESTS_SUPPORT_GUARDED_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::testing {

// A block of pages between two protected ones is used for all specimens, since
// a test places millions. Not copyable, not thread-safe.
class GuardedBytes {
 public:
  // `capacity` includes slack.
  explicit GuardedBytes(size_t capacity);
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  ~GuardedBytes();

  // The first byte after the bytes and after `slack` more readable ones faults.
  // Slack is filled with 0xA5, which no decoder should take for an end. Valid
  // until the next placement.
  std::string_view PlaceAtEnd(std::string_view bytes, size_t slack = 0);

  // The byte before the first one faults.
  std::string_view PlaceAtStart(std::string_view bytes);

  size_t capacity() const { return capacity_; }

 private:
  size_t capacity_;
  size_t mapped_;
  uint8_t* map_;
  uint8_t* begin_;  // where usable pages begin
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_GUARDED_BYTES_H_
