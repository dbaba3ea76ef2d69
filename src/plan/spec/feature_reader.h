
#ifndef HEADRACE_SRC_PLAN_SPEC_FEATURE_READER_H_
#define HEADRACE_SRC_PLAN_SPEC_FEATURE_READER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/feature_spec.h"
#include "src/plan/spec/json_value.h"

namespace headrace::spec {

// Reads one object of "features" or "sequence_features". Errors are kBadSpec
// and name the feature and the field.
class FeatureReader {
 public:
  // Errors begin with `place`, like "features[2]", until the name is known;
  // then with `what` and the name.
  FeatureReader(std::string place, std::string_view what)
      : place_(std::move(place)), what_(what) {}

  Status Read(const JsonValue& value);
  // Reading must have succeeded.
  NamedFeature& feature() { return feature_; }

 private:
  // Keeps the first problem; values read after it mean nothing.
  void Fail(const std::string& what);
  // Fails because the value at `where` is not what is wanted.
  void Refuse(std::string_view where, const JsonValue& value,
              std::string_view wanted);

  void ReadHead(const JsonValue::Object& fields);
  void ReadLayout(const JsonValue& value);
  void CheckFields(const JsonValue::Object& fields, bool has_kind);
  void ReadField(std::string_view name, const JsonValue& value);
  void ReadDefault(std::string_view where, const JsonValue& value);

  void Take(std::string_view where, const JsonValue& value, bool* answer);
  void Take(std::string_view where, const JsonValue& value, int64_t* number);
  void Take(std::string_view where, const JsonValue& value, float* number);
  void Take(std::string_view where, const JsonValue& value, std::string* text);
  void Take(std::string_view where, const JsonValue& value,
            Partition* partition);
  void TakeBytes(std::string_view where, const JsonValue& value,
                 std::string* bytes);
  template <class T>
  void Take(std::string_view where, const JsonValue& value,
            std::optional<T>* out) {
    Take(where, value, &out->emplace());
  }
  template <class T>
  void Take(std::string_view where, const JsonValue& value,
            std::vector<T>* list) {
    TakeList(where, value, list,
             [this](std::string_view at, const JsonValue& item, T* out) {
               Take(at, item, out);
             });
  }
  // Accepts a single value as a list of one, as TensorFlow does.
  template <class T, class TakeItem>
  void TakeList(std::string_view where, const JsonValue& value,
                std::vector<T>* list, TakeItem take);
  // Reads one of `known`; `whose` names them in the message.
  template <class Enum>
  void TakeNamed(std::string_view where, const JsonValue& value,
                 std::string_view whose, std::span<const Enum> known,
                 std::string_view (*name_of)(Enum), Enum* out);
  void TakeDType(std::string_view where, const JsonValue& value,
                 std::span<const DType> known, DType* dtype);

  std::string place_;
  std::string_view what_;
  NamedFeature feature_;
  Status problem_;
};

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_PLAN_SPEC_FEATURE_READER_H_
