// Records whose keys come in any order are looked up, and give the rows of the
// walk.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/entry_order.h"
#include "src/decode/example/entry_places.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/decode/entry_trace.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"

namespace headrace::testing {
namespace {

using Batches = DecodeAgreement::Batches;
using EntryList = std::vector<std::string>;
using Trace = decode::EntryOrder::Trace;

// After so many records in different orders none is guessed.
constexpr size_t kEnoughOrders = 4;

class AnyOrderWriter {
 public:
  explicit AnyOrderWriter(uint64_t seed, int num_keys = 12)
      : random_(seed), num_keys_(num_keys) {}

  // Floats, ints and bytes, one value each; with `has_others` also keys that no
  // plan has.
  EntryList Usual(bool has_others = false) {
    EntryList entries;
    for (int i = 0; i < num_keys_; ++i) {
      const std::string n = std::to_string(i);
      entries.push_back(
          EntryField("f" + n, FloatFeature({static_cast<float>(Next(1000))})));
      entries.push_back(EntryField("i" + n, Int64Feature({Int()})));
      if (i % 3 == 0) {
        entries.push_back(
            EntryField("b" + n, BytesFeature({std::string(Next(20), 'x')})));
      }
      if (has_others && i % 4 == 0) {
        entries.push_back(EntryField("x" + n, FloatFeature({1})));
      }
    }
    return entries;
  }
  std::string Shuffled(EntryList entries) {
    std::shuffle(entries.begin(), entries.end(), random_);
    return ExampleOf(
        std::accumulate(entries.begin(), entries.end(), std::string()));
  }
  std::vector<std::string> Records(size_t count, bool has_others = false) {
    std::vector<std::string> records;
    for (size_t i = 0; i < count; ++i) {
      records.push_back(Shuffled(Usual(has_others)));
    }
    return records;
  }
  // What happens to entries, to one each.
  void MakeOdd(EntryList* entries) {
    const std::string n =
        std::to_string(Next(static_cast<uint64_t>(num_keys_)));
    std::string& entry = (*entries)[Next(entries->size())];
    switch (Next(13)) {
      case 0:
        entry.clear();
        break;
      case 1:  // The key comes twice.
        entries->push_back(entry);
        break;
      case 2:
        entries->push_back(EntryField("f" + n, FloatFeature({7})));
        break;
      case 3:
        entry = EntryField("f" + n, FloatFeature({1, 2, 3}));
        break;
      case 4:
        entry = EntryField("i" + n, Int64Feature({1, 2000, 3}));
        break;
      case 5:
        entry = EntryField("i" + n, Int64Feature({-1}));
        break;
      case 6:
        entry = EntryField("b0", BytesFeature({std::string(200, 'y'), "z"}));
        break;
      case 7:
        entry = EntryField("f" + n, "");
        break;
      case 8:
        entry = EntryField("i" + n, Int64Feature({}));
        break;
      case 9:  // A field that nobody knows.
        entry += "\x78\x01";
        break;
      case 10:
        entry =
            EntryField("i" + n, FeatureOf(Kind::kInt64, UnpackedInt64s({9})));
        break;
      case 11:  // A varint that is cut, and perhaps a key that comes twice.
        entries->push_back(
            EntryField("i" + n, FeatureOf(Kind::kInt64, "\x0A\x01\x80")));
        break;
      default:
        entry = EntryField("f" + n, Int64Feature({1}));
        break;
    }
  }
  uint64_t Next(uint64_t limit) { return random_() % limit; }

 private:
  int64_t Int() { return static_cast<int64_t>(random_() >> Next(64)); }

  std::mt19937_64 random_;
  const int num_keys_;
};

std::vector<ColumnField> ColumnsInAnyOrder(int num_keys = 12) {
  std::vector<ColumnField> columns;
  for (int i = 0; i < num_keys; ++i) {
    const std::string n = std::to_string(i);
    columns.push_back({"f" + n, Kind::kFloat});
    columns.push_back({"i" + n, Kind::kInt64});
    if (i % 3 == 0) columns.push_back({"b" + n, Kind::kBytes});
  }
  return columns;
}

FeatureSpec TensorsInAnyOrder(int num_keys = 12) {
  FeatureSpec spec;
  for (int i = 0; i < num_keys; ++i) {
    const std::string n = std::to_string(i);
    spec.Add("f" + n, FixedLen(DType::kFloat).Default(0.5f));
    spec.Add("i" + n, FixedLen(DType::kInt64).Default(7));
    if (i % 3 == 0) spec.Add("b" + n, VarLen(DType::kBytes));
  }
  return spec;
}

TEST(AnyOrder, NothingIsLeftToTheWalk) {
  const auto records = AnyOrderWriter(1).Records(200);
  ForEachTarget([&] {
    const Trace trace =
        TraceOf(*Plan::ForColumns(ColumnsInAnyOrder()), records);
    EXPECT_EQ(trace.general, 0u);
    EXPECT_EQ(trace.in_runs, 0u);
    // An int of nine or ten bytes is no single value to the templates.
    EXPECT_EQ(trace.by_template + trace.by_shape,
              records.size() * ColumnsInAnyOrder().size());
    EXPECT_LT(trace.by_shape, 2 * ColumnsInAnyOrder().size());
  });
}

TEST(AnyOrder, OtherKeysAreSteppedOver) {
  const auto records = AnyOrderWriter(2).Records(200, /*has_others=*/true);
  ForEachTarget([&] {
    const Trace trace =
        TraceOf(*Plan::ForColumns(ColumnsInAnyOrder()), records);
    EXPECT_EQ(trace.general, 0u);
    EXPECT_EQ(trace.skipped, 3 * records.size());
  });
}

// Rows of every kind, among rows whose cells are counted together.
void CheckOddities(uint64_t seed, int num_keys, bool has_others) {
  AnyOrderWriter writer(seed, num_keys);
  Batches batches = {writer.Records(kEnoughOrders)};
  for (const uint64_t one_in : {uint64_t{2}, uint64_t{5}, uint64_t{40}}) {
    for (int round = 0; round < 5; ++round) {
      std::vector<std::string> batch;
      for (int i = 0; i < 150; ++i) {
        EntryList entries = writer.Usual(has_others);
        while (writer.Next(one_in) == 0) writer.MakeOdd(&entries);
        std::string record = writer.Shuffled(std::move(entries));
        // The features of two messages are merged.
        if (writer.Next(2 * one_in) == 0) {
          EntryList others = writer.Usual(has_others);
          others.resize(writer.Next(others.size()));
          const std::string other = writer.Shuffled(std::move(others));
          record = writer.Next(2) == 0 ? other + record : record + other;
        }
        batch.push_back(std::move(record));
      }
      batches.push_back(std::move(batch));
    }
  }
  DecodeAgreement().Check(ColumnsInAnyOrder(num_keys), batches);
  DecodeAgreement().Check({{"f3", Kind::kFloat}, {"i5", Kind::kInt64}},
                          batches);
  DecodeAgreement().Check(TensorsInAnyOrder(num_keys), batches);
}

TEST(AnyOrder, OddEntries) { CheckOddities(3, 12, false); }
TEST(AnyOrder, OddEntriesAmongOthers) { CheckOddities(4, 8, true); }
TEST(AnyOrder, OddEntriesOfManyKeys) { CheckOddities(5, 60, false); }

TEST(AnyOrder, AnyByteMayBeAnother) {
  AnyOrderWriter writer(6, 5);
  Batches batches = {writer.Records(kEnoughOrders)};
  const std::string usual = writer.Shuffled(writer.Usual());
  for (size_t i = 0; i < usual.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string record = usual;
      record[i] = static_cast<char>(record[i] ^ change);
      std::vector<std::string> batch = writer.Records(kEnoughOrders);
      batch.push_back(record);
      batch.push_back(usual);
      batches.push_back(std::move(batch));
    }
    std::vector<std::string> batch = writer.Records(kEnoughOrders);
    batch.push_back(usual.substr(0, i));
    batches.push_back(std::move(batch));
  }
  DecodeAgreement().Check(ColumnsInAnyOrder(5), batches);
  DecodeAgreement().Check(TensorsInAnyOrder(5), batches);
}

// The first value of a key that comes twice does not count, but must be right.
TEST(AnyOrder, TheFirstOfTwoValuesIsChecked) {
  AnyOrderWriter writer(7);
  const std::string bad =
      EntryField("i1", FeatureOf(Kind::kInt64, "\x0A\x02\x80\x80"));
  const std::string good = EntryField("i1", Int64Feature({5}));
  Batches batches;
  for (const std::string& twice : {bad + good, good + bad, good + good}) {
    std::vector<std::string> batch = writer.Records(kEnoughOrders);
    batch.push_back(ExampleOf(twice));
    for (int i = 0; i < 10; ++i) {
      EntryList entries = writer.Usual();
      entries.push_back(twice);
      batch.push_back(writer.Shuffled(std::move(entries)));
      batch.push_back(writer.Shuffled(writer.Usual()));
    }
    batches.push_back(std::move(batch));
  }
  DecodeAgreement().Check(ColumnsInAnyOrder(), batches);
}

// Marks of places have 255 values.
TEST(AnyOrder, PlacesOfEarlierRecordsAreForgotten) {
  AnyOrderWriter writer(8, 3);
  Batches batches(1);
  for (int i = 0; i < 1200; ++i) {
    EntryList entries = writer.Usual();
    // An entry that most records lack.
    if (i % 257 == 5) entries.push_back(EntryField("a", Int64Feature({i})));
    batches[0].push_back(writer.Shuffled(std::move(entries)));
  }
  std::vector<ColumnField> columns = ColumnsInAnyOrder(3);
  columns.push_back({"a", Kind::kInt64});
  DecodeAgreement().Check(columns, batches);

  decode::EntryPlaces places;
  for (size_t i = 0; i < 2000; ++i) {
    places.Begin();
    ASSERT_EQ(std::count(places.marks.begin(), places.marks.end(), places.mark),
              0)
        << i;
    places.marks[i % places.marks.size()] = places.mark;
  }
}

// As many keys as there are places for, and more.
TEST(AnyOrder, ManyKeys) {
  for (const int num_keys : {430, 700}) {
    const std::vector<ColumnField> columns = ColumnsInAnyOrder(num_keys);
    ASSERT_EQ(columns.size() > decode::EntryPlaces::kMaxSlots, num_keys > 500);
    AnyOrderWriter writer(9, num_keys);
    Batches batches = {writer.Records(40)};
    for (int i = 0; i < 40; ++i) {
      EntryList entries = writer.Usual();
      if (i % 3 == 1) writer.MakeOdd(&entries);
      if (i % 4 == 3) entries.resize(writer.Next(entries.size()));
      batches[0].push_back(writer.Shuffled(std::move(entries)));
    }
    DecodeAgreement().Check(columns, batches, Effort::kQuick);
  }
}

// Keys in one order among ints whose sizes change: runs would be short.
TEST(AnyOrder, ShortRunsAreLookedUp) {
  std::mt19937_64 random(11);
  std::vector<ColumnField> columns;
  for (int i = 0; i < 30; ++i) {
    const bool is_int = i % 5 == 4;
    columns.push_back(
        {"k" + std::to_string(i), is_int ? Kind::kInt64 : Kind::kFloat});
  }
  std::vector<std::string> records;
  for (int n = 0; n < 6000; ++n) {
    ExampleBuilder record;
    for (const ColumnField& column : columns) {
      if (column.kind == Kind::kInt64) {
        // Later records have ints of one size.
        record.Int64s(column.name,
                      {static_cast<int64_t>(n < 1000 ? random() >> random() % 64
                                                     : random() % 100)});
      } else {
        record.Floats(column.name, {static_cast<float>(n)});
      }
    }
    records.push_back(record.Build());
  }
  ForEachTarget([&] {
    const Plan plan = *Plan::ForColumns(columns);
    column::ColumnSet set(uint64_t{1} << 30);
    decode::EntryOrder order;
    const auto decode = [&](size_t begin, size_t end) {
      const uint64_t before = order.trace.in_runs;
      DecodeInto(plan,
                 {records.begin() + static_cast<ptrdiff_t>(begin),
                  records.begin() + static_cast<ptrdiff_t>(end)},
                 &order, &set);
      return order.trace.in_runs - before;
    };
    decode(0, 200);
    EXPECT_TRUE(order.shape.is_scattered());
    EXPECT_EQ(decode(200, 1000), 0u);
    decode(1000, 5000);
    EXPECT_FALSE(order.shape.is_scattered());
    EXPECT_GT(decode(5000, 6000), 25'000u);
    EXPECT_EQ(order.trace.general, 0u);
  });
  DecodeAgreement().Check(columns, {{records.begin(), records.begin() + 500}},
                          Effort::kQuick);
}

// Records come in one order, in any, and in one again.
TEST(AnyOrder, OrdersThatComeAndGo) {
  AnyOrderWriter writer(10);
  Batches batches(3);
  for (std::vector<std::string>& batch : batches) {
    for (int part = 0; part < 8; ++part) {
      for (int i = 0; i < 40; ++i) {
        const EntryList entries = writer.Usual();
        batch.push_back(
            part % 2 == 0 ? ExampleOf(std::accumulate(
                                entries.begin(), entries.end(), std::string()))
                          : writer.Shuffled(entries));
      }
    }
  }
  DecodeAgreement().Check(ColumnsInAnyOrder(), batches);
  DecodeAgreement().Check(TensorsInAnyOrder(), batches);
}

}  // namespace
}  // namespace headrace::testing
