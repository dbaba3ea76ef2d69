// Tables of the messages of tensorflow.metadata.v0.Schema: what a parser must
// know about the messages, and which of their fields a Schema keeps.

#ifndef HEADRACE_SRC_PLAN_TFMD_MESSAGE_TABLE_H_
#define HEADRACE_SRC_PLAN_TFMD_MESSAGE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headrace::tfmd_forms {

enum class FieldType : uint8_t {
  kBool,
  kInt64,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kString,
  kBytes,
  kEnum,
  kMessage,
};

// How often a field may occur. Fields with the same kOneof exclude one another.
enum class Label : uint8_t { kOne, kMany, kOneof1, kOneof2, kOneof3 };

struct EnumValue {
  std::string_view name;
  int32_t number;
};

struct EnumTable {
  std::string_view name;
  std::span<const EnumValue> values;
  // In an enum of proto3 any number is a value.
  bool open = false;

  const EnumValue* Find(std::string_view value) const;
  const EnumValue* Find(int64_t number) const;
  // Returns an empty name for a number that is not a value.
  std::string_view NameOf(int64_t number) const;
};

// Whether a Schema keeps a field, or only checks it.
enum class Fate : uint8_t { kKept, kDropped };

struct MessageTable;

// What a field holds: one of the types, an enum or a message.
class Content {
 public:
  constexpr Content(FieldType type) : type_(type) {}
  constexpr Content(const EnumTable& enumeration)
      : type_(FieldType::kEnum), enumeration_(&enumeration) {}
  constexpr Content(const MessageTable& message)
      : type_(FieldType::kMessage), message_(&message) {}

 private:
  friend struct Field;

  FieldType type_;
  const EnumTable* enumeration_ = nullptr;
  const MessageTable* message_ = nullptr;
};

struct Field {
  // 0 for a field that proto files no longer have: old texts may hold it, and
  // it is ignored.
  uint32_t number;
  std::string_view name;
  Content content;
  Label label = Label::kOne;
  Fate fate = Fate::kKept;

  FieldType type() const { return content.type_; }
  // message() is only for kMessage, enumeration() only for kEnum.
  const MessageTable& message() const { return *content.message_; }
  const EnumTable& enumeration() const { return *content.enumeration_; }

  bool is_kept() const { return number != 0 && fate == Fate::kKept; }
  bool repeated() const { return label == Label::kMany; }
  bool in_oneof() const { return label > Label::kMany; }
};

struct MessageTable {
  enum class Syntax : uint8_t {
    kProto2,
    kProto3,      // strings are UTF-8
    kExpandable,  // google.protobuf.Any: kProto3, with a second form in text
    kOpaque,      // from an old text; its fields are unknown
  };

  std::string_view name;
  std::span<const Field> fields;  // at most 64
  Syntax syntax = Syntax::kProto2;

  // Returns null if there is no such field. A field that only old texts have is
  // never found by its number.
  const Field* Find(std::string_view field) const;
  const Field* Find(uint32_t number) const;
  size_t IndexOf(const Field& field) const {
    return static_cast<size_t>(&field - fields.data());
  }
};

const MessageTable& SchemaMessage();

// Returns a text like "a whole number (int64)", "a string in quotes", "a name
// of FeatureType" or "\"{\" or \"<\"".
std::string Describe(const Field& field);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_MESSAGE_TABLE_H_
