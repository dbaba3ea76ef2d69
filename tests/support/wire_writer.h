// These write protobuf bytes field by field: the right ones and, just as
// easily, the wrong ones. Everything returns a string, so messages are composed
// the way they nest.

#ifndef HEADRACE_TESTS_SUPPORT_WIRE_WRITER_H_
#define HEADRACE_TESTS_SUPPORT_WIRE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headrace::testing {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLen = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
  kReserved6 = 6,
  kReserved7 = 7,
};

// Writes the shortest form, or a longer one of exactly `size` bytes with zeros
// on top. Sizes beyond 10 are written as asked, though no reader takes them.
std::string Varint(uint64_t value, size_t size = 0);

// `size` is as for Varint.
std::string Tag(uint32_t field, WireType type, size_t size = 0);

std::string Fixed32(uint32_t value);
std::string Fixed64(uint64_t value);

std::string VarintField(uint32_t field, uint64_t value);
std::string Fixed32Field(uint32_t field, uint32_t value);
std::string Fixed64Field(uint32_t field, uint64_t value);
std::string LenField(uint32_t field, std::string_view payload);

// The field of `payload` declares another length.
std::string LenFieldDeclaring(uint32_t field, uint64_t declared,
                              std::string_view payload);

std::string StartGroup(uint32_t field);
std::string EndGroup(uint32_t field);
std::string Group(uint32_t field, std::string_view content = {});

// `depth` groups, one in another, are around `content`.
std::string NestedGroups(uint32_t field, size_t depth,
                         std::string_view content = {});

// Varints one after another are the payload of a packed int64 list. Each has
// `varint_size` bytes, or its own size if that is 0 or too small.
std::string PackedVarints(std::span<const int64_t> values,
                          size_t varint_size = 0);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_WIRE_WRITER_H_
