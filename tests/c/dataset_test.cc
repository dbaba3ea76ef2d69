// headrace_dataset: rows by number, and the orders of an epoch.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "headrace/order.h"
#include "tests/c/c_calls.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using Numbers = std::vector<uint64_t>;

std::string FileOfNumbers(int64_t count) {
  std::vector<std::string> records;
  for (int64_t i = 0; i < count; ++i) {
    records.push_back(ExampleBuilder().Int64s("i", {i}).Build());
  }
  return RecordFile(records);
}

// What the rows `{i: [7]}` have.
Numbers NumbersOf(const std::vector<std::string>& rows) {
  Numbers numbers;
  for (const std::string& row : rows) {
    EXPECT_THAT(row, StartsWith("{i: ["));
    numbers.push_back(std::stoull(row.substr(5)));
  }
  return numbers;
}

Numbers Epoch(const CDataset& dataset, const std::string& options) {
  Owned<ArrowArrayStream> stream;
  EXPECT_EQ(
      Call(headrace_dataset_stream, dataset.get(), options.c_str(), &stream),
      "");
  return NumbersOf(RowsOf(&stream));
}

Numbers UpTo(uint64_t end) {
  Numbers numbers(end);
  for (uint64_t i = 0; i < end; ++i) numbers[i] = i;
  return numbers;
}

std::string Take(const CDataset& dataset, const Numbers& rows,
                 ArrowArray* array, ArrowSchema* schema) {
  return Call(headrace_dataset_take, dataset.get(), rows.data(), rows.size(),
              array, schema);
}

TEST(CDatasetTest, ReportsWhatTheRowsLack) {
  const TemporaryFile file(FileOfNumbers(9));
  const std::string spec =
      "{\"spec\": {\"features\": [{\"name\": \"I\", \"kind\": "
      "\"fixed_len\", \"dtype\": \"int64\", \"shape\": [], "
      "\"default\": [9]}]}";
  const CDataset dataset = OpenDataset(file.path(), (spec + "}").c_str());
  Owned<ArrowArrayStream> stream;
  ASSERT_EQ(Call(headrace_dataset_stream, dataset.get(), "{\"shuffle\": true}",
                 &stream),
            "");
  EXPECT_THAT(RowsOf(&stream), SizeIs(9));
  char* json = nullptr;
  ASSERT_EQ(Call(headrace_dataset_report, dataset.get(), &json), "");
  const std::string report = json;
  headrace_text_free(json);
  EXPECT_THAT(report, HasSubstr("\"absent\":[{\"name\":\"I\","));
  EXPECT_THAT(report, HasSubstr("\"text\":\"none of the first 9 records has "
                                "\\\"I\\\"; did you mean \\\"i\\\"?\""));
  const CDataset strict =
      OpenDataset(file.path(), (spec + ", \"on_absent\": \"error\"}").c_str());
  Owned<ArrowArray> array;
  EXPECT_THAT(Take(strict, {3}, &array, nullptr),
              HasSubstr("missing_feature: none of the first 9 records has"));
}

TEST(CDatasetTest, TakesRowsInTheOrderAskedFor) {
  const TemporaryFile file(FileOfNumbers(100));
  const CDataset dataset = OpenDataset(file.path());
  EXPECT_EQ(headrace_dataset_size(dataset.get()), 100u);
  const Numbers rows = {99, 0, 7, 7};
  Owned<ArrowArray> array;
  Owned<ArrowSchema> schema;
  ASSERT_EQ(Take(dataset, rows, &array, &schema), "");
  EXPECT_EQ(array->length, 4);
  EXPECT_STREQ(schema->children[0]->name, "i");
  const auto* const values =
      static_cast<const int64_t*>(array->children[0]->children[0]->buffers[1]);
  EXPECT_EQ(Numbers(values, values + 4), rows);
}

TEST(CDatasetTest, NoRowsAreAnEmptyArray) {
  const TemporaryFile file(FileOfNumbers(3));
  const CDataset dataset = OpenDataset(file.path());
  Owned<ArrowArray> array;
  ASSERT_EQ(Call(headrace_dataset_take, dataset.get(),
                 static_cast<const uint64_t*>(nullptr), size_t{0}, &array,
                 static_cast<ArrowSchema*>(nullptr)),
            "");
  EXPECT_EQ(array->length, 0);
  EXPECT_FALSE(array.is_released());
}

TEST(CDatasetTest, AnErrorIsNotFinal) {
  DamagedFile damaged(FileOfNumbers(3));
  damaged.FlipByte(damaged.size() - 5);
  const TemporaryFile file(damaged.bytes());
  const CDataset dataset = OpenDataset(file.path());
  for (int i = 0; i < 2; ++i) {
    Owned<ArrowArray> array;
    Owned<ArrowSchema> schema;
    EXPECT_THAT(Take(dataset, {3}, &array, &schema),
                HasSubstr("invalid_argument"));
    EXPECT_THAT(Take(dataset, {2}, &array, &schema),
                HasSubstr(file.path() + ": record 2"));
    EXPECT_TRUE(array.is_released() && schema.is_released());
    EXPECT_EQ(Take(dataset, {1}, &array, &schema), "");
    array.Release();
    schema.Release();
  }
}

TEST(CDatasetTest, StreamsAllRowsInOrder) {
  const TemporaryFile file(FileOfNumbers(10));
  CDataset dataset = OpenDataset(file.path());
  EXPECT_EQ(Epoch(dataset, "{\"batch_size\": 4}"), UpTo(10));
  EXPECT_EQ(Epoch(dataset, "{\"shuffle\": false}"), UpTo(10));
  // A stream outlives its dataset.
  Owned<ArrowArrayStream> stream;
  ASSERT_EQ(Call(headrace_dataset_stream, dataset.get(),
                 static_cast<const char*>(nullptr), &stream),
            "");
  dataset.reset();
  EXPECT_EQ(NumbersOf(RowsOf(&stream)), UpTo(10));
}

Numbers OrderOf(const OrderOptions& options) {
  Numbers rows(options.rows);
  EXPECT_THAT(OrThrow(Order::Make(options)).Rows(0, rows), IsOk());
  return rows;
}

TEST(CDatasetTest, ShufflesByTheOrdersOfTheLibrary) {
  const TemporaryFile file(FileOfNumbers(100));
  const CDataset dataset = OpenDataset(file.path());
  EXPECT_EQ(Epoch(dataset, "{\"shuffle\": true, \"seed\": 7, \"epoch\": 2}"),
            OrderOf({.rows = 100, .seed = 7, .epoch = 2}));
  EXPECT_EQ(
      Epoch(dataset,
            "{\"shuffle\": {\"seed\": 18446744073709551615, "
            "\"block\": 8, \"window\": 2}, \"batch_size\": 9}"),
      OrderOf({.rows = 100, .seed = ~uint64_t{0}, .block = 8, .window = 2}));
  // Larger than need be.
  EXPECT_EQ(Epoch(dataset, "{\"shuffle\": {\"block\": 8}}"),
            OrderOf({.rows = 100, .block = 8, .window = 32}));
  const std::string most = std::to_string(~uint64_t{0});
  EXPECT_EQ(Epoch(dataset, "{\"shuffle\": {\"block\": " + most +
                               ", \"window\": " + most +
                               "}, \"batch_size\": " + most + "}"),
            OrderOf({.rows = 100, .block = 100}));
}

TEST(CDatasetTest, DealsLanesToRanks) {
  const TemporaryFile file(FileOfNumbers(100));
  const CDataset dataset = OpenDataset(file.path());
  const Numbers order =
      OrderOf({.rows = 100, .block = 4, .window = 3, .lanes = 4, .turn = 7});
  for (const uint64_t ranks : {1u, 2u, 3u, 4u, 8u}) {
    std::vector<Numbers> each;
    for (uint64_t rank = 0; rank < ranks; ++rank) {
      each.push_back(
          Epoch(dataset,
                "{\"shuffle\": {\"block\": 4, \"window\": 3, \"lanes\": 4}, "
                "\"batch_size\": 7, \"world_size\": " +
                    std::to_string(ranks) +
                    ", \"rank\": " + std::to_string(rank) + "}"));
    }
    Numbers together;
    for (uint64_t batch = 0; together.size() < 100; ++batch) {
      Numbers& rows = each[batch % ranks];
      const auto end = rows.begin() +
                       static_cast<ptrdiff_t>(std::min<size_t>(rows.size(), 7));
      together.insert(together.end(), rows.begin(), end);
      rows.erase(rows.begin(), end);
    }
    EXPECT_EQ(together, order) << ranks;
  }
  EXPECT_EQ(Epoch(dataset,
                  "{\"shuffle\": {\"block\": 4, \"lanes\": "
                  "18446744073709551615}}"),
            OrderOf({.rows = 100, .block = 4, .window = 32}));
}

TEST(CDatasetTest, RanksShareAnEpoch) {
  const TemporaryFile file(FileOfNumbers(25));
  const CDataset dataset = OpenDataset(file.path());
  Numbers all;
  for (int rank = 0; rank < 3; ++rank) {
    const Numbers rows =
        Epoch(dataset, "{\"batch_size\": 4, \"world_size\": 3, \"rank\": " +
                           std::to_string(rank) + "}");
    EXPECT_EQ(rows[0], uint64_t(rank) * 4);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  EXPECT_THAT(all, ::testing::UnorderedElementsAreArray(UpTo(25)));
}

TEST(CDatasetTest, WithoutRowsStreamsEnd) {
  const TemporaryFile file("");
  const CDataset dataset = OpenDataset(file.path());
  EXPECT_EQ(headrace_dataset_size(dataset.get()), 0u);
  EXPECT_EQ(Epoch(dataset, "{\"shuffle\": true}"), Numbers());
  EXPECT_EQ(Epoch(dataset, "{\"shuffle\": {\"block\": 5}}"), Numbers());
}

TEST(CDatasetTest, AnyNumberOfThreadsTake) {
  const TemporaryFile file(FileOfNumbers(200));
  const CDataset dataset = OpenDataset(file.path());
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 50; ++i) {
        Owned<ArrowArray> array;
        ASSERT_EQ(Take(dataset, {t * 50 + i}, &array, nullptr), "");
        const auto* const values = static_cast<const int64_t*>(
            array->children[0]->children[0]->buffers[1]);
        EXPECT_EQ(values[0], static_cast<int64_t>(t * 50 + i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(CDatasetTest, RefusesWhatAnEpochDoesNotHave) {
  const TemporaryFile file(FileOfNumbers(3));
  const CDataset dataset = OpenDataset(file.path());
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"{\"batchsize\": 4}", "did you mean \"batch_size\"?"},
      {"{\"batch_size\": 0}", "\"batch_size\" is 0"},
      {"{\"shuffle\": 1}", "\"shuffle\" is 1; it takes true, false or"},
      {"{\"shuffle\": {\"blok\": 1}}", "did you mean \"block\"?"},
      {"{\"shuffle\": {\"block\": 0}}", "\"block\" is 0"},
      {"{\"shuffle\": {\"block\": 2, \"lanes\": 0}}", "\"lanes\" is 0"},
      {"{\"shuffle\": {\"lanes\": 2}}", "\"lanes\" share whole blocks"},
      {"{\"rank\": 1}", "\"rank\" must be below \"world_size\""},
      {"{\"seed\": -1}", "\"seed\" is -1"},
  };
  for (const auto& bad : cases) {
    Owned<ArrowArrayStream> stream;
    EXPECT_THAT(
        Call(headrace_dataset_stream, dataset.get(), bad.first, &stream),
        AllOf(StartsWith("invalid_argument: "), HasSubstr(bad.second)));
    EXPECT_TRUE(stream.is_released());
  }
}

}  // namespace
}  // namespace headrace::testing
