// Matrix and jagged groups are compared with what this makes of their members,
// each of which the library decodes as a plain feature of a spec without
// groups. Functions, casts and the order of values are written anew, from
// docs/semantics.md (B) alone, one value after another.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_GROUPS_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_GROUPS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "tests/naive/naive_tensors.h"

namespace headrace::testing {

// The bits of a value of any type; or any NaN.
struct NaiveBits {
  uint64_t bits = 0;
  bool any_nan = false;
};

struct NaiveGroup {
  std::string name = {};
  DType dtype = DType::kInt64;
  bool is_jagged = false;
  std::vector<int64_t> shape = {};
  std::vector<NaiveBits> values = {};
  std::vector<std::string> keys = {};
  std::vector<int64_t> lengths = {};
  bool int64_lengths = false;
  std::optional<std::vector<uint32_t>> weights = {};  // bits
};

// What is wrong with a record: any of these classes may be reported.
struct NaiveFault {
  std::set<ErrorCode> codes = {};
  // The members of which an error of the first of these classes may speak; with
  // `any_feature` also features without a group.
  std::set<std::string> members = {};
  bool any_feature = false;
  // Whether a feature outside the plan is malformed (E4): nothing is then said
  // Whether a feature outside the plan may be malformed (E4): the record is
  // then called malformed, or nothing is said about the features at fault.
  bool is_bare = false;

  bool ok() const { return codes.empty(); }
};

struct NaiveGroups {
  std::vector<NaiveFault> rows;    // one per record
  std::vector<NaiveGroup> groups;  // of the good records
  NaiveTensors others;             // tensors that are no groups
};

// Whether functions, defaults and ids suit the types of the groups (B3, B4,
// B10). Other rules are not looked at.
bool NaiveGroupsFit(const FeatureSpec& spec);

class NaiveGrouper {
 public:
  // The spec must be one that Plan::Compile takes.
  explicit NaiveGrouper(const FeatureSpec& spec);
  ~NaiveGrouper();

  NaiveGroups Decode(std::span<const std::string_view> records) const;

 private:
  class Plain;
  class Member;
  struct Group {
    NamedFeature feature;
    std::vector<std::unique_ptr<Member>> members;
  };

  std::vector<Group> groups_;
  FeatureSpec others_;
};

// Says what differs; empty when nothing does. The first compares the batch of
// the good records, the second the error of record `i`.
std::string Difference(const NaiveGroups& expected, const Batch& actual);
std::string Difference(const NaiveGroups& expected, size_t i,
                       const Status& actual);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_GROUPS_H_
