#include "src/input/index/index_beside.h"

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "src/base/index_names.h"
#include "src/base/system_error.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/image.h"
#include "src/input/index/points.h"
#include "src/input/source/file_stream.h"

namespace headrace::index {
namespace {

using compression::SeekTable;

bool Exists(const std::string& path) {
  struct stat info;
  return !path.empty() && stat(path.c_str(), &info) == 0;
}

// Reads the bytes [begin, end) of a file that has them.
Result<std::vector<uint8_t>> ReadPart(source::FileStream* file, uint64_t begin,
                                      uint64_t end) {
  std::vector<uint8_t> bytes(static_cast<size_t>(end - begin));
  const Result<size_t> got = file->ReadAt(begin, bytes);
  if (!got.ok()) return got.status();
  bytes.resize(*got);
  return bytes;
}

struct OwnedBytes {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;
};

// Returns the bytes from `begin` on. A large index is mapped even for a few
// bytes.
Result<OwnedBytes> ReadRest(source::FileStream* file, uint64_t begin,
                            const std::string& name) {
  if (file->size() > IndexBytes::kMaxInMemory) {
    const auto mapped = IndexBytes::ReadOrMap(file, name);
    if (!mapped.ok()) return mapped.status();
    return OwnedBytes{
        .bytes = mapped->bytes().subspan(static_cast<size_t>(begin)),
        .owner = mapped->owner()};
  }
  auto bytes = ReadPart(file, begin, file->size());
  if (!bytes.ok()) return NameFile(bytes.status(), name);
  const auto rest =
      std::make_shared<const std::vector<uint8_t>>(*std::move(bytes));
  return OwnedBytes{.bytes = *rest, .owner = rest};
}

Result<std::shared_ptr<const SeekTable>> ReadTable(
    const std::string& file, const std::string& name,
    const IndexOptions& options) {
  auto opened = source::FileStream::OpenRegular(name);
  if (!opened.ok()) return opened.status();
  const uint64_t size = (*opened)->size();
  auto bytes = ReadPart(opened->get(), 0, std::min<uint64_t>(size, kHeadBytes));
  if (!bytes.ok()) return NameFile(bytes.status(), name);
  Head head;
  if (const std::string why = head.Read(*bytes); !why.empty()) {
    return BadIndex(why, name);
  }
  if (!head.has_points) return {nullptr};
  const uint64_t begin = head.directory_end();
  if (head.directory_at > size || begin > size) {
    return BadIndex("the index is cut", name);
  }
  Status status = CheckIsOf(head.identity, file, options);
  if (!status.ok()) return status;
  const auto rest = ReadRest(opened->get(), begin, name);
  if (!rest.ok()) return rest.status();
  auto table = ReadPoints(rest->bytes, begin, head.identity.size,
                          head.stream_bytes, rest->owner);
  if (table == nullptr) return BadIndex("the index is damaged or cut", name);
  return table;
}

}  // namespace

std::string NameBeside(const std::string& file, const std::string& directory,
                       const IndexOptions& options) {
  if (!directory.empty()) {
    return directory + "/" + file.substr(file.rfind('/') + 1);
  }
  return options.open_input ? "" : file;
}

Status HasNoIndex(const std::string& file) {
  return NameFile(
      Status(ErrorCode::kNotFound,
             "has no index: write one with headrace index, or do not require "
             "one"),
      file);
}

Result<std::optional<Index>> OpenBeside(const std::string& file,
                                        const std::string& directory,
                                        const IndexOptions& options) {
  for (const std::string& name :
       IndexNames(NameBeside(file, directory, options))) {
    if (!Exists(name)) continue;
    const Result<Index> index = Index::Open(name);
    if (!index.ok()) return index.status();
    return std::optional<Index>(*index);
  }
  return std::optional<Index>();
}

Result<Index> UsableBeside(const std::string& file,
                           const std::string& directory,
                           const IndexOptions& options) {
  const auto index = OpenBeside(file, directory, options);
  if (!index.ok()) return index.status();
  if (!index) return HasNoIndex(file);
  Status status = index->CheckIsOf(file, options);
  if (!status.ok()) return status;
  return *index;
}

uint64_t NumberAt(const Index& index, uint64_t offset) {
  if (offset == index.stream_bytes()) return index.size();
  uint64_t begin = 0;
  uint64_t end = index.size();
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    RecordPlace place;
    if (!index.Find({&middle, 1}, {&place, 1}).ok()) return kUnknown;
    if (place.offset == offset) return middle;
    if (place.offset < offset) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return kUnknown;
}

Result<std::shared_ptr<const SeekTable>> SeekTableBeside(
    const std::string& file, const std::string& directory, IndexUse use,
    const IndexOptions& options) {
  if (use == IndexUse::kNone) return {nullptr};
  const std::string beside = NameBeside(file, directory, options);
  const std::string name = beside.empty() ? "" : beside + ".hri";
  if (!Exists(name)) {
    if (use == IndexUse::kRequired) return HasNoIndex(file);
    return {nullptr};
  }
  auto table = ReadTable(file, name, options);
  if (table.ok() || use == IndexUse::kRequired) return table;
  return {nullptr};
}

}  // namespace headrace::index
