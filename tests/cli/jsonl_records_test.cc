// JSON lines read as records: columns, and the lines that errors name.

#include "src/cli/convert/jsonl_records.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "src/cli/convert/batch_source.h"
#include "src/cli/convert/convert.h"

namespace headrace::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JsonlRecordsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "headrace_jsonl_records_test/";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void AddFile(const std::string& name, std::string_view text) {
    std::ofstream(folder_ + name, std::ios::binary) << text;
    options_.patterns.push_back(folder_ + name);
  }

  // Reads all rows; those that were skipped are in skipped_, with their lines.
  Status Read(ReadOptions read) {
    auto records = JsonlRecords::Open(options_, Console(/*quiet=*/true));
    if (!records) return records.status();
    read.message = (*records)->message();
    read.compression = Compression::kNone;
    read.on_row_error = options_.on_row_error;
    read.open_input = JsonlRecords::Opener(*records);
    rows_ = 0;
    skipped_.clear();
    Result<Reader> reader = Reader::Open({"lines"}, read);
    if (!reader) return (*records)->WithLine(reader.status());
    num_columns_ = reader->columns().size();
    auto batch = reader->Next();
    for (; batch; batch = reader->Next()) rows_ += batch->num_rows();
    ReadReport report = reader->report();
    for (Status& row : report.rows) row = (*records)->WithLine(row);
    (*records)->AddSkipped(&report);
    for (const Status& row : report.rows) skipped_.push_back(Text(row));
    return batch.ok() ? Status() : (*records)->WithLine(batch.status());
  }

  // Without the folder.
  std::string Text(const Status& status) const {
    std::string text = status.ToString();
    const size_t at = text.find(folder_);
    return at == std::string::npos ? text : text.erase(at, folder_.size());
  }

  std::string folder_;
  InputOptions options_;
  uint64_t rows_ = 0;
  size_t num_columns_ = 0;
  std::vector<std::string> skipped_;
};

TEST_F(JsonlRecordsTest, ErrorsNameFileAndLine) {
  AddFile("a", "\xef\xbb\xbf{\"a\":[1]}\r\n\n  \n{\"a\":[0.5]}\nbad\n\n");
  AddFile("b", "");
  AddFile("c", "\n{\"a\":[2]}\n{\"a\":[]}\n{\"a\":[3],\"b\":[1]}");
  EXPECT_THAT(Text(Read({})),
              HasSubstr("a: wrong_kind: line 4: feature \"a\""));
  options_.on_row_error = OnRowError::kSkip;
  for (const size_t threads : {size_t{1}, size_t{3}}) {
    for (const uint64_t sample : {0u, 1u, 10u}) {
      const Status status = Read({.sample = sample, .threads = threads});
      ASSERT_TRUE(status.ok()) << Text(status);
      EXPECT_EQ(rows_, 3u);
      EXPECT_EQ(num_columns_, sample == 1 ? 1u : 2u);
      EXPECT_THAT(
          skipped_,
          ElementsAre(HasSubstr("a: wrong_kind: line 4: "),
                      HasSubstr("a: malformed: line 5: column 1: "),
                      HasSubstr("c: malformed: line 3: feature \"a\"")));
    }
  }
}

TEST_F(JsonlRecordsTest, ManyLinesAndManyBlankOnes) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) {
    text += i % 7 == 0 ? "\n" : i % 1009 == 1 ? "no\n" : "{\"a\":[1]}\n";
  }
  AddFile("a", text);
  options_.on_row_error = OnRowError::kSkip;
  ASSERT_TRUE(Read({.threads = 2}).ok());
  size_t bad = 0;
  for (int i = 0; i < 40'000; ++i) {
    if (i % 7 == 0 || i % 1009 != 1) continue;
    ASSERT_LT(bad, skipped_.size());
    const std::string place = ": line " + std::to_string(i + 1) + ": ";
    EXPECT_THAT(skipped_[bad++], HasSubstr(place));
  }
  EXPECT_EQ(bad, skipped_.size());
}

TEST_F(JsonlRecordsTest, RawRecordsAreAnyBytes) {
  AddFile("a", "\"x\"\n\n17\n{\"b64\":\"/w==\"}\n");
  options_.message = MessageType::kRaw;
  EXPECT_THAT(Text(Read({})), HasSubstr("a: malformed: line 3: a raw record"));
  options_.on_row_error = OnRowError::kSkip;
  ASSERT_TRUE(Read({}).ok());
  EXPECT_EQ(rows_, 2u);
  EXPECT_THAT(skipped_, ElementsAre(HasSubstr("a: malformed: line 3: ")));
  options_.max_bad = 0;
  EXPECT_EQ(Read({}).code(), ErrorCode::kTooManyBad);
}

TEST_F(JsonlRecordsTest, AbsentFeaturesAreReportedAsOfOtherFiles) {
  AddFile("a", "{\"a\":[1]}\n{\"a\":[2],\"y\":[3]}\n");
  FeatureSpec spec;
  spec.Add("a", FixedLen(DType::kInt64));
  spec.Add("x", FixedLen(DType::kInt64).Default(7));
  spec.Add("y", VarLen(DType::kInt64));
  spec.Add("z", VarLen(DType::kInt64));
  ConvertOptions options;
  options.input = options_;
  options.from = InputFormat::kJsonl;
  options.plan = *Plan::Compile(spec);
  auto source = BatchSource::Open(options, Console(/*quiet=*/true));
  ASSERT_TRUE(source.ok()) << Text(source.status());
  auto batch = source->Next();
  while (batch) batch = source->Next();
  ASSERT_TRUE(batch.ok()) << Text(batch.status());
  const std::vector<AbsentFeature> absent = source->report().absent;
  ASSERT_EQ(absent.size(), 2u);
  EXPECT_EQ(absent[0].name, "x");
  EXPECT_TRUE(absent[0].has_default);
  EXPECT_EQ(absent[1].name, "z");
  EXPECT_FALSE(absent[1].has_default);
}

TEST_F(JsonlRecordsTest, FilesThatCannotBeRead) {
  AddFile("a", "{\"a\":[1]}\n");
  std::filesystem::create_directory(folder_ + "b");
  options_.patterns.push_back(folder_ + "b/none");
  EXPECT_EQ(Read({}).code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace headrace::cli
