// Reads the size that a compressed file claims in its members, and checks the
// places that it claims for them.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "headrace/record_reader.h"
#include "src/base/out_of_memory.h"
#include "src/base/record_header.h"
#include "src/base/regular_file.h"
#include "src/base/system_error.h"
#include "src/input/blocks/member_hops.h"
#include "src/input/blocks/seekable_stream.h"
#include "src/input/compression/detect.h"
#include "src/input/source/file_stream.h"

namespace headrace {
namespace {

// A regular file and the places where it claims that its members are; no places
// if its magic number is not known.
struct ClaimingFile {
  std::unique_ptr<source::FileStream> file;
  compression::MemberHops hops = {};
};

Result<ClaimingFile> ReadClaims(const std::string& path) {
  auto file = source::FileStream::Open(path);
  if (!file.ok()) return file.status();
  std::array<uint8_t, kRecordHeaderBytes> head;
  const Result<size_t> got = (*file)->ReadAt(0, head);
  if (!got.ok()) return got.status();
  const auto compression =
      compression::CompressionByMagic(std::span(head).first(*got));
  ClaimingFile claiming = {.file = *std::move(file)};
  if (!compression) return claiming;
  auto hops = compression::HopOverMembers(*compression, claiming.file.get(),
                                          claiming.file->size());
  if (!hops.ok()) return hops.status();
  claiming.hops = *std::move(hops);
  return claiming;
}

Status TestClaimedPlaces(const std::string& path) {
  if (path == "-" || !IsRegularFile(path)) return Status();
  auto claiming = ReadClaims(path);
  if (!claiming.ok()) return claiming.status();
  if (claiming->hops.table == nullptr) return Status();
  compression::SeekableStream stream(claiming->hops.table,
                                     std::move(claiming->file), 1);
  return stream.CheckTable();
}

}  // namespace

Result<std::optional<ClaimedSize>> ReadClaimedSize(const std::string& path) {
  return CatchOutOfMemory([&]() -> Result<std::optional<ClaimedSize>> {
    if (path == "-" || !IsRegularFile(path)) {
      return std::optional<ClaimedSize>();
    }
    const auto claiming = ReadClaims(path);
    if (!claiming.ok()) return NameFile(claiming.status(), path);
    const compression::MemberHops& hops = claiming->hops;
    if (!hops.num_records) return std::optional<ClaimedSize>();
    return std::optional(ClaimedSize{.records = *hops.num_records,
                                     .bytes = hops.table->plain_size()});
  });
}

Status CheckClaimedPlaces(const std::string& path) {
  return CatchOutOfMemory([&] {
    Status status = TestClaimedPlaces(path);
    if (status.code() == ErrorCode::kDecompress) {
      status = Status(status.code(),
                      "its gzip members or zstd frames are not where the file "
                      "itself says: " +
                          std::string(status.message()));
    }
    return status.ok() ? status : NameFile(status, path);
  });
}

}  // namespace headrace
