// The fields of messages of unknown types, beside libprotobuf.

#include "src/decode/example/wire_fields.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "google/protobuf/empty.pb.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/support/effort.h"
#include "tests/support/hex.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

// All fields of a message without any are unknown.
bool ParseFields(std::string_view bytes, google::protobuf::Empty* message) {
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

bool Same(const WireField& field, const UnknownField& expected) {
  if (static_cast<int>(field.number) != expected.number()) return false;
  switch (expected.type()) {
    case UnknownField::TYPE_VARINT:
      return field.type == headrace::WireType::kVarint &&
             field.value == expected.varint();
    case UnknownField::TYPE_FIXED32:
      return field.type == headrace::WireType::kFixed32 &&
             field.value == expected.fixed32();
    case UnknownField::TYPE_FIXED64:
      return field.type == headrace::WireType::kFixed64 &&
             field.value == expected.fixed64();
    case UnknownField::TYPE_LENGTH_DELIMITED:
      return field.type == headrace::WireType::kLen &&
             field.bytes == expected.length_delimited();
    case UnknownField::TYPE_GROUP:
      return field.type == headrace::WireType::kGroup &&
             ReadWireFields(field.bytes, 0)->num_fields ==
                 static_cast<uint64_t>(expected.group().field_count());
  }
  return false;
}

TEST(WireFields, AreThoseOfLibprotobuf) {
  RandomExample examples(/*seed=*/5, {});
  Mutator mutator(/*seed=*/6);
  int num_messages = 0;
  for (int i = 0; i < 20'000 / kCaseStride; ++i) {
    const std::string bytes = mutator.Mutate(examples.NextSequence());
    const auto message = ReadWireFields(bytes, ~size_t{0});
    google::protobuf::Empty parsed;
    ASSERT_EQ(message.has_value(), ParseFields(bytes, &parsed)) << ToHex(bytes);
    if (!message) continue;
    ++num_messages;
    const UnknownFieldSet& expected =
        parsed.GetReflection()->GetUnknownFields(parsed);
    ASSERT_EQ(message->num_fields,
              static_cast<uint64_t>(expected.field_count()));
    for (int k = 0; k < expected.field_count(); ++k) {
      ASSERT_TRUE(
          Same(message->fields[static_cast<size_t>(k)], expected.field(k)))
          << ToHex(bytes);
    }
  }
  EXPECT_GT(num_messages, 1000 / kCaseStride);
}

TEST(WireFields, OfEachType) {
  const std::string bytes = VarintField(1, 300) + Hex("11000000000000f83f") +
                            LenField(3, "text") + Hex("23280124") +
                            Hex("2d0000c03f");
  const auto message = ReadWireFields(bytes, 100);
  ASSERT_TRUE(message.has_value());
  ASSERT_EQ(message->num_fields, 5u);
  EXPECT_EQ(message->fields[0].value, 300u);
  EXPECT_EQ(message->fields[1].value, 0x3ff8000000000000u);
  EXPECT_EQ(message->fields[2].bytes, "text");
  EXPECT_EQ(message->fields[3].type, headrace::WireType::kGroup);
  EXPECT_EQ(message->fields[3].bytes, Hex("2801"));
  EXPECT_EQ(message->fields[4].value, 0x3fc00000u);
}

TEST(WireFields, AllAreCounted) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += VarintField(1, 2);
  const auto message = ReadWireFields(bytes, 3);
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->fields.size(), 3u);
  EXPECT_EQ(message->num_fields, 1000u);
  EXPECT_FALSE(ReadWireFields(bytes + "\x08", 3).has_value());
}

}  // namespace
}  // namespace headrace::testing
