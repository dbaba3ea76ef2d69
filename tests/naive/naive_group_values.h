// Functions of values and casts to the type of a group, one value at a time.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_GROUP_VALUES_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_GROUP_VALUES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/types.h"
#include "tests/naive/naive_groups.h"

namespace headrace::testing {

// A value of a record, or of a function.
using NaiveValue = std::variant<int64_t, float, std::string>;

// Rule B4. Empty where the row would be kWrongKind.
std::optional<NaiveBits> NaiveCast(const NaiveValue& value, DType to,
                                   bool exact);

// The functions of a member, and the cast behind them.
class NaiveChain {
 public:
  NaiveChain(const FeatureConfig& group, const FeatureConfig& member);

  // Whether the functions suit one another and the type of the group, and
  // whether the default does.
  bool Fits() const;
  // Empty where the row is kWrongKind, or where a default does not fit. Floats
  // that functions make of values of records may become infinite.
  std::optional<NaiveBits> Apply(NaiveValue value,
                                 bool is_default = false) const;

 private:
  enum class Type { kBytes, kInt64, kFloat, kId };
  struct Range {
    int64_t lo = INT64_MIN;
    int64_t hi = INT64_MAX;
    bool is_known = false;
  };
  // What a function makes of the type and range; false where it does not take
  // the type.
  static bool Step(const ValueFunction& function, Type* type, Range* range);
  static int64_t NumWords(const Vocabulary& vocabulary);

  FeatureConfig group_;
  FeatureConfig member_;
  // Of each function that is a vocabulary.
  std::vector<std::map<std::string, int64_t>> words_;
};

// The keys of a vocabulary: bytes, or int64 as decimal text.
std::map<std::string, int64_t> NaiveKeys(const Vocabulary& vocabulary,
                                         DType dtype);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_GROUP_VALUES_H_
