#include "src/cli/shuffle/temporary_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "src/cli/process/signals.h"

namespace headrace::cli {
namespace {

Status FolderError(const char* what, int error, const std::string& folder) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return Status(ErrorInfo{
      .code = missing ? ErrorCode::kNotFound : ErrorCode::kIo,
      .message =
          std::string(what) + ": " + std::generic_category().message(error),
      .file = folder,
      .system_error = error});
}

// Returns -1 and sets errno on failure.
int OpenWithoutName(const std::string& folder) {
#ifdef O_TMPFILE
  int fd;
  do {
    fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  } while (fd < 0 && errno == EINTR);
  // Kernels and file systems that do not know the flag fail with one of these.
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return fd;
  }
#endif
  std::string path = folder + "/.headrace-XXXXXX";
  // No signal may end the program while the file has a name.
  const HoldSignals hold;
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) unlink(path.c_str());
  return named;
}

}  // namespace

Result<TemporaryFile> TemporaryFile::Create(const std::string& folder) {
  Descriptor file(OpenWithoutName(folder));
  if (file.fd() < 0) {
    return FolderError("cannot create a temporary file", errno, folder);
  }
  return TemporaryFile(std::move(file), folder);
}

Status TemporaryFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(file_.fd(), bytes.data(), bytes.size(),
                               static_cast<off_t>(size_));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return Failed("cannot write a temporary file", errno);
    size_ += static_cast<uint64_t>(put);
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return Status();
}

Status TemporaryFile::ReadAt(uint64_t offset, size_t size, char* out) const {
  while (size > 0) {
    const ssize_t got =
        pread(file_.fd(), out, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed("cannot read a temporary file", errno);
    if (got == 0) return Damaged();
    offset += static_cast<uint64_t>(got);
    out += got;
    size -= static_cast<size_t>(got);
  }
  return Status();
}

Status TemporaryFile::Failed(const char* what, int error) const {
  return FolderError(what, error, folder_);
}

Status TemporaryFile::Damaged() const {
  return Failed("a temporary file does not hold what was written to it", EIO);
}

Result<uint64_t> FreeSpace(const std::string& folder) {
  struct statvfs info;
  int result;
  do {
    result = statvfs(folder.c_str(), &info);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return FolderError("cannot see free space", errno, folder);
  if (info.f_blocks == 0) return ~uint64_t{0};
  return uint64_t{info.f_bavail} * info.f_frsize;
}

uint64_t RaiseOpenFiles() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

}  // namespace headrace::cli
