// JsonWriter writes JSON from its beginning to its end.

#ifndef HEADRACE_SRC_PLAN_SPEC_JSON_WRITER_H_
#define HEADRACE_SRC_PLAN_SPEC_JSON_WRITER_H_

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/json_text.h"

namespace headrace::spec {

// Members of an object, or items of a list, with commas between them.
class JsonWriter {
 public:
  explicit JsonWriter(std::string* out) : out_(out) {}

  void Open(char bracket) {
    *out_ += bracket;
    is_first_ = true;
  }
  void Close(char bracket) {
    *out_ += bracket;
    is_first_ = false;
  }
  // What is written next is an item.
  void Item() {
    if (!is_first_) *out_ += ',';
    is_first_ = false;
  }
  void Key(std::string_view key) {
    Item();
    AppendJsonString(key, out_);
    *out_ += ':';
  }
  void Text(std::string_view key, std::string_view text) {
    Key(key);
    AppendJsonString(text, out_);
  }
  void TextOrNull(std::string_view key, std::string_view text) {
    if (!text.empty()) return Text(key, text);
    Null(key);
  }
  void Raw(std::string_view key, std::string_view json) {
    Key(key);
    *out_ += json;
  }
  void Null(std::string_view key) { Raw(key, "null"); }
  template <std::integral Integer>
  void Number(std::string_view key, Integer number) {
    Raw(key, std::to_string(number));
  }
  void Flag(std::string_view key, bool flag) {
    Raw(key, flag ? "true" : "false");
  }
  template <class Number>
  void Numbers(std::string_view key, const std::vector<Number>& numbers) {
    Key(key);
    Open('[');
    for (const Number number : numbers) {
      Item();
      *out_ += std::to_string(number);
    }
    Close(']');
  }
  void Texts(std::string_view key, const std::vector<std::string>& texts) {
    Key(key);
    List(texts);
  }
  void List(const std::vector<std::string>& texts) {
    Open('[');
    for (const std::string& text : texts) {
      Item();
      AppendJsonString(text, out_);
    }
    Close(']');
  }

 private:
  std::string* out_;
  bool is_first_ = true;
};

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_PLAN_SPEC_JSON_WRITER_H_
