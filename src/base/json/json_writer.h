// JsonWriter writes JSON from beginning to end: brackets, keys, values and
// separators. A form defines the separators, and how strings and numbers look;
// docs/design/base.md lists the forms.

#ifndef HEADRACE_SRC_BASE_JSON_JSON_WRITER_H_
#define HEADRACE_SRC_BASE_JSON_JSON_WRITER_H_

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/json/json_text.h"

namespace headrace {

// The form of nearly all JSON: nothing is rounded, and there are no blanks.
// Other forms derive from it.
struct CompactJson {
  static constexpr std::string_view kComma = ",";
  static constexpr std::string_view kColon = ":";

  static void AppendText(std::string_view text, std::string* out) {
    AppendJsonString(text, out);
  }
  static void AppendNumber(float number, std::string* out) {
    AppendJsonFloat(number, out);
  }
  static void AppendNumber(double number, std::string* out) {
    AppendJsonDouble(number, out);
  }
  template <std::integral T>
  static void AppendNumber(T number, std::string* out) {
    out->append(std::to_string(number));
  }
};

// In an object, call Key before each value.
template <class Form>
class BasicJsonWriter {
 public:
  explicit BasicJsonWriter(std::string* out) : out_(out) {}

  void Open(char bracket) {
    Separate();
    *out_ += bracket;
    is_first_ = true;
  }
  void Close(char bracket) {
    *out_ += bracket;
    is_first_ = false;
  }
  void Key(std::string_view key) {
    Value(key);
    *out_ += Form::kColon;
    is_first_ = true;
  }

  // Writes JSON unchanged.
  void Raw(std::string_view json) {
    Separate();
    *out_ += json;
  }
  void Null() { Raw("null"); }
  void Value(bool flag) { Raw(flag ? "true" : "false"); }
  void Value(std::string_view text) {
    Separate();
    Form::AppendText(text, out_);
  }
  void Value(const std::string& text) { Value(std::string_view(text)); }
  void Value(const char* text) { Value(std::string_view(text)); }
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  void Value(T number) {
    Separate();
    Form::AppendNumber(number, out_);
  }
  // Writes UTF-8 as a text, other bytes as {"b64":"..."}.
  void Bytes(std::string_view bytes) {
    Separate();
    AppendJsonBytes(bytes, out_);
  }
  template <class T>
  void Value(const std::optional<T>& value) {
    if (!value) return Null();
    Value(*value);
  }
  template <class T>
  void Value(const std::vector<T>& values) {
    List(values, [this](const T& value) { Value(value); });
  }

  // `write` writes one item.
  template <class Items, class Write>
  void List(const Items& items, Write write) {
    Open('[');
    for (const auto& item : items) write(item);
    Close(']');
  }
  // `write` writes the members.
  template <class Write>
  void Object(Write write) {
    Open('{');
    write();
    Close('}');
  }
  // Writes a list of values that may differ in type.
  template <class... Values>
  void Tuple(const Values&... values) {
    Open('[');
    (Value(values), ...);
    Close(']');
  }

  // The Add functions write a member of an object: its key and its value.
  template <class T>
  void Add(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }
  void AddRaw(std::string_view key, std::string_view json) {
    Key(key);
    Raw(json);
  }
  void AddNull(std::string_view key) { AddRaw(key, "null"); }
  void AddBytes(std::string_view key, std::string_view bytes) {
    Key(key);
    Bytes(bytes);
  }
  template <class Items, class Write>
  void AddList(std::string_view key, const Items& items, Write write) {
    Key(key);
    List(items, std::move(write));
  }
  template <class Write>
  void AddObject(std::string_view key, Write write) {
    Key(key);
    Object(std::move(write));
  }

 private:
  void Separate() {
    if (!is_first_) *out_ += Form::kComma;
    is_first_ = false;
  }

  std::string* const out_;
  bool is_first_ = true;
};

using JsonWriter = BasicJsonWriter<CompactJson>;

// Returns an object with the members that `write(json)` writes.
template <class Write>
std::string JsonObject(Write write) {
  std::string text;
  JsonWriter json(&text);
  json.Object([&] { write(json); });
  return text;
}

// Returns a list; `write(json, item)` writes each item.
template <class Items, class Write>
std::string JsonList(const Items& items, Write write) {
  std::string text;
  JsonWriter json(&text);
  json.List(items, [&](const auto& item) { write(json, item); });
  return text;
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_JSON_JSON_WRITER_H_
