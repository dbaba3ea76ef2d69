// Fields reads an object of protobuf's JSON, in which TFDS writes metadata
// (D2): names in camelCase or snake_case, 64-bit numbers as text, and fields
// with the default value left out.

#ifndef HEADRACE_SRC_TFDS_FOLDER_FIELDS_H_
#define HEADRACE_SRC_TFDS_FOLDER_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/plan/spec/json_value.h"

namespace headrace::tfds {

// Maximum number of lists and objects inside one another.
inline constexpr size_t kDeepestJson = 512;

class Fields {
 public:
  explicit Fields(const spec::JsonValue::Object& object) : object_(&object) {}

  // `name` is in snake_case. Returns the default (null, "", false or nullopt)
  // for a field that is absent or null, and for a field of another type. The
  // latter also sets problem(), unless an earlier problem is there.
  const spec::JsonValue* Get(std::string_view name);
  const spec::JsonValue::Object* Object(std::string_view name);
  const spec::JsonValue::Array* List(std::string_view name);
  std::string Text(std::string_view name);
  bool Flag(std::string_view name);
  std::optional<int64_t> Whole(std::string_view name);
  // Reads "shape": {"dimensions": [..]} or a list; a dimension that is -1 or
  // null is unknown (F3, F5).
  std::vector<int64_t> Shape();

  const std::string& problem() const { return problem_; }
  void Complain(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
  }

 private:
  template <class T>
  const T* Typed(std::string_view name, std::string_view wanted);
  void Refuse(std::string_view name, const spec::JsonValue& value,
              std::string_view wanted);

  const spec::JsonValue::Object* object_;
  std::string problem_;
};

// Returns a value that is a whole number, or the text of one, as a number;
// nullopt for any other value.
std::optional<int64_t> ParseWhole(const spec::JsonValue& value);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_FIELDS_H_
