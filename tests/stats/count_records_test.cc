// CountRecords says what records are, and what it leaves out.

#include <string>
#include <vector>

#include "headrace/notice.h"
#include "headrace/reader.h"
#include "headrace/stats.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

std::vector<std::string> NoticesOf(const std::vector<std::string>& records,
                                   CountOptions options) {
  const TemporaryFile file(RecordFile(records));
  std::vector<std::string> texts;
  for (const size_t threads : {1u, 3u}) {
    Reader reader = OrThrow(Reader::Open(
        {file.path()}, {.message = MessageType::kRaw, .batch_size = 7}));
    std::vector<Notice> notices;
    options.threads = threads;
    options.notices = &notices;
    EXPECT_THAT(CountRecords(&reader, options), IsOk());
    texts.clear();
    for (const Notice& notice : notices) texts.push_back(NoticeText(notice));
  }
  return texts;
}

TEST(CountRecordsTest, SaysThatRecordsHoldAnotherMessage) {
  const std::vector<std::string> events(
      300, Fixed64Field(1, 7) + LenField(3, "brain.Event:2"));
  EXPECT_THAT(NoticesOf(events, {}),
              ElementsAre(StartsWith("none of the first 100 records has a "
                                     "feature, though they have 2,400 bytes")));
  EXPECT_THAT(NoticesOf(events, {.sample = 3}),
              ElementsAre(StartsWith("none of the first 3 records has")));
  EXPECT_THAT(NoticesOf({"", ExampleOf("")}, {}), IsEmpty());
}

TEST(CountRecordsTest, CountsFeatureListsThatItLeavesOut) {
  const std::string example = ExampleBuilder().Int64s("a", {1}).Build();
  const std::string lists =
      example + FeatureListsField(EntryField("", FeatureListOf({""})));
  std::vector<std::string> records(100, example);
  records.resize(130, lists);
  EXPECT_THAT(NoticesOf(records, {}),
              ElementsAre(StartsWith("left out the feature lists of 30")));
  EXPECT_THAT(NoticesOf({lists, lists}, {}), IsEmpty());
  EXPECT_THAT(
      NoticesOf({lists, lists}, {.stats = {.message = MessageType::kExample}}),
      ElementsAre(StartsWith("left out the feature lists of 2")));
}

}  // namespace
}  // namespace headrace::testing
