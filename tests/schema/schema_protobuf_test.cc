// Random Schemas, right and damaged, against libprotobuf (C++) with the same
// message types.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/dynamic_message.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "headrace/schema.h"
#include "src/plan/tfmd/message_table.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"
#include "tests/support/words.h"

namespace headrace::testing {
namespace {

namespace pb = google::protobuf;

using tfmd_forms::Field;
using tfmd_forms::FieldType;
using tfmd_forms::Label;

// Our tables as descriptors of libprotobuf, so that both read by one schema.
class ProtoFiles {
 public:
  ProtoFiles() {
    // In the order of their imports.
    for (pb::FileDescriptorProto& file : files_) {
      file.set_package("t");
      file.set_name("file" + std::to_string(&file - files_));
      file.set_syntax(&file == &files_[kProto3] ? "proto3" : "proto2");
      for (const auto* other = files_; other != &file; ++other) {
        file.add_dependency(other->name());
      }
    }
    AddMessage(tfmd_forms::SchemaMessage());
    for (const pb::FileDescriptorProto& file : files_) {
      EXPECT_NE(pool_.BuildFile(file), nullptr) << file.name();
    }
    const auto* type = pool_.FindMessageTypeByName("t.Schema");
    prototype_ = factory_.GetPrototype(type);
  }

  std::unique_ptr<pb::Message> NewSchema() const {
    return std::unique_ptr<pb::Message>(prototype_->New());
  }

 private:
  // A message of proto3 has a field of type Path, which is of proto2.
  enum File { kPath, kProto3, kProto2 };

  static std::string NameOf(const tfmd_forms::MessageTable& type) {
    return std::string(type.name);
  }
  static bool IsEntry(const tfmd_forms::MessageTable& type) {
    return type.fields.size() == 2 && type.fields[0].name == "key";
  }

  void AddMessage(const tfmd_forms::MessageTable& type) {
    if (!added_.insert(type.name).second) return;
    const File file = type.name == "Path" ? kPath
                      : type.syntax != tfmd_forms::MessageTable::Syntax::kProto2
                          ? kProto3
                          : kProto2;
    pb::DescriptorProto* const message = files_[file].add_message_type();
    message->set_name(NameOf(type));
    AddFields(type, message);
  }

  // Members of a oneof must follow one another.
  void AddFields(const tfmd_forms::MessageTable& type,
                 pb::DescriptorProto* message) {
    using enum Label;
    for (const Label label : {kOne, kMany, kOneof1, kOneof2, kOneof3}) {
      for (const Field& field : type.fields) {
        if (field.number != 0 && field.label == label) AddField(field, message);
      }
    }
    // Entries are nested, and found by their names.
    for (const Field& field : type.fields) {
      if (field.type() != FieldType::kMessage || !IsEntry(field.message())) {
        continue;
      }
      pb::DescriptorProto* const entry = message->add_nested_type();
      entry->set_name(EntryName(field));
      entry->mutable_options()->set_map_entry(true);
      AddFields(field.message(), entry);
    }
  }

  void AddField(const Field& field, pb::DescriptorProto* message) {
    pb::FieldDescriptorProto* const added = message->add_field();
    added->set_name(std::string(field.name));
    added->set_number(static_cast<int32_t>(field.number));
    added->set_label(field.repeated()
                         ? pb::FieldDescriptorProto::LABEL_REPEATED
                         : pb::FieldDescriptorProto::LABEL_OPTIONAL);
    added->set_type(TypeOf(field.type()));
    if (field.in_oneof()) AddToOneof(field, message, added);
    if (field.type() == FieldType::kEnum) AddEnum(field, added);
    if (field.type() == FieldType::kMessage) {
      AddMessageField(field, *message, added);
    }
  }

  // As protoc calls the entries of "tensor_representation".
  static std::string EntryName(const Field& field) {
    std::string name;
    bool upper = true;
    for (const char c : field.name) {
      if (c != '_') {
        name += upper ? static_cast<char>(c - 'a' + 'A') : c;
      }
      upper = c == '_';
    }
    return name + "Entry";
  }

  void AddMessageField(const Field& field, const pb::DescriptorProto& parent,
                       pb::FieldDescriptorProto* added) {
    if (IsEntry(field.message())) {
      added->set_type_name(".t." + parent.name() + "." + EntryName(field));
    } else {
      added->set_type_name(".t." + NameOf(field.message()));
      AddMessage(field.message());
    }
  }

  static void AddToOneof(const Field& field, pb::DescriptorProto* message,
                         pb::FieldDescriptorProto* added) {
    const std::string name =
        "oneof" + std::to_string(static_cast<int>(field.label));
    int index = 0;
    while (index < message->oneof_decl_size() &&
           message->oneof_decl(index).name() != name) {
      ++index;
    }
    if (index == message->oneof_decl_size()) {
      message->add_oneof_decl()->set_name(name);
    }
    added->set_oneof_index(index);
  }

  // Each in a message of its own: values of enums share a scope.
  void AddEnum(const Field& field, pb::FieldDescriptorProto* added) {
    const tfmd_forms::EnumTable& type = field.enumeration();
    std::string scope = "Enum" + std::string(type.name);
    std::erase(scope, '.');
    added->set_type_name(".t." + scope + ".Value");
    if (!added_.insert(type.name).second) return;
    auto* const message =
        files_[type.open ? kProto3 : kProto2].add_message_type();
    message->set_name(scope);
    auto* const values = message->add_enum_type();
    values->set_name("Value");
    for (const tfmd_forms::EnumValue& value : type.values) {
      auto* const one = values->add_value();
      one->set_name(std::string(value.name));
      one->set_number(value.number);
    }
  }

  static pb::FieldDescriptorProto::Type TypeOf(FieldType type) {
    switch (type) {
      case FieldType::kBool:
        return pb::FieldDescriptorProto::TYPE_BOOL;
      case FieldType::kInt64:
        return pb::FieldDescriptorProto::TYPE_INT64;
      case FieldType::kUint32:
        return pb::FieldDescriptorProto::TYPE_UINT32;
      case FieldType::kUint64:
        return pb::FieldDescriptorProto::TYPE_UINT64;
      case FieldType::kFloat:
        return pb::FieldDescriptorProto::TYPE_FLOAT;
      case FieldType::kDouble:
        return pb::FieldDescriptorProto::TYPE_DOUBLE;
      case FieldType::kString:
        return pb::FieldDescriptorProto::TYPE_STRING;
      case FieldType::kBytes:
        return pb::FieldDescriptorProto::TYPE_BYTES;
      case FieldType::kEnum:
        return pb::FieldDescriptorProto::TYPE_ENUM;
      default:
        return pb::FieldDescriptorProto::TYPE_MESSAGE;
    }
  }

  pb::FileDescriptorProto files_[3];
  std::set<std::string_view> added_;
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_{&pool_};
  const pb::Message* prototype_ = nullptr;
};

// Writes wire format field by field, most of it well-formed.
class SchemaWriter {
 public:
  explicit SchemaWriter(uint32_t seed) : random_(seed) {}

  bool OneIn(uint32_t n) { return random_() % n == 0; }

  std::string Message(const tfmd_forms::MessageTable& type, int depth) {
    std::string bytes;
    for (size_t count = random_() % 5; count > 0; --count) {
      if (type.fields.empty() || OneIn(12)) {
        bytes += UnknownField();
        continue;
      }
      const Field& field = type.fields[random_() % type.fields.size()];
      if (field.number == 0) continue;
      bytes +=
          OneIn(25) ? UnknownField(field.number) : KnownField(field, depth);
    }
    return bytes;
  }

  std::string Damage(std::string bytes) {
    for (size_t count = 1 + random_() % 2; count > 0 && !bytes.empty();
         --count) {
      const size_t at = random_() % bytes.size();
      switch (random_() % 4) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ 1 << random_() % 8);
          break;
        case 1:
          bytes.erase(at, 1);
          break;
        case 2:
          bytes.insert(at, 1, static_cast<char>(random_()));
          break;
        default:
          bytes.resize(at);
      }
    }
    return bytes;
  }

 private:
  template <class T, size_t N>
  const T& OneOf(const T (&choices)[N]) {
    return choices[random_() % N];
  }

  uint64_t Number() {
    constexpr uint64_t kNumbers[] = {0, 1,  2,          3,           4,
                                     8, 99, 0x80000000, 0x100000001, ~0ull};
    return OneOf(kNumbers);
  }

  std::string KnownField(const Field& field, int depth) {
    constexpr std::string_view kStrings[] = {"", "a", "bc", "\xC3\xA9",
                                             "\x01\x02"};
    switch (field.type()) {
      case FieldType::kFloat:
        return Fixed32Field(field.number, 0x3F000000);
      case FieldType::kDouble:
        return Fixed64Field(field.number, 0x3FE0000000000000);
      case FieldType::kMessage:
        return LenField(
            field.number,
            depth > 9 ? std::string() : Message(field.message(), depth + 1));
      case FieldType::kString:
      case FieldType::kBytes:
        return LenField(field.number, OneIn(20) ? "\xFF" : OneOf(kStrings));
      default:
        return field.repeated() && OneIn(2)
                   ? LenField(field.number, Varint(Number()) + Varint(1))
                   : VarintField(field.number, Number());
    }
  }

  std::string UnknownField(uint32_t field = 0) {
    constexpr uint32_t kFields[] = {1, 2, 3, 7, 33, 40, 5000};
    if (field == 0) field = OneOf(kFields);
    switch (random_() % 5) {
      case 0:
        return VarintField(field, Number());
      case 1:
        return Fixed64Field(field, Number());
      case 2:
        return Fixed32Field(field, 7);
      case 3:
        return LenField(field, "\x01\x01");
      default:
        return Group(field, VarintField(1, 1));
    }
  }

  std::mt19937 random_;
};

// Says nothing: libprotobuf logs what it refuses.
class Silent : public pb::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
};

class SchemaProtobufTest : public ::testing::Test {
 protected:
  // What libprotobuf makes of wire format, written again; empty where it
  // refuses the bytes.
  static std::optional<std::string> Rewritten(const pb::Message& message) {
    std::string bytes;
    return message.SerializePartialToString(&bytes)
               ? std::optional<std::string>(bytes)
               : std::nullopt;
  }

  // `bytes`, what libprotobuf reads in them and the text that it prints are
  // the same Schema.
  void Compare(const std::string& bytes) {
    const auto message = files_.NewSchema();
    const bool accepted = message->ParsePartialFromString(bytes);
    const auto ours = Schema::FromBinary(bytes);
    ASSERT_EQ(ours.ok(), accepted) << ToHex(bytes);
    if (!accepted) return;
    const auto rewritten = Rewritten(*message);
    ASSERT_TRUE(rewritten.has_value());
    ExpectSame(*Schema::FromBinary(*rewritten), *ours, ToHex(bytes));
    ExpectSame(*Schema::Parse(bytes), *ours, ToHex(bytes));

    pb::TextFormat::Printer printer;
    printer.SetHideUnknownFields(true);
    printer.SetSingleLineMode(ours->features.size() % 2 == 0);
    printer.SetUseShortRepeatedPrimitives(true);
    std::string text;
    ASSERT_TRUE(printer.PrintToString(*message, &text));
    const auto from_text = OrThrow(Schema::FromText(text));
    ExpectSame(Sorted(from_text), Sorted(*ours), text);
  }

  static void ExpectSame(const Schema& read, const Schema& ours,
                         const std::string& input) {
    EXPECT_EQ(read.ToText(), ours.ToText()) << input;
    // A schema with a NaN differs from itself.
    EXPECT_EQ(read == ours, Schema(ours) == ours) << input;
  }

  // libprotobuf prints maps in the order of their keys.
  static Schema Sorted(Schema schema) {
    const auto by_name = [](const auto& a, const auto& b) {
      return a.name < b.name;
    };
    std::sort(schema.groups.begin(), schema.groups.end(), by_name);
    for (auto& group : schema.groups) {
      std::sort(group.tensors.begin(), group.tensors.end(), by_name);
    }
    return schema;
  }

  ProtoFiles files_;
  pb::LogSilencer silence_;
};

TEST_F(SchemaProtobufTest, RandomBinary) {
  SchemaWriter writer(1);
  for (int round = 0; round < 5000 && !HasFailure(); ++round) {
    const std::string bytes = writer.Message(tfmd_forms::SchemaMessage(), 0);
    Compare(bytes);
    Compare(writer.Damage(bytes));
  }
}

// What libprotobuf reads in a text, ours reads too; what it refuses is refused
// unless Python's parser takes it, which these texts do not show.
TEST_F(SchemaProtobufTest, RandomText) {
  static const std::vector<std::string> kTokens = Split(
      "feature |{|}|{|}|<|>|name|:|: 'a'|shape|dim|size: 1|type: INT |"
      "annotation|tag|[|]|,|;|'b'|presence|min_count: 1 |2|-|value_count{}|"
      "domain|int_domain{min: 1} |min_fraction:.5 |#\n|name: \"\\xff\" ",
      '|');
  pb::TextFormat::Parser parser;
  Silent silent;
  parser.RecordErrorsTo(&silent);
  std::mt19937 random(2);
  size_t accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string text = random() % 2 == 0 ? "feature {" : "";
    for (size_t count = random() % 7; count > 0; --count) {
      text += kTokens[random() % kTokens.size()];
    }
    if (text.starts_with("feature {")) text += "}";
    const auto message = files_.NewSchema();
    const bool theirs = parser.ParseFromString(text, message.get());
    const auto ours = Schema::FromText(text);
    ASSERT_EQ(ours.ok(), theirs) << text;
    if (!theirs) continue;
    ++accepted;
    EXPECT_EQ(*Schema::FromBinary(*Rewritten(*message)), *ours) << text;
  }
  EXPECT_GT(accepted, 1000u);
}

}  // namespace
}  // namespace headrace::testing
