// Reads files despite signals and non-blocking descriptors, lets an interrupt
// end waiting, and detects files that shrink while they are read.

#include "src/input/source/file_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <limits>
#include <new>

#include "src/base/system_error.h"

namespace headrace::source {
namespace {

// Linux moves at most this many bytes in one call.
constexpr size_t kMaxTransfer = 0x7ffff000;
constexpr uint64_t kMaxPosition =
    std::numeric_limits<off_t>::max() - kMaxTransfer;
// Minimum bytes per read that are worth an fstat, which takes as long as
// reading some KiB.
constexpr size_t kWorthAStat = size_t{16} << 10;

// Opening a FIFO waits for a writer, and cannot be interrupted. On Linux Read
// waits instead: until the first writer arrives, poll reports neither bytes nor
// the end.
#ifdef __linux__
constexpr int kWaitInRead = O_NONBLOCK;
#else
constexpr int kWaitInRead = 0;
#endif

// Returns less than 0, with errno EINTR, if the interrupt is set.
int OpenRetrying(const std::string& path, Interrupt* interrupt,
                 int more_flags) {
  int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | more_flags;
  if (interrupt != nullptr) flags |= kWaitInRead;
  while (true) {
    const int descriptor = open(path.c_str(), flags);
    if (descriptor < 0 && errno == EWOULDBLOCK && (flags & O_NONBLOCK) != 0) {
      // Another process has a lease on the file; a blocking open waits for it.
      flags &= ~O_NONBLOCK;
      continue;
    }
    if (descriptor >= 0 || errno != EINTR) return descriptor;
    if (interrupt == nullptr || !interrupt->Ask()) continue;
    errno = EINTR;
    return descriptor;
  }
}

}  // namespace

Result<std::unique_ptr<FileStream>> FileStream::OpenRegular(
    const std::string& path) {
  auto stream = Open(path, nullptr, O_NONBLOCK);
  if (!stream.ok() || (*stream)->seekable()) return stream;
  return NameFile(Status(ErrorCode::kInvalidArgument,
                         "must be a regular file, not a pipe or a device"),
                  path);
}

Result<std::unique_ptr<FileStream>> FileStream::Open(const std::string& path,
                                                     Interrupt* interrupt,
                                                     int more_flags) {
  const bool is_stdin = path == "-";
  if (path.find('\0') != std::string::npos) {
    return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                            .message = "the path holds a zero byte",
                            .file = path});
  }
  const int descriptor =
      is_stdin ? STDIN_FILENO : OpenRetrying(path, interrupt, more_flags);
  if (descriptor < 0 && errno == EINTR) return NameFile(Cancelled(), path);
  if (descriptor < 0) return SystemError("cannot open", errno, path);
  std::unique_ptr<FileStream> stream(
      new (std::nothrow) FileStream(descriptor, !is_stdin, interrupt));
  if (stream == nullptr) {
    if (!is_stdin) close(descriptor);
    return Status::OutOfMemory();
  }
  if (Status status = stream->Examine(!is_stdin); !status.ok()) {
    return NameFile(status, is_stdin ? "<stdin>" : path);
  }
  return stream;
}

Status FileStream::Examine(bool by_path) {
  struct stat info;
  if (fstat(descriptor_, &info) != 0) {
    return SystemError("cannot read", errno);
  }
  if (S_ISDIR(info.st_mode)) {
    return Status(ErrorInfo{.code = ErrorCode::kIo,
                            .message = "is a directory",
                            .system_error = EISDIR});
  }
  if (!S_ISREG(info.st_mode)) return Status();
  seekable_ = by_path;
  if (by_path) {
    size_ = static_cast<uint64_t>(info.st_size);
    // This is only a hint, so failure is ignored.
    (void)posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  } else if (const off_t at = lseek(descriptor_, 0, SEEK_CUR);
             at >= 0 && at < info.st_size) {
    // Another process may have read part of standard input.
    size_ = static_cast<uint64_t>(info.st_size - at);
  }
  return Status();
}

FileStream::~FileStream() {
  if (owned_) close(descriptor_);
}

bool FileStream::SeekTo(uint64_t position) {
  if (!seekable_ || position > kMaxPosition) return false;
  position_ = position;
  ended_ = false;
  failure_ = Status();
  return true;
}

Result<size_t> FileStream::ReadAt(uint64_t position, std::span<uint8_t> out) {
  size_t size = 0;
  while (size < out.size() && position + size <= kMaxPosition) {
    const ssize_t got = pread(descriptor_, out.data() + size,
                              std::min(out.size() - size, kMaxTransfer),
                              static_cast<off_t>(position + size));
    if (got == 0) break;
    if (got > 0) {
      size += static_cast<size_t>(got);
    } else if (errno != EINTR) {
      return SystemError("cannot read", errno);
    } else if (IsInterrupted()) {
      return Cancelled();
    }
  }
  // A short read belongs to a record or an index, whose checksum detects lost
  // bytes.
  return size < kWorthAStat ? size : StillThere(position, size);
}

// A read of a file that is being truncated may return zeros after the new end.
// The size changes before that, so a look at the size after the read suffices.
size_t FileStream::StillThere(uint64_t position, size_t got) const {
  struct stat info;
  if (fstat(descriptor_, &info) != 0) return got;
  const uint64_t end = static_cast<uint64_t>(info.st_size);
  if (end >= size_) return got;
  return static_cast<size_t>(
      std::min<uint64_t>(got, end - std::min(end, position)));
}

// This is only a hint, so failure is ignored.
void FileStream::WillNeed(uint64_t position, uint64_t size) const {
  static_cast<void>(posix_fadvise(descriptor_, static_cast<off_t>(position),
                                  static_cast<off_t>(size),
                                  POSIX_FADV_WILLNEED));
}

// With an interrupt, waits for bytes, the end or an error; false once it is
// set.
bool FileStream::AwaitBytes() const {
  while (interrupt_ != nullptr) {
    if (interrupt_->Ask()) return false;
    struct pollfd waiting = {descriptor_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(kAskEvery.count()));
    if (ready > 0 || (ready < 0 && errno != EINTR)) break;
  }
  return true;
}

// Returns the error for a file that is now shorter than when it was opened.
Status FileStream::Shortage() const {
  struct stat info;
  uint64_t found = position_;
  if (seekable_ && fstat(descriptor_, &info) == 0) {
    found = std::min(found, static_cast<uint64_t>(info.st_size));
  }
  return Shrank(size_, found);
}

Result<size_t> FileStream::Read(std::span<uint8_t> out) {
  assert(!out.empty());
  if (!failure_.ok()) return failure_;
  if (ended_) return size_t{0};
  const size_t wanted = std::min(out.size(), kMaxTransfer);
  for (;;) {
    if (!seekable_ && !AwaitBytes()) return failure_ = Cancelled();
    ssize_t got = seekable_ ? pread(descriptor_, out.data(), wanted,
                                    static_cast<off_t>(position_))
                            : read(descriptor_, out.data(), wanted);
    if (got > 0 && seekable_) {
      got =
          static_cast<ssize_t>(StillThere(position_, static_cast<size_t>(got)));
    }
    if (got == 0 && position_ < size_) return failure_ = Shortage();
    if (got >= 0) {
      ended_ = got == 0;
      position_ += static_cast<uint64_t>(got);
      return static_cast<size_t>(got);
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      struct pollfd waiting = {descriptor_, POLLIN, 0};
      // With an interrupt, AwaitBytes has already waited.
      if (interrupt_ != nullptr || poll(&waiting, 1, -1) >= 0) continue;
    }
    if (errno == EINTR) {
      if (IsInterrupted()) return failure_ = Cancelled();
      continue;
    }
    failure_ = SystemError("cannot read", errno);
    return failure_;
  }
}

}  // namespace headrace::source
