#include "bench/example_writer.h"

#include <utility>

#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/record/crc32c.h"

namespace headrace::bench {
namespace {

constexpr uint8_t kBytesList = 1;
constexpr uint8_t kFloatList = 2;
constexpr uint8_t kInt64List = 3;

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// Of a whole field with a number below 16.
size_t FieldSize(size_t size) { return 1 + VarintSize(size) + size; }

void AppendHeader(uint8_t field, size_t size, std::string* out) {
  out->push_back(static_cast<char>(field << 3 | 2));
  AppendVarint(size, out);
}

void AppendFixed32(uint32_t value, std::string* out) {
  uint8_t bytes[4];
  StoreLittle32(bytes, value);
  out->append(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

}  // namespace

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>((value & 0x7f) | 0x80));
  }
  out->push_back(static_cast<char>(value));
}

void AppendRecord(std::string_view payload, std::string* file) {
  uint8_t length[8];
  StoreLittle64(length, payload.size());
  file->append(reinterpret_cast<const char*>(length), sizeof(length));
  AppendFixed32(MaskCrc32c(record::Crc32c(length, sizeof(length))), file);
  file->append(payload);
  AppendFixed32(MaskCrc32c(record::Crc32c(payload.data(), payload.size())),
                file);
}

void ExampleWriter::BeginEntry(std::string_view key, uint8_t kind,
                               size_t size) {
  const size_t list = size == 0 ? 0 : FieldSize(size);
  const size_t value = FieldSize(list);
  extents_.push_back({entries_.size(), 0});
  AppendHeader(1, FieldSize(key.size()) + FieldSize(value), &entries_);
  AppendHeader(1, key.size(), &entries_);
  entries_.append(key);
  AppendHeader(2, value, &entries_);
  AppendHeader(kind, list, &entries_);
  if (size != 0) AppendHeader(1, size, &entries_);
}

void ExampleWriter::EndEntry() {
  extents_.back().size = entries_.size() - extents_.back().begin;
}

void ExampleWriter::AddInt64s(std::string_view key,
                              std::span<const int64_t> values) {
  packed_.clear();
  for (int64_t value : values) {
    AppendVarint(static_cast<uint64_t>(value), &packed_);
  }
  BeginEntry(key, kInt64List, packed_.size());
  entries_.append(packed_);
  EndEntry();
}

void ExampleWriter::AddFloats(std::string_view key,
                              std::span<const float> values) {
  BeginEntry(key, kFloatList, values.size_bytes());
  entries_.append(reinterpret_cast<const char*>(values.data()),
                  values.size_bytes());
  EndEntry();
}

void ExampleWriter::AddBytes(std::string_view key, std::string_view value) {
  BeginEntry(key, kBytesList, value.size());
  entries_.append(value);
  EndEntry();
}

void ExampleWriter::Shuffle(Random* random) {
  for (size_t i = extents_.size(); i > 1; --i) {
    std::swap(extents_[i - 1], extents_[random->Below(i)]);
  }
}

std::string_view ExampleWriter::Finish() {
  payload_.clear();
  AppendHeader(1, entries_.size(), &payload_);
  for (const Extent& extent : extents_) {
    payload_.append(entries_, extent.begin, extent.size);
  }
  entries_.clear();
  extents_.clear();
  return payload_;
}

}  // namespace headrace::bench
