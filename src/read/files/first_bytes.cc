#include "src/read/files/first_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/base/record_header.h"
#include "src/input/compression/detect.h"
#include "src/input/source/source.h"
#include "src/read/files/tfrecord_name.h"

namespace headrace::reader {
namespace {

// Bytes to read of a compressed file: a zstd frame yields its first bytes only
// after a whole block, of at most 128 KiB.
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

}  // namespace headrace::reader
