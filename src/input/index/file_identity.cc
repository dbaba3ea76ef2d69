#include "src/input/index/file_identity.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <vector>

#include "src/base/index_names.h"
#include "src/base/system_error.h"
#include "src/input/index/image.h"

namespace headrace::index {
namespace {

// Bytes that each digest of the file covers.
constexpr uint64_t kDigestBytes = uint64_t{64} << 10;

// Opening a pipe would wait for a writer, and reading a terminal for its user.
bool IsPipeOrDevice(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 &&
         (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode));
}

Result<bool> IsEmpty(source::Source* source) {
  Result<source::Window> window = source->Next(0, 1);
  if (!window.ok()) return window.status();
  if (window->tail == source::Tail::kFailed) return source->failure();
  return window->size == 0;
}

Result<uint64_t> DigestAt(source::Source* source, uint64_t offset,
                          std::vector<uint8_t>* buffer) {
  Result<size_t> got = source->ReadAt(offset, *buffer);
  if (!got.ok()) return got.status();
  if (*got < buffer->size()) {
    return NameFile(Shrank(source->stored_size(), offset + *got),
                    source->name());
  }
  return uint64_t{XXH3_64bits(buffer->data(), buffer->size())};
}

Status Stale(const std::string& path, const std::string& why) {
  return BadIndex(
      "the index is of another file, or the file was changed: " + why, path);
}

// Does not compare a field that only one of the two has.
Status CompareIdentity(const FileIdentity& indexed, const FileIdentity& now,
                       const std::string& path) {
  if (indexed.size != now.size) {
    return Stale(path, "the index is of a file of " +
                           std::to_string(indexed.size) +
                           " bytes, this file has " + std::to_string(now.size));
  }
  if (indexed.digests && now.digests && *indexed.digests != *now.digests) {
    return Stale(path, "its first or last 64 KiB differ");
  }
  if (indexed.time && now.time && *indexed.time != *now.time) {
    return Stale(path,
                 "its time of change differs (a copy that keeps the time, "
                 "cp -p or rsync -t, keeps the index, too)");
  }
  return Status();
}

}  // namespace

std::optional<int64_t> TimeOf(const std::string& path,
                              const IndexOptions& options) {
  constexpr int64_t kMaxSeconds = int64_t{9'000'000'000};
  struct stat info;
  if (options.open_input || stat(path.c_str(), &info) != 0) return {};
  const int64_t seconds = info.st_mtim.tv_sec;
  if (seconds < -kMaxSeconds || seconds > kMaxSeconds) return {};
  return seconds * 1'000'000'000 + info.st_mtim.tv_nsec;
}

Status Unfit(const std::string& name, const std::string& why) {
  return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                          .message = "finding records by number needs a file "
                                     "that can be read at any place; this " +
                                     why,
                          .file = name});
}

Result<std::unique_ptr<source::Source>> OpenStored(
    const std::string& path, const IndexOptions& options) {
  if (!options.open_input) {
    if (path == "-") return Unfit("<stdin>", "is standard input");
    if (IsPipeOrDevice(path)) return Unfit(path, "is a pipe or a device");
  }
  Result<std::unique_ptr<source::Source>> opened = source::OpenNamed(
      path, options.open_input, {.compression = Compression::kNone});
  if (!opened.ok()) return opened.status();
  source::Source* const source = opened->get();
  if (source->stored_size() > kMaxStreamBytes) {
    return Unfit(path, "is too large");
  }
  if (source->can_read_at()) return opened;
  const Result<bool> empty = IsEmpty(source);
  if (!empty.ok()) return empty.status();
  if (!*empty) return Unfit(path, "can only be read from its beginning");
  return opened;
}

Result<FileIdentity> Identify(source::Source* source, const std::string& path,
                              const IndexOptions& options) {
  FileIdentity identity;
  identity.size = source->stored_size();
  identity.time = TimeOf(path, options);
  const uint64_t size = std::min(identity.size, kDigestBytes);
  std::vector<uint8_t> buffer(static_cast<size_t>(size));
  FileIdentity::Digests digests;
  if (size == 0) {
    digests.first = digests.last = XXH3_64bits(nullptr, 0);
  } else {
    Result<uint64_t> first = DigestAt(source, 0, &buffer);
    if (!first.ok()) return first.status();
    Result<uint64_t> last = DigestAt(source, identity.size - size, &buffer);
    if (!last.ok()) return last.status();
    digests = {.first = *first, .last = *last};
  }
  identity.digests = digests;
  return identity;
}

Status CheckIsOf(const FileIdentity& indexed, const std::string& path,
                 const IndexOptions& options) {
  const auto source = OpenStored(path, options);
  if (!source.ok()) return source.status();
  const auto now = Identify(source->get(), path, options);
  if (!now.ok()) return now.status();
  return CompareIdentity(indexed, *now, path);
}

}  // namespace headrace::index
