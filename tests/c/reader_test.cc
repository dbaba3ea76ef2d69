// headrace_reader: rows, ends, errors, reports, cancelling.

#include "headrace/reader.h"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "headrace/arrow.h"
#include "tests/c/c_calls.h"
#include "tests/random/random_example.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using Rows = std::vector<std::string>;

std::vector<std::string> Numbered(int64_t count) {
  std::vector<std::string> records;
  for (int64_t i = 0; i < count; ++i) {
    records.push_back(ExampleBuilder().Int64s("i", {i}).Build());
  }
  return records;
}

Rows RowsNumbered(int64_t first, int64_t end) {
  Rows rows;
  for (int64_t i = first; i < end; ++i) {
    rows.push_back("{i: [" + std::to_string(i) + "]}");
  }
  return rows;
}

Rows StreamOf(const CReader& reader) {
  Owned<ArrowArrayStream> stream;
  EXPECT_EQ(Call(headrace_stream, reader.get(), &stream), "");
  return RowsOf(&stream);
}

TEST(CReaderTest, GivesTheRowsOfTheCppReader) {
  RandomExample random(/*seed=*/7, {.plain = true});
  std::vector<std::string> records;
  for (int i = 0; i < 100; ++i) records.push_back(random.Next());
  const TemporaryFile file(RecordFile(records));
  for (const char* bytes_as : {"binary", "large", "view"}) {
    Owned<ArrowArrayStream> stream;
    ASSERT_THAT(
        ExportStream(OrThrow(Reader::Open({file.path()}, {.batch_size = 7})),
                     {.bytes_as = *ParseName<BytesAs>(bytes_as)}, &stream),
        IsOk());
    const Rows expected = RowsOf(&stream);
    ASSERT_EQ(expected.size(), 100u);
    const std::string options = std::string("{\"batch_size\": 7, ") +
                                "\"bytes_as\": \"" + bytes_as +
                                "\", \"threads\": 2}";
    EXPECT_EQ(RestOf(Open(file.path(), options.c_str())), expected);
    EXPECT_EQ(StreamOf(Open(file.path(), options.c_str())), expected);
  }
}

TEST(CReaderTest, HandleAndStreamsShareTheRows) {
  const TemporaryFile file(RecordFile(Numbered(10)));
  const CReader reader = Open(file.path(), "{\"batch_size\": 2}");
  Owned<ArrowArray> array;
  ASSERT_EQ(Call(headrace_next, reader.get(), &array,
                 static_cast<ArrowSchema*>(nullptr)),
            "");
  EXPECT_EQ(array->length, 2);
  Owned<ArrowArrayStream> stream;
  ASSERT_EQ(Call(headrace_stream, reader.get(), &stream), "");
  Owned<ArrowArray> second;
  ASSERT_EQ(stream->get_next(&stream, &second), 0);
  EXPECT_EQ(second->length, 2);
  stream.Release();  // early
  EXPECT_EQ(RestOf(reader), RowsNumbered(4, 10));
  EXPECT_EQ(RestOf(reader), Rows());
  EXPECT_EQ(StreamOf(reader), Rows());
}

TEST(CReaderTest, ArraysAndStreamsOutliveTheHandle) {
  const TemporaryFile file(RecordFile(Numbered(10)));
  CReader reader =
      Open(file.path(), "{\"batch_size\": 5, \"threads\": 2, \"mmap\": true}");
  Owned<ArrowArrayStream> stream;
  ASSERT_EQ(Call(headrace_stream, reader.get(), &stream), "");
  Owned<ArrowArray> array;
  Owned<ArrowSchema> schema;
  ASSERT_EQ(Call(headrace_next, reader.get(), &array, &schema), "");
  reader.reset();
  EXPECT_EQ(RowsOf(&stream), RowsNumbered(5, 10));
  stream.Release();
  EXPECT_EQ(array->length, 5);
  const auto* const list = array->children[0];
  const auto* const values =
      static_cast<const int64_t*>(list->children[0]->buffers[1]);
  EXPECT_EQ(Rows({std::to_string(values[0]), std::to_string(values[4])}),
            Rows({"0", "4"}));
}

TEST(CReaderTest, RowsBeforeDamageComeFirstAndTheErrorStays) {
  DamagedFile damaged(Numbered(4));
  damaged.FlipByte(static_cast<size_t>(damaged.offset(2)) + 14);
  const TemporaryFile file(damaged.bytes());
  const CReader reader = Open(file.path());
  const Rows rows = StreamOf(reader);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(Rows(rows.begin(), rows.begin() + 2), RowsNumbered(0, 2));
  EXPECT_THAT(rows[2], HasSubstr("payload_crc"));
  // The handle has the fields of the error that the stream met.
  Owned<ArrowArray> array;
  Owned<ArrowSchema> schema;
  for (int i = 0; i < 2; ++i) {
    headrace_error* error = nullptr;
    EXPECT_EQ(headrace_next(reader.get(), &array, &schema, &error),
              HEADRACE_PAYLOAD_CRC);
    const CError owned(error);
    EXPECT_EQ(error->code, HEADRACE_PAYLOAD_CRC);
    EXPECT_EQ(error->file, file.path());
    EXPECT_EQ(error->record, 2u);
    EXPECT_EQ(error->offset, damaged.offset(2));
    EXPECT_EQ("error: " + std::string(error->message), rows[2]);
    EXPECT_TRUE(array.is_released() && schema.is_released());
  }
  EXPECT_EQ(headrace_next(reader.get(), &array, &schema, nullptr),
            HEADRACE_PAYLOAD_CRC);
}

TEST(CReaderTest, AnErrorOfArrowIsFinalToo) {
  const TemporaryFile file(
      RecordFile({ExampleBuilder().Bytes("b", {"x"}).Build(),
                  ExampleBuilder().Bytes("b", {"\xff"}).Build(),
                  ExampleBuilder().Bytes("b", {"y"}).Build()}));
  const CReader reader =
      Open(file.path(), "{\"batch_size\": 1, \"bytes_as\": \"string\"}");
  const Rows rows = RestOf(reader);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(rows[1], HasSubstr("not UTF-8"));
  EXPECT_EQ(RestOf(reader), Rows({rows[1]}));
  EXPECT_EQ(StreamOf(reader), Rows({rows[1]}));
}

TEST(CReaderTest, NothingIsLeftInAnArrayAfterAFailure) {
  // The structure holds something that is not ours to release.
  ArrowArray array = {};
  array.release = [](ArrowArray*) {};
  EXPECT_NE(headrace_next(nullptr, &array, nullptr, nullptr), 0);
  EXPECT_EQ(array.release, nullptr);
}

TEST(CReaderTest, ReportsWhatWasSkipped) {
  std::vector<std::string> records = Numbered(3);
  records.push_back(ExampleBuilder().Floats("i", {1.5f}).Build());
  records.push_back(ExampleBuilder().Int64s("l\"", {1}).Build());
  DamagedFile damaged(records);
  damaged.FlipByte(static_cast<size_t>(damaged.offset(1)) + 14);
  const TemporaryFile file(damaged.bytes());
  const CReader reader = Open(
      file.path(),
      "{\"on_corrupt\": \"skip\", \"on_row_error\": \"skip\", \"sample\": 1}");
  EXPECT_EQ(RestOf(reader), Rows({"{i: [0]}", "{i: [2]}", "{i: null}"}));
  const std::string name = "\"file\":\"" + file.path() + "\"";
  const std::string begin = std::to_string(damaged.offset(1));
  const std::string end = std::to_string(damaged.offset(2));
  const std::string report = ReportOf(reader);
  EXPECT_THAT(report,
              HasSubstr("{\"regions\":[{" + name + ",\"begin\":" + begin +
                        ",\"end\":" + end +
                        ",\"reason\":\"payload_crc\"}],\"num_regions\":1,"
                        "\"rows\":[{\"code\":\"wrong_kind\",\"message\":"));
  EXPECT_THAT(report, HasSubstr("\"record\":3,\"offset\":" +
                                std::to_string(damaged.offset(3)) +
                                ",\"feature\":\"i\",\"expected\":\"int64\","
                                "\"found\":\"float\"}],\"num_rows\":1,"));
  EXPECT_THAT(report,
              HasSubstr("\"late\":[{\"name\":\"l\\\"\",\"kind\":\"int64\","
                        "\"rows\":1,\"in_columns\":false,"
                        "\"in_sequence\":false}],\"num_late\":1,"
                        "\"absent\":[],\"num_lists_left_out\":0,"
                        "\"notices\":[],\"left_out\":[],"
                        "\"num_left_out\":0}"));
}

TEST(CReaderTest, APartOfAFileHasPlacesWithoutNumbers) {
  std::vector<std::string> records = Numbered(10);
  records[8] = ExampleBuilder().Floats("i", {1.5f}).Build();
  DamagedFile damaged(records);
  damaged.FlipByte(static_cast<size_t>(damaged.offset(6)) + 14);
  const TemporaryFile file(damaged.bytes());
  const std::string range =
      "\"byte_range\": [" + std::to_string(damaged.offset(4)) + ", null]";
  const CReader failing = Open(file.path(), ("{" + range + "}").c_str());
  EXPECT_THAT(RestOf(failing), SizeIs(3));  // two rows, and the error
  headrace_error* error = nullptr;
  Owned<ArrowArray> array;
  EXPECT_EQ(headrace_next(failing.get(), &array, nullptr, &error),
            HEADRACE_PAYLOAD_CRC);
  const CError owned(error);
  EXPECT_EQ(error->record, HEADRACE_UNKNOWN);
  EXPECT_EQ(error->offset, damaged.offset(6));
  const CReader skipping = Open(
      file.path(),
      ("{\"on_corrupt\": \"skip\", \"on_row_error\": \"skip\", " + range + "}")
          .c_str());
  EXPECT_THAT(RestOf(skipping), SizeIs(4));
  EXPECT_THAT(ReportOf(skipping),
              HasSubstr("\"record\":null,\"offset\":" +
                        std::to_string(damaged.offset(8)) + ","));
}

TEST(CReaderTest, ReportsFeaturesThatNoRowHas) {
  const TemporaryFile file(RecordFile(Numbered(2)));
  const CReader reader =
      Open(file.path(),
           "{\"spec\": {\"features\": [{\"name\": \"j\", \"kind\": "
           "\"fixed_len\", \"dtype\": \"int64\", \"shape\": [], "
           "\"default\": [9]}]}}");
  EXPECT_EQ(RestOf(reader), Rows({"{j: 9}", "{j: 9}"}));
  EXPECT_EQ(ReportOf(reader),
            "{\"regions\":[],\"num_regions\":0,\"rows\":[],\"num_rows\":0,"
            "\"late\":[],\"num_late\":0,\"absent\":[{\"name\":\"j\","
            "\"in_sequence\":false,\"has_default\":true}],"
            "\"num_lists_left_out\":0,\"notices\":[{\"kind\":\"absent\","
            "\"text\":\"no record has feature \\\"j\\\": all rows have its "
            "default\",\"records\":0,\"bytes\":0,\"feature\":\"j\","
            "\"in_sequence\":false,\"has_default\":true,\"similar\":\"\","
            "\"similar_in_sequence\":false}],\"left_out\":[],"
            "\"num_left_out\":0}");
}

TEST(CReaderTest, FeaturesThatNoRecordHasMayBeErrors) {
  const TemporaryFile file(RecordFile(Numbered(2)));
  const std::string spec =
      "\"spec\": {\"features\": [{\"name\": \"I\", \"kind\": "
      "\"fixed_len\", \"dtype\": \"int64\", \"shape\": [], "
      "\"default\": [9]}]}";
  const CReader warning = Open(file.path(), ("{" + spec + "}").c_str());
  EXPECT_EQ(RestOf(warning), Rows({"{I: 9}", "{I: 9}"}));
  EXPECT_THAT(ReportOf(warning),
              HasSubstr("\"kind\":\"misspelt\",\"text\":\"none of the first 2 "
                        "records has \\\"I\\\"; did you mean \\\"i\\\"?\""));
  const CReader strict =
      Open(file.path(), ("{" + spec + ", \"on_absent\": \"error\"}").c_str());
  Owned<ArrowArray> array;
  EXPECT_THAT(
      Call(headrace_next, strict.get(), &array,
           static_cast<ArrowSchema*>(nullptr)),
      HasSubstr("missing_feature: none of the first 2 records has \"I\""));
  const CReader silent =
      Open(file.path(), ("{" + spec + ", \"on_absent\": \"ignore\"}").c_str());
  EXPECT_EQ(RestOf(silent), Rows({"{I: 9}", "{I: 9}"}));
  EXPECT_THAT(ReportOf(silent), HasSubstr("\"notices\":[]"));
}

TEST(CReaderTest, CancelEndsReaderAndStream) {
  const TemporaryFile file(RecordFile(Numbered(10)));
  for (const char* options :
       {"{\"batch_size\": 2}", "{\"batch_size\": 2, \"threads\": 3}"}) {
    const CReader reader = Open(file.path(), options);
    Owned<ArrowArrayStream> stream;
    ASSERT_EQ(Call(headrace_stream, reader.get(), &stream), "");
    Owned<ArrowArray> array;
    ASSERT_EQ(stream->get_next(&stream, &array), 0);
    std::thread([&] { headrace_cancel(reader.get()); }).join();
    EXPECT_THAT(RowsOf(&stream), ElementsAre(HasSubstr("cancelled")));
    EXPECT_THAT(RestOf(reader), ElementsAre(HasSubstr("cancelled")));
  }
}

// Each row comes once, whoever asks.
TEST(CReaderTest, ThreadsMayShareAReader) {
  const TemporaryFile file(RecordFile(Numbered(400)));
  const CReader reader = Open(file.path(), "{\"batch_size\": 3}");
  std::vector<Rows> of_threads(4);
  std::vector<std::thread> threads;
  for (Rows& rows : of_threads) {
    threads.emplace_back([&] {
      rows = StreamOf(reader);
      EXPECT_THAT(ReportOf(reader), StartsWith("{"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  Rows all;
  for (const Rows& rows : of_threads) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  EXPECT_THAT(all, ::testing::UnorderedElementsAreArray(RowsNumbered(0, 400)));
}

}  // namespace
}  // namespace headrace::testing
