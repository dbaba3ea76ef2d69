#include "tests/support/guarded_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace headrace::testing {

namespace {

constexpr int kSlackByte = 0xA5;

size_t PageSize() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// A test cannot go on without its guard pages.
[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::abort();
}

}  // namespace

GuardedBytes::GuardedBytes(size_t capacity) {
  const size_t page = PageSize();
  capacity_ = std::max<size_t>((capacity + page - 1) / page, 1) * page;
  mapped_ = capacity_ + 2 * page;
  void* map = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                   /*fd=*/-1, /*offset=*/0);
  if (map == MAP_FAILED) Die("mmap");
  map_ = static_cast<uint8_t*>(map);
  begin_ = map_ + page;
  if (mprotect(begin_, capacity_, PROT_READ | PROT_WRITE) != 0) {
    Die("mprotect");
  }
}

GuardedBytes::~GuardedBytes() { munmap(map_, mapped_); }

std::string_view GuardedBytes::PlaceAtEnd(std::string_view bytes,
                                          size_t slack) {
  if (bytes.size() > capacity_ || slack > capacity_ - bytes.size()) {
    Die("GuardedBytes: too many bytes");
  }
  uint8_t* at = begin_ + capacity_ - slack - bytes.size();
  std::copy(bytes.begin(), bytes.end(), at);
  std::memset(at + bytes.size(), kSlackByte, slack);
  return {reinterpret_cast<const char*>(at), bytes.size()};
}

std::string_view GuardedBytes::PlaceAtStart(std::string_view bytes) {
  if (bytes.size() > capacity_) Die("GuardedBytes: too many bytes");
  std::copy(bytes.begin(), bytes.end(), begin_);
  return {reinterpret_cast<const char*>(begin_), bytes.size()};
}

}  // namespace headrace::testing
