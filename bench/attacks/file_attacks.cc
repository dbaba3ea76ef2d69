// These files are hard to get through: damage looks like records, streams have
// nothing.

#include <memory>
#include <utility>

#include "bench/attacks/attack.h"
#include "bench/bench_data.h"
#include "bench/sides/gzip_side.h"
#include "headrace/record_reader.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c.h"
#include "src/input/record/scanner.h"
#include "src/input/source/source.h"
#include "tests/support/hex.h"

namespace headrace::bench {
namespace {

// The scan goes past all damage, in windows as a file has them.
Work Scanning(std::string file, OnCorrupt on_corrupt) {
  const size_t bytes = file.size();
  auto data = std::make_shared<const std::string>(std::move(file));
  return {
      bytes, [data, on_corrupt]() -> Status {
        auto source = source::OpenMemory(data->data(), data->size(),
                                         {.compression = Compression::kNone});
        if (!source.ok()) return source.status();
        record::Scanner scanner(*std::move(source), {.on_corrupt = on_corrupt});
        for (;;) {
          auto block = scanner.NextBlock(256);
          if (!block.ok()) return block.status();
          if (block->records.empty()) return Status();
        }
      }};
}

std::string Header(uint64_t length) {
  uint8_t bytes[kRecordHeaderBytes];
  StoreLittle64(bytes, length);
  StoreLittle32(bytes + 8, MaskCrc32c(headrace::Crc32c(bytes, 8)));
  return {reinterpret_cast<const char*>(bytes), sizeof(bytes)};
}

// No record is in these bytes.
Work Garbage(size_t bytes) {
  return Scanning(RandomBytes(bytes, 1), OnCorrupt::kRescan);
}

Work ZeroBytes(size_t bytes) {
  return Scanning(std::string(bytes, '\0'), OnCorrupt::kRescan);
}

Work FarHeaders(size_t bytes) {
  return Scanning("x" + Repeated(Header(bytes / 2), bytes), OnCorrupt::kRescan);
}

Work FarHeadersBetweenRecords(size_t bytes) {
  return Scanning(Repeated(FileOf("") + Header(bytes / 2), bytes),
                  OnCorrupt::kRescan);
}

Work NearHeaders(size_t bytes) {
  return Scanning("x" + Repeated(Header(1000), bytes), OnCorrupt::kRescan);
}

Work HeadersOfAllLengths(size_t bytes) {
  std::string file;
  for (uint64_t length = 0; file.size() < bytes; length += 997) {
    file += Header(length % bytes);
  }
  return Scanning(std::move(file), OnCorrupt::kRescan);
}

Work BadPayloads(size_t bytes) {
  std::string record = FileOf("payload");
  record.back() = static_cast<char>(record.back() + 1);
  return Scanning(Repeated(record, bytes), OnCorrupt::kSkip);
}

Work SmallRecords(size_t bytes) {
  return Scanning(Repeated(FileOf("payload"), bytes), OnCorrupt::kSkip);
}

Work Inflating(std::string stored) {
  const size_t bytes = stored.size();
  auto data = std::make_shared<const std::string>(std::move(stored));
  return {bytes, [data] { return InflateOnly(*data).status(); }};
}

// The text shrinks to about half.
Work GzipMember(size_t bytes) {
  return Inflating(Gzip(testing::ToHex(RandomBytes(bytes, 1))));
}

Work EmptyGzipMembers(size_t bytes) {
  return Inflating(Repeated(Gzip(""), bytes));
}

// Names, comments and extra fields are looked at byte by byte.
Work LongGzipHeader(size_t bytes) {
  std::string stored = Gzip("");
  stored[3] = '\x18';  // name and comment
  const std::string name = std::string(bytes / 2, 'n') + '\0';
  stored.insert(10, name + name);
  return Inflating(std::move(stored));
}

Work GzipOfOneByteBlocks(size_t bytes) {
  // Stored blocks have no bytes; a last one follows.
  const std::string empty_block("\x00\x00\x00\xff\xff", 5);
  std::string stored = Gzip("");
  stored.replace(
      10, stored.size() - 18,
      Repeated(empty_block, bytes) + std::string("\x01\x00\x00\xff\xff", 5));
  return Inflating(std::move(stored));
}

constexpr Attack kAttacks[] = {
    {"rescan of zeros", "rescan of garbage", ZeroBytes, Garbage},
    {"rescan of far headers", "rescan of garbage", FarHeaders, Garbage},
    {"the same between records", "rescan of garbage", FarHeadersBetweenRecords,
     Garbage},
    {"rescan of near headers", "rescan of garbage", NearHeaders, Garbage},
    {"rescan of headers of all lengths", "rescan of garbage",
     HeadersOfAllLengths, Garbage},
    {"bad payloads alone", "small records", BadPayloads, SmallRecords},
    {"gzip members of nothing", "gzip", EmptyGzipMembers, GzipMember},
    {"gzip blocks of nothing", "gzip", GzipOfOneByteBlocks, GzipMember},
    {"gzip with a long name", "gzip", LongGzipHeader, GzipMember},
};

}  // namespace

std::span<const Attack> FileAttacks() { return kAttacks; }

}  // namespace headrace::bench
