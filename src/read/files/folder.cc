#include "src/read/files/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/base/record_header.h"
#include "src/base/system_error.h"
#include "src/input/compression/detect.h"
#include "src/input/source/source.h"

namespace headrace::reader {
namespace {

// Bytes to read of a compressed file: a zstd frame yields its first bytes only
// after a whole block, which may have 128 KiB.
constexpr size_t kCompressedHead = size_t{160} << 10;

constexpr std::string_view kNamedOtherwise =
    "TFRecord by the first bytes, but not by the name";

LeftOutFile Lost(const std::string& path, std::string reason) {
  return {.path = path, .reason = std::move(reason)};
}

LeftOutFile Harmless(const std::string& path, std::string reason) {
  return {.path = path, .reason = std::move(reason), .may_have_records = false};
}

LeftOutFile Judge(const std::string& path, std::span<const uint8_t> head) {
  const std::string_view noun =
      compression::LooksLike(head.data(), head.size());
  const bool may_have = compression::MayHoldRecords(noun);
  return {path,
          std::string(noun.empty() ? "not TFRecord by the first bytes" : noun),
          may_have};
}

bool BeginsWithRecord(std::span<const uint8_t> head) {
  return head.size() >= kRecordHeaderBytes && IsRecordHeader(head.data());
}

// Reads until `head` has `size` bytes or the file ends. Returns 0 or errno.
int ReadHead(int fd, size_t size, std::vector<uint8_t>* head) {
  size_t have = head->size();
  head->resize(size);
  while (have < size) {
    const ssize_t got =
        pread(fd, head->data() + have, size - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  head->resize(have);
  return 0;
}

int ReadHead(int fd, std::vector<uint8_t>* head) {
  if (int error = ReadHead(fd, compression::kDetectBytes, head); error != 0) {
    return error;
  }
  const auto known = compression::CompressionByMagic(*head);
  if (!known || *known == Compression::kNone) return 0;
  return ReadHead(fd, kCompressedHead, head);
}

std::string CannotRead(int error) {
  return "cannot read: " + std::generic_category().message(error);
}

// Opens the file and judges its first bytes. Never waits, because it does not
// read a pipe or a device. If the file cannot be opened, the result says so;
// the only error is kOutOfMemory.
Result<LeftOutFile> LookAtFile(const std::string& path) {
  const int fd =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 && errno == ENOMEM) return Status::OutOfMemory();
  if (fd < 0) return Lost(path, CannotRead(errno));
  std::vector<uint8_t> head;
  struct stat info;
  int error = fstat(fd, &info) == 0 ? 0 : errno;
  if (error == 0 && S_ISREG(info.st_mode)) error = ReadHead(fd, &head);
  close(fd);
  if (error != 0) return Lost(path, CannotRead(error));
  if (!S_ISREG(info.st_mode)) return Lost(path, "not a regular file");
  return JudgeFirstBytes(path, head);
}

// Maximum number of left-out files that are opened, and of those that are
// listed: a folder may also have a million images.
constexpr size_t kMaxLooks = 100;
constexpr size_t kMaxLeftOut = 1000;

// Returns the target of a link; empty if the path is not a link.
std::string TargetOf(const std::string& path) {
  std::array<char, PATH_MAX> link;
  const ssize_t size = readlink(path.c_str(), link.data(), link.size());
  return size < 0 ? "" : std::string(link.data(), static_cast<size_t>(size));
}

Status CannotRead(int error, const std::string& path) {
  const std::string target = TargetOf(path);
  if (target.empty()) return SystemError("cannot read", error, path);
  return SystemError("cannot read the target of the link, " + target, error,
                     path);
}

std::string_view NounOf(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

Status CheckKind(const std::string& path, mode_t mode) {
  if (S_ISREG(mode) || S_ISDIR(mode)) return Status();
  return Status(
      ErrorInfo{.code = ErrorCode::kIo,
                .message = "is " + std::string(NounOf(mode)) +
                           ", not a file; to read it, give its own path",
                .file = path});
}

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  const std::unique_ptr<DIR, FolderCloser> stream(opendir(folder.c_str()));
  if (!stream) {
    if (errno == ENOMEM) return Status::OutOfMemory();
    return SystemError("cannot open", errno, folder);
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* const entry = readdir(stream.get());
    if (entry == nullptr) break;
    if (!IsHiddenName(entry->d_name)) names.emplace_back(entry->d_name);
  }
  if (errno != 0) return SystemError("cannot list", errno, folder);
  std::sort(names.begin(), names.end());
  return names;
}

// Collects the files of a folder that are left out, and counts how many of them
// were opened.
class Rest {
 public:
  explicit Rest(FoundFiles* found) : found_(found) {}

  // Adds a file. `mode` is 0 if stat failed with `error`.
  Status Add(const std::string& path, mode_t mode, int error) {
    ++found_->num_left_out;
    if (found_->left_out.size() >= kMaxLeftOut) return Status();
    Result<LeftOutFile> left = Judge(path, mode, error);
    if (!left.ok()) return left.status();
    found_->left_out.push_back(*std::move(left));
    return Status();
  }

 private:
  Result<LeftOutFile> Judge(const std::string& path, mode_t mode, int error) {
    LeftOutFile left = {.path = path};
    if (mode == 0) {
      const Status status = CannotRead(error, path);
      left.reason = status.info()->message;
    } else if (S_ISDIR(mode)) {
      left.reason = "a folder; subfolders are not read";
    } else if (!S_ISREG(mode)) {
      left.reason = NounOf(mode);
    } else if (looks_ == kMaxLooks) {
      left.reason = "not named like a TFRecord file, and not examined";
    } else {
      ++looks_;
      return LookAtFile(path);
    }
    return left;
  }

  FoundFiles* found_;
  size_t looks_ = 0;
};

}  // namespace

Result<LeftOutFile> JudgeFirstBytes(const std::string& path,
                                    std::span<const uint8_t> head) {
  if (IsEventFile(path)) {
    return Harmless(path, "an event file of TensorBoard");
  }
  if (head.empty()) return Harmless(path, "empty");
  if (BeginsWithRecord(head)) return Lost(path, std::string(kNamedOtherwise));
  auto inflated = source::OpenMemory(head.data(), head.size(), {});
  if (!inflated.ok()) return inflated.status();
  if ((*inflated)->compression() == Compression::kNone) {
    return Judge(path, head);
  }
  const auto window = (*inflated)->Next(0, kRecordHeaderBytes);
  if (!window.ok()) return window.status();
  const std::span<const uint8_t> plain(window->data, window->size);
  if (BeginsWithRecord(plain)) return Lost(path, std::string(kNamedOtherwise));
  if (plain.size() >= kRecordHeaderBytes) return Judge(path, plain);
  return Lost(path,
              "compressed, and the first bytes do not show what it holds");
}

bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Status CheckInput(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return CannotRead(errno, path);
  return CheckKind(path, info.st_mode);
}

Status CheckReadable(const std::string& path) {
  if (faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0) return Status();
  return CannotRead(errno, path);
}

Status AddFolder(const std::string& folder, bool looks, FoundFiles* found) {
  const auto names = NamesIn(folder);
  if (!names.ok()) return names.status();
  const std::string begin = folder.ends_with('/') ? folder : folder + "/";
  Rest rest(found);
  for (const std::string& name : *names) {
    const std::string path = begin + name;
    const bool is_named = HasTfrecordName(name);
    struct stat info;
    const bool is_there = stat(path.c_str(), &info) == 0;
    const int error = errno;
    if (is_named && !is_there) return CannotRead(error, path);
    if (is_named && !S_ISDIR(info.st_mode)) {
      Status status = CheckKind(path, info.st_mode);
      if (!status.ok()) return status;
      found->files.push_back(path);
    } else if (looks && !IsSideFile(name)) {
      Status status = rest.Add(path, is_there ? info.st_mode : 0, error);
      if (!status.ok()) return status;
    }
  }
  return Status();
}

}  // namespace headrace::reader
