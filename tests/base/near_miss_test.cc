#include "src/base/text/near_miss.h"

#include <string_view>
#include <vector>

#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

TEST(NearMissTest, NearestFirst) {
  const std::vector<std::string_view> names = {"rating", "Ratings", "tags",
                                               "raitngs", "movie_ratings"};
  EXPECT_THAT(NearMisses("ratings", names, 9),
              ElementsAre("Ratings", "raitngs", "rating"));
  EXPECT_THAT(NearMisses("ratings", names, 1), ElementsAre("Ratings"));
  EXPECT_THAT(NearMisses("completely", names, 9), IsEmpty());
  EXPECT_THAT(NearMisses("", names, 9), IsEmpty());
}

TEST(NearMissTest, LongNamesAndManyOfThem) {
  const std::string long_name(100000, 'a');
  const std::vector<std::string_view> names(100000, long_name);
  EXPECT_EQ(NearMisses(long_name, names, 2).size(), 2u);
}

}  // namespace
}  // namespace headrace::testing
