// Descriptor owns the descriptor of an open file, and closes it.

#ifndef HEADRACE_SRC_CLI_PROCESS_DESCRIPTOR_H_
#define HEADRACE_SRC_CLI_PROCESS_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace headrace::cli {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int fd() const { return fd_; }  // negative: none
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PROCESS_DESCRIPTOR_H_
