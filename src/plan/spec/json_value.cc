#include "src/plan/spec/json_value.h"

#include <cstddef>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "src/base/text/quote.h"

namespace headrace::spec {
namespace {

using Json = nlohmann::json;

// The maximum size in bytes of the parser's text, or of a number, in a message.
constexpr size_t kLongestText = 200;

std::string Shortened(std::string_view text) {
  return text.size() <= kLongestText
             ? std::string(text)
             : std::string(text.substr(0, kLongestText)) + "...";
}

// Notes how far the parser has read, which its events do not report.
class TextIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TextIterator(const char* at, const char** reached)
      : at_(at), reached_(reached) {}

  reference operator*() const { return *at_; }
  TextIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const TextIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// Builds the tree from SAX events, since nlohmann's own tree keeps the last of
// two equal keys and turns numbers into doubles.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(std::string_view text, size_t deepest)
      : text_(text), deepest_(deepest), reached_(text.data()) {}

  bool Parse() {
    // The parser treats a NUL as the end of the text.
    if (const size_t nul = text_.find('\0'); nul != std::string_view::npos) {
      return Fail(nul, "a NUL, which JSON does not allow");
    }
    return Json::sax_parse(TextIterator(text_.data(), &reached_),
                           TextIterator(text_.data() + text_.size(), &reached_),
                           this);
  }

  // Parsing must have succeeded.
  JsonValue& root() { return root_; }
  // Parsing must have failed.
  const std::string& error() const { return error_; }

  bool null() override { return Add({JsonNull()}); }
  bool boolean(bool value) override { return Add({value}); }
  bool number_integer(number_integer_t value) override {
    return Add({JsonNumber{value, std::to_string(value)}});
  }
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t, const string_t& text) override {
    return Add({JsonNumber{std::nullopt, text}});
  }
  bool string(string_t& value) override { return Add({std::move(value)}); }
  bool binary(binary_t&) override { return false; }  // not covered: not in JSON
  bool start_object(size_t) override { return Open({JsonValue::Object()}); }
  bool key(string_t& key) override;
  bool end_object() override { return Close(); }
  bool start_array(size_t) override { return Open({JsonValue::Array()}); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override;

 private:
  // A list or object whose end has not been read.
  struct Container {
    JsonValue value = {};
    std::string key = {};  // key of the member whose value is next
    std::set<std::string> keys = {};
  };

  // Sets the error, which is at byte `index`.
  bool Fail(size_t index, const std::string& what);
  // Sets the error, which is at the byte that was read last.
  bool FailHere(const std::string& what) {
    return Fail(static_cast<size_t>(reached_ - text_.data()) - 1, what);
  }
  bool Add(JsonValue value);
  bool Open(JsonValue container);
  bool Close();

  std::string_view text_;
  size_t deepest_;
  const char* reached_;
  std::vector<Container> open_;
  JsonValue root_;
  std::string error_;
};

bool TreeBuilder::Fail(size_t index, const std::string& what) {
  error_ = LineAndColumn(text_, index) + ": " + what;
  return false;
}

bool TreeBuilder::Add(JsonValue value) {
  if (open_.empty()) {
    root_ = std::move(value);
    return true;
  }
  Container& parent = open_.back();
  if (auto* array = std::get_if<JsonValue::Array>(&parent.value.value)) {
    array->push_back(std::move(value));
  } else {
    std::get_if<JsonValue::Object>(&parent.value.value)
        ->push_back({std::move(parent.key), std::move(value)});
  }
  return true;
}

bool TreeBuilder::Open(JsonValue container) {
  if (open_.size() == deepest_) {
    return FailHere("more than " + std::to_string(deepest_) +
                    " lists and objects inside one another");
  }
  open_.push_back({.value = std::move(container)});
  return true;
}

bool TreeBuilder::Close() {
  JsonValue value = std::move(open_.back().value);
  open_.pop_back();
  return Add(std::move(value));
}

bool TreeBuilder::number_unsigned(number_unsigned_t value) {
  JsonNumber number = {std::nullopt, std::to_string(value)};
  if (value <= uint64_t{std::numeric_limits<int64_t>::max()}) {
    number.whole = static_cast<int64_t>(value);
  }
  return Add({std::move(number)});
}

bool TreeBuilder::key(string_t& key) {
  Container& object = open_.back();
  if (!object.keys.insert(key).second) {
    return FailHere("the key " + Quote(key) + " occurs twice");
  }
  object.key = std::move(key);
  return true;
}

bool TreeBuilder::parse_error(size_t position, const std::string&,
                              const nlohmann::detail::exception& error) {
  // The parser says "[json.exception.parse_error.101] parse error at line 1,
  // column 8: syntax error while ...; last read: '...'". Only the cause is
  // kept: Fail adds the place, and what was read last may be anything.
  const size_t last = position == 0 ? 0 : position - 1;
  constexpr int kNumberOverflow = 406;
  if (error.id == kNumberOverflow) return Fail(last, "the number is too large");
  std::string_view what = error.what();
  if (const size_t at = what.find(": "); at != std::string_view::npos) {
    what.remove_prefix(at + 2);
  }
  what = what.substr(0, what.find("; last read: "));
  return Fail(last, Shortened(what));
}

}  // namespace

const JsonValue* Find(const JsonValue::Object& object, std::string_view key) {
  for (const JsonMember& member : object) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string Describe(const JsonValue& value) {
  if (const auto* boolean = value.As<bool>()) {
    return *boolean ? "true" : "false";
  }
  if (const auto* number = value.As<JsonNumber>()) {
    return Shortened(number->text);
  }
  if (const auto* text = value.As<std::string>()) return Quote(*text);
  if (value.As<JsonValue::Array>()) return "a list";
  return value.As<JsonNull>() ? "null" : "an object";
}

Result<JsonValue> ParseJson(std::string_view text, size_t deepest) {
  TreeBuilder builder(text, deepest);
  if (!builder.Parse()) return Status(ErrorCode::kBadSpec, builder.error());
  return std::move(builder.root());
}

}  // namespace headrace::spec
