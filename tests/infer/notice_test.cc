// What notices say.

#include "headrace/notice.h"

#include <string>
#include <vector>

#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

TEST(AbsentTextTest, SaysInOneSentenceWhatSeveralLack) {
  std::vector<Notice> absent;
  const auto add = [&](const std::string& name, bool in_sequence,
                       bool has_default) {
    absent.push_back({.kind = NoticeKind::kAbsent,
                      .message = MessageType::kSequence,
                      .feature = name,
                      .in_sequence = in_sequence,
                      .has_default = has_default});
  };
  add("a", false, true);
  EXPECT_EQ(AbsentText(absent), NoticeText(absent[0]));
  EXPECT_EQ(
      AbsentText(absent, /*of_part=*/true),
      "no record of this part has feature \"a\": all rows have its default");
  add("s", true, false);
  add("b", false, true);
  EXPECT_EQ(AbsentText(absent),
            "no record has these features, so that all rows have their "
            "defaults: \"a\", \"b\"; no record has the feature list \"s\"");
  absent.clear();
  for (const char name : std::string("abcdefghijkl")) {
    add(std::string(1, name), name == 'c', false);
  }
  EXPECT_EQ(
      AbsentText(absent),
      "no record has these features: \"a\", \"b\", the feature list "
      "\"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"j\", 12 in all");
}

}  // namespace
}  // namespace headrace::testing
