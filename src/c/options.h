// Options are the members of a JSON object, by the names that Python has.

#ifndef HEADRACE_SRC_C_OPTIONS_H_
#define HEADRACE_SRC_C_OPTIONS_H_

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/plan/spec/json_value.h"

namespace headrace::c {

// Each option is taken once. One that is absent or null leaves `out` as it is.
// The first problem is kept for Finish.
class Options {
 public:
  explicit Options(spec::JsonValue::Object members)
      : members_(std::move(members)) {}
  // `json` may be null. kInvalidArgument if it is not an object.
  static Result<Options> Parse(const char* json);

  // Null where the option is absent or null.
  const spec::JsonValue* Get(std::string_view name);

  void Take(std::string_view name, bool* out);
  void Take(std::string_view name, std::string* out);
  void Take(std::string_view name, std::vector<std::string>* out);
  template <std::unsigned_integral T>
  void Take(std::string_view name, T* out, T least = 0) {
    if (const auto whole =
            TakeWhole(name, least, std::numeric_limits<T>::max())) {
      *out = static_cast<T>(*whole);
    }
  }
  template <class Enum>
  void TakeName(std::string_view name, Enum* out) {
    std::string given;
    Take(name, &given);
    if (given.empty()) return;
    if (const auto value = ParseName<Enum>(given)) {
      *out = *value;
      return;
    }
    std::vector<std::string_view> names;
    for (const auto& known : EnumNames<Enum>()) names.push_back(known.name);
    RefuseName(name, given, names);
  }

  // Keeps the problem that an option `is` what it may not be: the message says
  // `"threads" is true; it takes a whole number`.
  void Refuse(std::string_view name, const spec::JsonValue& value,
              std::string_view takes);
  void Complain(const Status& problem);
  const Status& problem() const { return problem_; }

  // The first problem, or that there is an option that nobody took.
  Status Finish() const;

 private:
  std::optional<uint64_t> TakeWhole(std::string_view name, uint64_t least,
                                    uint64_t most);
  void RefuseName(std::string_view name, const std::string& given,
                  std::vector<std::string_view> names);

  spec::JsonValue::Object members_;
  std::vector<std::string_view> taken_;  // literals
  Status problem_;
};

// A whole number of 64 bits; empty for anything else.
std::optional<uint64_t> WholeFrom(const spec::JsonValue& value);

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_OPTIONS_H_
