
#ifndef HEADRACE_SRC_PLAN_SPEC_FEATURE_READER_H_
#define HEADRACE_SRC_PLAN_SPEC_FEATURE_READER_H_

#include <cstdint>
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
  // Errors say `place`, like "features[2]", until the name is known; then
  // `what` and the name.
  FeatureReader(std::string place, std::string_view what)
      : place_(std::move(place)), what_(what) {}

  Status Read(const JsonValue& value);
  // Reading must have succeeded.
  NamedFeature& feature() { return feature_; }

 private:
  Status Fail(const std::string& what) const {
    return Status(ErrorInfo{.code = ErrorCode::kBadSpec,
                            .message = place_ + ": " + what,
                            .feature = feature_.name});
  }
  // What stands at `where` cannot stand there.
  Status Refuse(std::string_view where, const JsonValue& value,
                std::string_view wanted) const {
    return Fail(std::string(where) + " is " + Describe(value) + "; " +
                std::string(wanted));
  }

  Status ReadHead(const JsonValue::Object& fields);
  Status ReadLayout(const JsonValue& value);
  Status CheckFields(const JsonValue::Object& fields, bool has_kind) const;
  Status ReadField(std::string_view name, const JsonValue& value);
  Status ReadArrayField(std::string_view name, const JsonValue& value);
  Status ReadEncoding(std::string_view where, const JsonValue& value);

  Status ReadBool(std::string_view where, const JsonValue& value,
                  bool* answer) const;
  Status ReadInt(std::string_view where, const JsonValue& value,
                 int64_t* number) const;
  Status ReadFloat(std::string_view where, const JsonValue& value,
                   float* number) const;
  Status ReadBytes(std::string_view where, const JsonValue& value,
                   std::string* bytes) const;
  Status ReadString(std::string_view where, const JsonValue& value,
                    std::string* text) const;
  Status ReadPartition(std::string_view where, const JsonValue& value,
                       Partition* partition) const;
  Status ReadDType(std::string_view where, const JsonValue& value,
                   std::span<const DType> allowed, DType* dtype) const;
  // A single value is a list of one, as TensorFlow takes them.
  template <class T>
  Status ReadList(std::string_view where, const JsonValue& value,
                  Status (FeatureReader::*read)(std::string_view,
                                                const JsonValue&, T*) const,
                  std::vector<T>* list) const;
  Status ReadDefault(std::string_view where, const JsonValue& value);

  std::string place_;
  std::string_view what_;
  NamedFeature feature_;
};

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_PLAN_SPEC_FEATURE_READER_H_
