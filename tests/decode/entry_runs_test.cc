// Records of one shape are taken in runs, and whatever breaks a run gives the
// rows of the walk.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/entry_order.h"
#include "src/plan/compile/program.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/decode/entry_trace.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/naive_columns.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"

namespace headrace::testing {
namespace {

using Batches = DecodeAgreement::Batches;
using Trace = decode::EntryOrder::Trace;

// So many records of one shape are enough for runs to begin.
constexpr size_t kEnough = 12;

class RunWriter {
 public:
  explicit RunWriter(uint64_t seed, bool has_others = false)
      : random_(seed), has_others_(has_others) {}

  // Records with the same `missing` and `long_int` have one shape: each has
  // another value everywhere. Keys of others are in no plan.
  std::string Record(int missing = -1, int long_int = -1) {
    ExampleBuilder record;
    for (int i = 0; i < 12; ++i) {
      if (i == missing) continue;
      const std::string n = std::to_string(i);
      record.Floats("f" + n, {static_cast<float>(Next(1000))});
      record.Int64s("i" + n, {Int(i == long_int ? 3 : i % 3)});
      if (i % 3 == 0) record.Bytes("b" + n, {Text(static_cast<size_t>(i))});
      if (has_others_ && i % 4 == 0)
        record.Floats("x" + n, {1, static_cast<float>(Next(9))});
    }
    return record.Build();
  }
  std::vector<std::string> Records(size_t count) {
    std::vector<std::string> records;
    for (size_t i = 0; i < count; ++i) records.push_back(Record());
    return records;
  }
  uint64_t Next(uint64_t limit) { return random_() % limit; }

 private:
  // A varint of bytes + 1 bytes.
  int64_t Int(int bytes) {
    const uint64_t least = bytes == 0 ? 0 : uint64_t{1} << (7 * bytes);
    return static_cast<int64_t>(least + Next(uint64_t{100} << (7 * bytes)) %
                                            (least + 100));
  }
  std::string Text(size_t size) {
    std::string text;
    while (text.size() < size) text += static_cast<char>('a' + Next(26));
    return text;
  }

  std::mt19937_64 random_;
  const bool has_others_;
};

std::vector<ColumnField> ColumnsOfRuns() {
  std::vector<ColumnField> columns;
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    columns.push_back({"f" + n, Kind::kFloat});
    columns.push_back({"i" + n, Kind::kInt64});
    if (i % 3 == 0) columns.push_back({"b" + n, Kind::kBytes});
  }
  return columns;
}

FeatureSpec TensorsOfRuns() {
  FeatureSpec spec;
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    spec.Add("f" + n, FixedLen(DType::kFloat).Default(0.5f));
    spec.Add("i" + n, FixedLen(DType::kInt64).Default(7));
    if (i % 3 == 0) spec.Add("b" + n, VarLen(DType::kBytes));
  }
  return spec;
}

// Every row of these is looked at, while its cells are in groups.
FeatureSpec CheckedTensorsOfRuns() {
  FeatureSpec spec;
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    spec.Add("f" + n, FixedLen(DType::kFloat).Default(0.5f));
    FeatureConfig fixed = FixedLen(DType::kInt64);
    if (i % 2 == 0) fixed = fixed.Default(7);
    FeatureConfig sequence = FixedLenSequence(DType::kInt64, {}, true);
    fixed.column = sequence.column = "i" + n;
    spec.Add("fixed" + n, fixed).Add("sequence" + n, sequence);
    if (i % 3 == 0) {
      spec.Add("b" + n, FixedLenSequence(DType::kBytes, {}, true));
    }
  }
  return spec;
}

TEST(EntryRuns, RecordsOfOneShapeAreTakenInRuns) {
  const auto records = RunWriter(1, /*has_others=*/true).Records(100);
  ForEachTarget([&] {
    const Trace trace = TraceOf(*Plan::ForColumns(ColumnsOfRuns()), records);
    EXPECT_EQ(trace.general, 0u);
    // Eight records and a few were looked at before runs began.
    EXPECT_GT(trace.in_runs, 85u * ColumnsOfRuns().size());
    EXPECT_LT(trace.by_template, 15u * ColumnsOfRuns().size());
    EXPECT_EQ(trace.skipped, 300u);
  });
}

TEST(EntryRuns, WhatChangesOftenIsCutOut) {
  RunWriter writer(2);
  std::vector<std::string> records = writer.Records(kEnough);
  // One int has another size in every second record.
  for (int i = 0; i < 1000; ++i) {
    records.push_back(writer.Record(-1, i % 2 == 0 ? 6 : -1));
  }
  ForEachTarget([&] {
    const Trace trace = TraceOf(*Plan::ForColumns(ColumnsOfRuns()), records);
    EXPECT_EQ(trace.general, 0u);
    EXPECT_GT(trace.in_runs, 24u * records.size());
    EXPECT_GT(trace.by_template, 900u);
  });
}

// Every record has another shape: runs are given up, and tried less and less.
TEST(EntryRuns, RecordsWithoutACommonShape) {
  RunWriter writer(3);
  std::vector<std::string> records;
  for (int i = 0; i < 2000; ++i) {
    ExampleBuilder record;
    for (int n = 0; n < 12; ++n) {
      record.Bytes("b" + std::to_string(n),
                   {std::string(writer.Next(40), 'x')});
    }
    records.push_back(record.Build());
  }
  std::vector<ColumnField> columns;
  for (int n = 0; n < 12; ++n) {
    columns.push_back({"b" + std::to_string(n), Kind::kBytes});
  }
  ForEachTarget([&] {
    const Trace trace = TraceOf(*Plan::ForColumns(columns), records);
    EXPECT_EQ(trace.general, 0u);
    EXPECT_LT(trace.in_runs, trace.by_template / 20);
  });
}

// Each entry is where the shape expects it in seven of eight records, but no
// run is long: they cost more than they save.
TEST(EntryRuns, ShapesThatBreakTooOftenAreDropped) {
  constexpr int kColumns = 40;
  std::vector<ColumnField> columns;
  for (int n = 0; n < kColumns; ++n) {
    columns.push_back({"f" + std::to_string(n), Kind::kFloat});
  }
  std::vector<std::string> records;
  for (int i = 0; i < 2000; ++i) {
    ExampleBuilder record;
    for (int n = 0; n < kColumns; ++n) {
      // The first records teach the order of all keys.
      if (i < 40 || (n + i) % 12 != 0)
        record.Floats("f" + std::to_string(n), {1});
    }
    records.push_back(record.Build());
  }
  ForEachTarget([&] {
    const Trace trace = TraceOf(*Plan::ForColumns(columns), records);
    EXPECT_EQ(trace.general, 0u);
    EXPECT_GT(trace.in_runs, 0u);
    EXPECT_LT(trace.in_runs, trace.by_template / 5);
  });
}

// Runs end at a changed byte, wherever it is. Changes of one entry do not stand
// together, or it would be cut out of the shape after a few.
Batches BatchesWithChanges(RunWriter* writer) {
  Batches batches = {writer->Records(kEnough)};
  const std::string usual = writer->Record();
  std::vector<size_t> places(usual.size());
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), std::mt19937_64(1));
  for (const size_t i : places) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string record = usual;
      record[i] = static_cast<char>(record[i] ^ change);
      batches.push_back({writer->Record(), record, writer->Record()});
    }
    batches.push_back({usual.substr(0, i), writer->Record()});
  }
  return batches;
}

TEST(EntryRuns, AnyByteMayBreakThem) {
  RunWriter writer(4);
  DecodeAgreement().Check(ColumnsOfRuns(), BatchesWithChanges(&writer));
}

TEST(EntryRuns, AnyByteMayBreakThoseOfTensors) {
  RunWriter writer(5);
  DecodeAgreement().Check(TensorsOfRuns(), BatchesWithChanges(&writer));
}

TEST(EntryRuns, AnyByteMayBreakThoseOfCheckedTensors) {
  RunWriter writer(13);
  DecodeAgreement().Check(CheckedTensorsOfRuns(), BatchesWithChanges(&writer));
}

// Entries are missing, stand twice, or elsewhere; ints become longer.
void CheckEntriesThatComeAndGo(RunWriter writer) {
  Batches batches = {writer.Records(kEnough)};
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> batch;
    for (int i = 0; i < 40; ++i) {
      const int missing = static_cast<int>(writer.Next(40));
      const int long_int = static_cast<int>(writer.Next(40));
      std::string record = writer.Record(missing, long_int);
      switch (writer.Next(12)) {
        case 0:  // The features of two records are merged.
          record += writer.Record(static_cast<int>(writer.Next(12)));
          break;
        case 1:
          record = ExampleBuilder().Floats("f3", {1}).Build() + record;
          break;
        case 2:
          record = ExampleBuilder().Floats("f3", {1, 2}).Unset("i1").Build();
          break;
        default:
          break;
      }
      batch.push_back(record);
    }
    batches.push_back(std::move(batch));
  }
  DecodeAgreement().Check(ColumnsOfRuns(), batches);
  DecodeAgreement().Check({{"f3", Kind::kFloat}, {"i5", Kind::kInt64}},
                          batches);
  DecodeAgreement().Check(TensorsOfRuns(), batches);
  DecodeAgreement().Check(CheckedTensorsOfRuns(), batches);
}

TEST(EntryRuns, EntriesThatComeAndGo) {
  CheckEntriesThatComeAndGo(RunWriter(6));
}

TEST(EntryRuns, EntriesThatComeAndGoAmongOthers) {
  CheckEntriesThatComeAndGo(RunWriter(7, /*has_others=*/true));
}

// Many rows pass between two records that differ: cells are counted together,
// until a row lacks one, has one twice or is rolled back.
TEST(EntryRuns, CellsThatAreCountedTogether) {
  RunWriter writer(10);
  Batches batches = {writer.Records(kEnough)};
  for (int round = 0; round < 10; ++round) {
    std::vector<std::string> batch = writer.Records(300);
    for (size_t i = writer.Next(30); i < batch.size(); i += writer.Next(30)) {
      std::string& record = batch[i];
      const int entry = static_cast<int>(writer.Next(12));
      switch (writer.Next(6)) {
        case 0:
          record = writer.Record(entry);
          break;
        case 1:
          record = writer.Record(-1, entry);
          break;
        case 2:
          record += writer.Record(entry);
          break;
        case 3:
          record.pop_back();
          break;
        case 4:
          record += "\xFF";
          break;
        case 5:
          record.clear();
          break;
      }
      ++i;
    }
    batches.push_back(std::move(batch));
  }
  DecodeAgreement().Check(ColumnsOfRuns(), batches);
  DecodeAgreement().Check(TensorsOfRuns(), batches);
}

// Groups of cells are those of a shape, which changes within a batch: one entry
// is cut, and the entries behind it get into other groups.
TEST(EntryRuns, AShapeThatIsCutWithinABatch) {
  RunWriter writer(11);
  std::vector<ColumnField> columns = {{"an int", Kind::kInt64}};
  for (int i = 0; i < 60; ++i) {
    columns.push_back({"f" + std::to_string(i), Kind::kFloat});
  }
  Batches batches(2);
  for (size_t i = 0; i < 300; ++i) {
    ExampleBuilder record;
    record.Int64s("an int", {i > kEnough && i % 2 == 0 ? 1000 : 1});
    for (const ColumnField& column : std::span(columns).subspan(1)) {
      record.Floats(column.name, {static_cast<float>(writer.Next(1000))});
    }
    batches[i < kEnough ? 0 : 1].push_back(record.Build());
  }
  DecodeAgreement().Check(columns, batches);
}

// A record without features has none of the cells of a group.
TEST(EntryRuns, RecordsThatLackAllCellsOfAGroup) {
  RunWriter writer(12);
  FeatureSpec spec;
  for (int i = 0; i < 20; ++i) {
    spec.Add("f" + std::to_string(i), FixedLen(DType::kFloat).Default(0.5f));
  }
  Batches batches(2);
  for (size_t i = 0; i < 200; ++i) {
    ExampleBuilder record;
    for (int n = 0; n < 20; ++n) {
      record.Floats("f" + std::to_string(n),
                    {static_cast<float>(writer.Next(1000))});
    }
    const bool lacks_all = i > kEnough && i % 10 == 0;
    batches[i < kEnough ? 0 : 1].push_back(lacks_all ? "" : record.Build());
  }
  DecodeAgreement().Check(spec, batches);
}

// The bytes behind a record are those that its next entries would have.
TEST(EntryRuns, BytesBehindARecordAreNotItsEntries) {
  RunWriter writer(8);
  const auto columns = ColumnsOfRuns();
  const std::vector<std::string> usual = writer.Records(kEnough);
  const std::string whole = writer.Record();
  constexpr size_t kEntries = 3;  // after the tag and a length of two bytes
  ForEachTarget([&] {
    Decoder decoder(*Plan::ForColumns(columns), {.padded_input = true});
    for (const std::string& record : usual) {
      const std::string padded = record + std::string(kPadding, '\0');
      const auto view = std::string_view(padded).substr(0, record.size());
      ASSERT_TRUE(decoder.Decode({&view, 1}).ok());
    }
    for (size_t end = kEntries; end < whole.size();
         end += size_t{2} + static_cast<uint8_t>(whole[end + 1])) {
      const std::string part =
          ExampleOf(whole.substr(kEntries, end - kEntries));
      const std::string in_memory =
          part + whole.substr(end) + std::string(kPadding, '\0');
      const auto view = std::string_view(in_memory).substr(0, part.size());
      EXPECT_EQ(Difference(NaiveDecode({&view, 1}, columns),
                           decoder.Decode({&view, 1})),
                "");
    }
  });
}

TEST(EntryRuns, AnotherProgramForgetsTheShape) {
  const auto records = RunWriter(9).Records(kEnough);
  const auto plan = Plan::ForColumns(ColumnsOfRuns());
  const auto other = Plan::ForColumns({{"f1", Kind::kFloat}});
  column::ColumnSet columns(uint64_t{1} << 30);
  decode::EntryOrder order;
  DecodeInto(*plan, records, &order, &columns);
  EXPECT_TRUE(order.shape.is_active());
  order.Start(plan::Program::Of(*plan));
  EXPECT_TRUE(order.shape.is_active());
  order.Start(plan::Program::Of(*other));
  EXPECT_FALSE(order.shape.is_active());
}

// A shape has room for so many bytes; longer records have none.
TEST(EntryRuns, LongRecords) {
  RunWriter writer(7);
  Batches batches;
  std::vector<ColumnField> columns;
  for (int n = 0; n < 200; ++n) {
    columns.push_back({"feature " + std::to_string(n), Kind::kBytes});
  }
  for (const size_t size : {20u, 60u}) {
    std::vector<std::string> batch;
    for (size_t i = 0; i < 2 * kEnough; ++i) {
      ExampleBuilder record;
      for (const ColumnField& column : columns) {
        record.Bytes(
            column.name,
            {std::string(size, static_cast<char>('a' + writer.Next(26)))});
      }
      batch.push_back(record.Build());
    }
    batches.push_back(std::move(batch));
  }
  DecodeAgreement().Check(columns, batches);
}

}  // namespace
}  // namespace headrace::testing
