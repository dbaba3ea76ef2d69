#include "src/cli/json/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace headrace::cli {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;

Status SystemError(const std::string& file, int error) {
  return Status(
      ErrorInfo{.code = error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                .message = std::generic_category().message(error),
                .file = file});
}

int OpenRetrying(const std::string& path) {
  int fd;
  do {
    fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// Of a regular file, from where it stands; 0 where that is not known.
uint64_t BytesToCome(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  const off_t at = lseek(fd, 0, SEEK_CUR);
  if (at < 0 || at >= info.st_size) return 0;
  return static_cast<uint64_t>(info.st_size - at);
}

}  // namespace

void LineReader::CloseFile::operator()(const int* fd) const {
  if (*fd != STDIN_FILENO) close(*fd);
  delete fd;
}

LineReader::LineReader(std::string name, int fd)
    : name_(std::move(name)),
      fd_(new int(fd)),
      buffer_(kBufferBytes),
      expected_(BytesToCome(fd)) {}

Result<LineReader> LineReader::Open(const std::string& path) {
  if (path == "-") return LineReader("<stdin>", STDIN_FILENO);
  const int fd = OpenRetrying(path);
  if (fd < 0) return SystemError(path, errno);
  return LineReader(path, fd);
}

Result<bool> LineReader::Fill() {
  ssize_t got = read(*fd_, buffer_.data(), buffer_.size());
  while (got < 0 && (errno == EINTR || errno == EAGAIN)) {
    pollfd waiting = {.fd = *fd_, .events = POLLIN, .revents = 0};
    static_cast<void>(poll(&waiting, 1, -1));
    got = read(*fd_, buffer_.data(), buffer_.size());
  }
  if (got < 0) return SystemError(name_, errno);
  if (got == 0 && found_ < expected_) {
    // Its last line may be whole, so nothing else would tell.
    return Status(ErrorInfo{.code = ErrorCode::kIo,
                            .message = "shrank while it was read, expected " +
                                       std::to_string(expected_) +
                                       " bytes, found " +
                                       std::to_string(found_),
                            .file = name_});
  }
  found_ += static_cast<uint64_t>(got);
  begin_ = 0;
  end_ = static_cast<size_t>(got);
  return got > 0;
}

Result<bool> LineReader::Next(std::string* line) {
  line->clear();
  bool any = false;
  while (true) {
    if (begin_ == end_) {
      Result<bool> filled = Fill();
      if (!filled.ok()) return filled.status();
      if (!*filled) return any;
    }
    any = true;
    const char* const start = buffer_.data() + begin_;
    const void* const feed = std::memchr(start, '\n', end_ - begin_);
    if (feed != nullptr) {
      const auto size =
          static_cast<size_t>(static_cast<const char*>(feed) - start);
      line->append(start, size);
      begin_ += size + 1;
      return true;
    }
    line->append(start, end_ - begin_);
    begin_ = end_;
  }
}

}  // namespace headrace::cli
