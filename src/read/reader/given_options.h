// GivenOptions: options that a user gave by name, as JSON from C, as a dict
// from Python, or as strings from the command line. All three get the same
// checks and the same error messages.

#ifndef HEADRACE_SRC_READ_READER_GIVEN_OPTIONS_H_
#define HEADRACE_SRC_READ_READER_GIVEN_OPTIONS_H_

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/plan/spec/json_value.h"
#include "src/read/reader/option_table.h"

namespace headrace {

// Call Take for each known option, then Finish. Take leaves `out` unchanged if
// the option is absent or null. Finish reports the first problem.
class GivenOptions {
 public:
  explicit GivenOptions(spec::JsonValue::Object members)
      : members_(std::move(members)) {}
  // `json` may be null. kInvalidArgument if it is not an object.
  static Result<GivenOptions> Parse(const char* json);

  // Returns null if the option is absent or null.
  const spec::JsonValue* Get(std::string_view name);

  void Take(std::string_view name, bool* out);
  void Take(std::string_view name, std::string* out);
  void Take(std::string_view name, std::vector<std::string>* out);
  // Takes [index, count] or a list of such pairs. Each pair divides the shard
  // that the pairs before it selected.
  void Take(std::string_view name, std::vector<Shard>* out);
  // Takes [begin, end] or [begin, null].
  void Take(std::string_view name, ByteRange* out);
  // Takes a list that has, for each path, [begin, end] or [begin, end, number
  // of records in the file].
  void Take(std::string_view name, std::vector<RecordRange>* out);
  void Take(std::string_view name, IndexChoice out);
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) void Take(std::string_view name, T* out,
                                             WholeRange range = {}) {
    range.most = std::min<uint64_t>(range.most, std::numeric_limits<T>::max());
    if (const auto whole = TakeWhole(name, range)) {
      *out = static_cast<T>(*whole);
    }
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void Take(std::string_view name, Enum* out) {
    std::vector<std::string_view> names;
    for (const auto& known : EnumNames<Enum>()) names.push_back(known.name);
    const std::string given = TakeName(name, names);
    if (const auto value = ParseName<Enum>(given)) *out = *value;
  }

  // Takes all options of kOptionTable that are members of `options`, a struct
  // such as ReadOptions. Skips options that name takers, but none of `takers`.
  template <class Options>
  void TakeAll(Options* options, uint32_t takers = ~uint32_t{0}) {
    VisitOptions(options, [&](const OptionRow& row, auto out) {
      if (row.takers != 0 && (row.takers & takers) == 0) return;
      if constexpr (requires { Take(row.name, out, row.range); }) {
        Take(row.name, out, row.range);
      } else {
        Take(row.name, out);
      }
    });
  }

  // Records the problem that the option does not take this value. The message
  // says `"threads" is true; it takes a whole number`.
  void Refuse(std::string_view name, const spec::JsonValue& value,
              std::string_view takes, bool is_wrong_type = false);
  // Records a problem, unless an earlier one is there.
  void Complain(const Status& problem);
  const Status& problem() const { return problem_; }
  // Whether the problem is a value of the wrong type, such as a string instead
  // of a number.
  bool is_wrong_type() const { return is_wrong_type_; }

  // Returns an error if there is an option that was never taken, otherwise the
  // first problem.
  Status Finish() const;

 private:
  std::optional<uint64_t> TakeWhole(std::string_view name,
                                    const WholeRange& range);
  std::string TakeName(std::string_view name,
                       const std::vector<std::string_view>& names);

  spec::JsonValue::Object members_;
  std::vector<std::string_view> taken_;  // string literals
  Status problem_;
  bool is_wrong_type_ = false;
};

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_READER_GIVEN_OPTIONS_H_
