#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

std::string LittleEndian(uint64_t value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return bytes;
}

}  // namespace

std::string Varint(uint64_t value, size_t size) {
  std::string bytes;
  while (value >= 0x80 || bytes.size() + 1 < size) {
    bytes += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  bytes += static_cast<char>(value);
  return bytes;
}

std::string Tag(uint32_t field, WireType type, size_t size) {
  return Varint(uint64_t{field} << 3 | static_cast<uint64_t>(type), size);
}

std::string Fixed32(uint32_t value) { return LittleEndian(value, 4); }

std::string Fixed64(uint64_t value) { return LittleEndian(value, 8); }

std::string VarintField(uint32_t field, uint64_t value) {
  return Tag(field, WireType::kVarint) + Varint(value);
}

std::string Fixed32Field(uint32_t field, uint32_t value) {
  return Tag(field, WireType::kFixed32) + Fixed32(value);
}

std::string Fixed64Field(uint32_t field, uint64_t value) {
  return Tag(field, WireType::kFixed64) + Fixed64(value);
}

std::string LenField(uint32_t field, std::string_view payload) {
  return LenFieldDeclaring(field, payload.size(), payload);
}

std::string LenFieldDeclaring(uint32_t field, uint64_t declared,
                              std::string_view payload) {
  return Tag(field, WireType::kLen) + Varint(declared) + std::string(payload);
}

std::string StartGroup(uint32_t field) {
  return Tag(field, WireType::kStartGroup);
}

std::string EndGroup(uint32_t field) { return Tag(field, WireType::kEndGroup); }

std::string Group(uint32_t field, std::string_view content) {
  return StartGroup(field) + std::string(content) + EndGroup(field);
}

std::string NestedGroups(uint32_t field, size_t depth,
                         std::string_view content) {
  std::string bytes;
  for (size_t i = 0; i < depth; ++i) bytes += StartGroup(field);
  bytes += content;
  for (size_t i = 0; i < depth; ++i) bytes += EndGroup(field);
  return bytes;
}

std::string PackedVarints(std::span<const int64_t> values, size_t varint_size) {
  std::string bytes;
  for (int64_t value : values) {
    bytes += Varint(static_cast<uint64_t>(value), varint_size);
  }
  return bytes;
}

}  // namespace headrace::testing
