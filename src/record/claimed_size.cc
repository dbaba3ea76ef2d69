#include <sys/stat.h>

#include <array>
#include <optional>
#include <span>
#include <string>

#include "headrace/record_reader.h"
#include "src/base/out_of_memory.h"
#include "src/base/record_header.h"
#include "src/compression/detect.h"
#include "src/compression/member_hops.h"
#include "src/source/file_stream.h"
#include "src/source/source_error.h"

namespace headrace {
namespace {

// A pipe that is opened and closed again is broken for whoever writes to it.
bool IsRegularFile(const std::string& path) {
  struct stat info;
  return path != "-" && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

Result<std::optional<ClaimedSize>> FindClaimedSize(const std::string& path) {
  if (!IsRegularFile(path)) return std::optional<ClaimedSize>();
  auto file = source::FileStream::Open(path);
  if (!file.ok()) return file.status();
  std::array<uint8_t, kRecordHeaderBytes> head;
  const Result<size_t> got = (*file)->ReadAt(0, head);
  if (!got.ok()) return source::NameFile(got.status(), path);
  const auto compression =
      compression::CompressionByMagic(std::span(head).first(*got));
  if (compression != Compression::kGzip) return std::optional<ClaimedSize>();
  const auto hops =
      compression::HopOverMembers(*compression, file->get(), (*file)->size());
  if (!hops.ok()) return source::NameFile(hops.status(), path);
  if (!hops->num_records) return std::optional<ClaimedSize>();
  return std::optional(ClaimedSize{.records = *hops->num_records,
                                   .bytes = hops->table->plain_size()});
}

}  // namespace

Result<std::optional<ClaimedSize>> ReadClaimedSize(const std::string& path) {
  return CatchOutOfMemory([&] { return FindClaimedSize(path); });
}

}  // namespace headrace
