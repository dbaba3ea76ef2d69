// Schema::ToText.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "headrace/schema.h"
#include "src/plan/tfmd/message_table.h"
#include "src/plan/tfmd/schema_fields.h"
#include "src/plan/tfmd/text_writer.h"

namespace headrace::tfmd_forms {
namespace {

// A visitor of schema_fields.h that writes values as text: those that are set,
// true or not 0, and names even if they are empty.
class FieldWriter {
 public:
  // `type` is the type of the message whose fields the visitor writes.
  FieldWriter(const MessageTable& type, TextWriter* out)
      : type_(type), out_(out) {}

  void operator()(std::string_view name, const std::string& text) {
    Put(name, text);
  }
  template <class T>
  void operator()(std::string_view name, const T& value) {
    if (value != T()) Put(name, value);
  }
  template <class T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if (value) Put(name, *value);
  }
  template <class T>
  void operator()(std::string_view name, const std::vector<T>& list) {
    for (const T& value : list) Put(name, value);
  }
  template <class Visit>
  void Part(std::string_view name, bool is_set, Visit visit) {
    if (is_set) Message(name, visit);
  }
  template <class T, class Visit>
  void Optional(std::string_view name, const std::optional<T>& value,
                Visit visit) {
    if (!value) return;
    Message(name, [&](FieldWriter& part) { visit(part, *value); });
  }
  template <class T, class Visit>
  void Each(std::string_view name, const std::vector<T>& list, Visit visit) {
    for (const T& value : list) {
      Message(name, [&](FieldWriter& part) { visit(part, value); });
    }
  }
  template <class T>
  void Map(std::string_view name, const std::vector<T>& items) {
    for (const T& item : items) {
      Message(name, [&](FieldWriter& entry) {
        entry.Put("key", item.name);
        entry.Put("value", item);
      });
    }
  }
  template <class T, class OneOf>
  void Case(std::string_view name, const OneOf& value) {
    if (const T* const set = std::get_if<T>(&value)) Put(name, *set);
  }
  template <class T>
  void Constant(std::string_view name, const std::optional<T>& value,
                T constant) {
    if (value == constant) Message(name, [](FieldWriter&) {});
  }

 private:
  const Field& FieldOf(std::string_view name) const {
    return *type_.Find(name);
  }
  template <class Visit>
  void Message(std::string_view name, Visit visit) {
    FieldWriter part(FieldOf(name).message(), out_);
    out_->Message(name, [&] { visit(part); });
  }
  template <class T>
  void Put(std::string_view name, const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (FieldOf(name).type() == FieldType::kBytes) {
        out_->Bytes(name, value);
      } else {
        out_->String(name, value);
      }
    } else if constexpr (std::is_same_v<T, bool>) {
      out_->Word(name, value ? "true" : "false");
    } else if constexpr (std::is_enum_v<T>) {
      const EnumTable& type = FieldOf(name).enumeration();
      out_->Word(name, type.NameOf(static_cast<int64_t>(value)));
    } else if constexpr (std::is_integral_v<T>) {
      out_->Int(name, value);
    } else if constexpr (std::is_same_v<T, double>) {
      out_->Double(name, value);
    } else if constexpr (std::is_same_v<T, float>) {
      out_->Float(name, value);
    } else {
      Message(name, [&](FieldWriter& part) { VisitFields(value, part); });
    }
  }

  const MessageTable& type_;
  TextWriter* out_;
};

}  // namespace
}  // namespace headrace::tfmd_forms

namespace headrace {

std::string Schema::ToText() const {
  tfmd_forms::TextWriter out;
  tfmd_forms::FieldWriter writer(tfmd_forms::SchemaMessage(), &out);
  tfmd_forms::VisitFields(*this, writer);
  return out.Take();
}

}  // namespace headrace
