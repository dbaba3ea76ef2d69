// Protobuf messages: new Examples and SequenceExamples, and changes of any
// message that keep most lengths right.

#ifndef HEADRACE_FUZZING_MESSAGES_H_
#define HEADRACE_FUZZING_MESSAGES_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/fuzzing/random.h"

namespace headrace::fuzzing {

// Returns the shortest form of a varint, or a form of at least `size` bytes,
// padded with zero bits.
inline std::string Varint(uint64_t value, size_t size = 0) {
  std::string bytes;
  do {
    bytes += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  } while (value != 0 || bytes.size() < size);
  bytes.back() = static_cast<char>(bytes.back() & 0x7f);
  return bytes;
}

inline std::string LenField(uint32_t field, std::string_view payload) {
  return Varint(uint64_t{field} << 3 | 2) + Varint(payload.size()) +
         std::string(payload);
}

// Makes messages that readers accept, with variations as different writers
// produce them.
class MessageMaker {
 public:
  explicit MessageMaker(Choice* choice) : choice_(*choice) {}

  std::string Example() { return LenField(1, Features()); }
  std::string SequenceExample() {
    std::string lists;
    for (size_t i = choice_.Below(4); i > 0; --i) {
      std::string steps;
      const size_t kind = choice_.Below(3);
      for (size_t step = choice_.Below(6); step > 0; --step) {
        steps += LenField(1, Feature(kind));
      }
      lists += LenField(1, LenField(1, Key()) + LenField(2, steps));
    }
    return LenField(1, Features()) + LenField(2, lists);
  }
  std::string Entry() {
    return LenField(
        1, LenField(1, Key()) + LenField(2, Feature(choice_.Below(3))));
  }

 private:
  std::string Key() {
    static constexpr std::string_view kKeys[] = {"age",    "name",  "ids",
                                                 "weight", "label", ""};
    return std::string(kKeys[choice_.Below(std::size(kKeys))]);
  }
  std::string Features() {
    std::string entries;
    for (size_t i = choice_.Below(6); i > 0; --i) entries += Entry();
    return entries;
  }
  // Kinds are those of the oneof in Feature: bytes, float, int64.
  std::string Feature(size_t kind) {
    const bool packed = !choice_.OneIn(3);
    std::string values;
    std::string packed_values;
    for (size_t i = choice_.Below(10); i > 0; --i) {
      if (kind == 0) {
        values += LenField(1, choice_.Bytes(choice_.Below(12)));
        continue;
      }
      const std::string value =
          kind == 1 ? choice_.Bytes(4) : Varint(choice_.Integer());
      packed_values += value;
      values += Varint(kind == 1 ? 1 << 3 | 5 : 1 << 3) + value;
    }
    if (kind != 0 && packed) values = LenField(1, packed_values);
    return LenField(static_cast<uint32_t>(kind + 1), values);
  }

  Choice& choice_;
};

// Splits a message into its fields, changes the tree, and writes it again.
class MessageMutator {
 public:
  explicit MessageMutator(Choice* choice) : choice_(*choice) {}

  // Returns the message with one to four changes.
  std::string Mutate(std::string_view message) {
    Fields fields;
    if (!Split(message, 0, &fields)) {
      fields = {Field{.payload = std::string(message)}};
    }
    for (size_t i = 1 + choice_.Below(4); i > 0; --i) Change(Descend(&fields));
    std::string bytes = Write(fields);
    if (choice_.OneIn(16) && !bytes.empty()) {
      bytes.resize(choice_.Below(bytes.size()));
    }
    return bytes;
  }

  // Returns the first message with one field of the second inserted, or both
  // messages, one after the other, if one of them cannot be split.
  std::string Cross(std::string_view first, std::string_view second) {
    Fields a;
    Fields b;
    if (!Split(first, 0, &a) || !Split(second, 0, &b) || b.empty()) {
      return std::string(first) + std::string(second);
    }
    Fields* const into = Descend(&a);
    const Fields* const from = Descend(&b);
    if (!from->empty()) {
      const Field& field = (*from)[choice_.Below(from->size())];
      into->insert(into->begin() +
                       static_cast<ptrdiff_t>(choice_.Below(into->size() + 1)),
                   field);
    }
    return Write(a);
  }

 private:
  // Bytes that are not fields make a Field with neither tag nor children, and
  // are written unchanged.
  struct Field {
    uint64_t tag = 0;
    size_t tag_size = 0;     // bytes, 0 for the shortest
    size_t length_size = 0;  // likewise
    int length_error = 0;    // added to the right length
    std::string payload = {};
    bool is_message = false;
    std::vector<Field> children = {};
  };
  using Fields = std::vector<Field>;

  static bool IsLen(uint64_t tag) { return (tag & 7) == 2; }

  static bool TakeVarint(std::string_view* bytes, uint64_t* value) {
    *value = 0;
    for (size_t i = 0; i < 10 && i < bytes->size(); ++i) {
      const auto byte = static_cast<uint8_t>((*bytes)[i]);
      *value |= uint64_t{byte & 0x7fu} << (7 * i);
      if (byte < 0x80) {
        bytes->remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  // Stores the size of the payload of a field whose tag was read. Returns false
  // for an invalid field.
  static bool TakeSize(uint64_t tag, std::string_view* bytes, uint64_t* size) {
    std::string_view rest = *bytes;
    uint64_t ignored;
    switch (tag & 7) {
      case 0:
        if (!TakeVarint(&rest, &ignored)) return false;
        *size = bytes->size() - rest.size();
        return true;
      case 1:
        *size = 8;
        return true;
      case 2:
        return TakeVarint(bytes, size);
      case 5:
        *size = 4;
        return true;
      default:
        *size = 0;
        return (tag & 7) < 5;  // a group begins or ends
    }
  }

  static bool Split(std::string_view bytes, int depth, Fields* fields) {
    while (!bytes.empty()) {
      Field field;
      uint64_t size = 0;
      if (!TakeVarint(&bytes, &field.tag) || field.tag < 8 ||
          !TakeSize(field.tag, &bytes, &size) || size > bytes.size()) {
        return false;
      }
      field.payload = bytes.substr(0, static_cast<size_t>(size));
      bytes.remove_prefix(field.payload.size());
      // A guess: text may look like fields. It is written unchanged either way.
      field.is_message = IsLen(field.tag) && depth < 5 && size > 0 &&
                         Split(field.payload, depth + 1, &field.children);
      if (!field.is_message) field.children.clear();
      fields->push_back(std::move(field));
    }
    return true;
  }

  static std::string Write(const Fields& fields) {
    std::string bytes;
    for (const Field& field : fields) {
      const std::string payload =
          field.is_message ? Write(field.children) : field.payload;
      if (field.tag != 0) bytes += Varint(field.tag, field.tag_size);
      if (IsLen(field.tag)) {
        const uint64_t length =
            payload.size() + static_cast<uint64_t>(field.length_error);
        bytes += Varint(length, field.length_size);
      }
      bytes += payload;
    }
    return bytes;
  }

  // Returns the fields of a random node of the tree.
  Fields* Descend(Fields* fields) {
    while (!fields->empty() && !choice_.OneIn(5)) {
      Field& field = (*fields)[choice_.Below(fields->size())];
      if (!field.is_message) break;
      fields = &field.children;
    }
    return fields;
  }

  void Change(Fields* fields) {
    const size_t at = choice_.Below(fields->size() + 1);
    const auto position = fields->begin() + static_cast<ptrdiff_t>(at);
    if (at == fields->size()) {
      fields->push_back(RandomField());
      return;
    }
    switch (choice_.Below(6)) {
      case 0:
        fields->erase(position);
        break;
      case 1:
        fields->insert(position, Field((*fields)[at]));
        break;
      case 2:
        std::swap((*fields)[at], (*fields)[choice_.Below(fields->size())]);
        break;
      case 3:
        fields->insert(position, RandomField());
        break;
      default:
        ChangeField(&*position);
    }
  }

  void ChangeField(Field* field) {
    switch (choice_.Below(8)) {
      case 0:  // another field
        field->tag = (field->tag & 7) | (1 + choice_.Below(4)) << 3;
        break;
      case 1:  // another wire type, the payload stays
        field->tag = (field->tag & ~uint64_t{7}) | choice_.Below(8);
        break;
      case 2:
        field->tag_size = choice_.Below(7);
        break;
      case 3:
        field->length_size = choice_.Below(7);
        break;
      case 4:
        field->length_error = static_cast<int>(choice_.Below(5)) - 2;
        break;
      case 5: {  // inside an unknown group
        const uint64_t tag = (1 + choice_.Below(16)) << 3;
        *field = Field{.payload =
                           Varint(tag | 3) + Write({*field}) + Varint(tag | 4)};
        break;
      }
      default:
        if (field->is_message && choice_.OneIn(2)) {
          field->payload = Write(field->children);
          field->is_message = false;
        }
        if (!field->is_message) ChangePayload(&field->payload);
    }
  }

  void ChangePayload(std::string* payload) {
    const size_t at = choice_.Below(payload->size() + 1);
    switch (choice_.Below(4)) {
      case 0:
        payload->resize(at);
        break;
      case 1:
        payload->insert(at, choice_.Bytes(1 + choice_.Below(3)));
        break;
      case 2:
        payload->insert(at, 1, choice_.OneIn(2) ? '\x80' : '\xff');
        break;
      default:
        if (at == payload->size()) break;
        (*payload)[at] =
            static_cast<char>((*payload)[at] ^ (1 << choice_.Below(8)));
    }
  }

  Field RandomField() {
    const auto number = static_cast<uint32_t>(1 + choice_.Below(4));
    switch (choice_.Below(6)) {
      case 0:
        return {.payload = Varint(number << 3) + Varint(choice_.Bits())};
      case 1:
        return {.payload = Varint(number << 3 | 5) + std::string(4, '\0')};
      case 2:
        return {.payload = Varint(number << 3 | 3) + Varint(number << 3 | 4)};
      case 3:
        return {.payload = choice_.Bytes(1 + choice_.Below(4))};
      case 4:
        return {.payload = MessageMaker(&choice_).Entry()};
      default:
        return {.payload = LenField(number, choice_.Bytes(choice_.Below(9)))};
    }
  }

  Choice& choice_;
};

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZING_MESSAGES_H_
