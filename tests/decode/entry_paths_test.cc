// Which way entries are taken: what the usual writers write must not end up in
// the walk, and what is odd must.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/plan.h"
#include "src/decode/example/entry_order.h"
#include "src/plan/compile/program.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/decode/entry_trace.h"
#include "tests/naive/example.pb.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

using Trace = decode::EntryOrder::Trace;

Plan PlanOf(std::vector<ColumnField> columns) {
  return *Plan::ForColumns(std::move(columns));
}

// What protobuf's C++ writes: its maps have no order.
std::vector<std::string> WrittenByProtobuf(size_t count) {
  std::mt19937_64 random(81);
  std::vector<std::string> records;
  for (size_t i = 0; i < count; ++i) {
    tf::train::Example example;
    auto& features = *example.mutable_features()->mutable_feature();
    for (int f = 0; f < 20; ++f) {
      if (random() % 10 == 0) continue;
      features["number " + std::to_string(f)].mutable_int64_list()->add_value(
          static_cast<int64_t>(random() >> (random() % 64)));
      features["f" + std::to_string(f)].mutable_float_list()->add_value(0.5f);
      features["text " + std::to_string(f)].mutable_bytes_list()->add_value(
          std::string(random() % 40, 'x'));
    }
    for (int n = 0; n < 300; ++n) {
      features["list"].mutable_int64_list()->add_value(n);
      features["a name that is longer than a vector"]
          .mutable_bytes_list()
          ->add_value("y");
    }
    records.push_back(example.SerializeAsString());
  }
  return records;
}

std::vector<ColumnField> ColumnsOfProtobuf() {
  std::vector<ColumnField> columns{
      {"list", Kind::kInt64},
      {"a name that is longer than a vector", Kind::kBytes}};
  for (int f = 0; f < 20; ++f) {
    columns.push_back({"number " + std::to_string(f), Kind::kInt64});
    columns.push_back({"f" + std::to_string(f), Kind::kFloat});
    columns.push_back({"text " + std::to_string(f), Kind::kBytes});
  }
  return columns;
}

TEST(EntryPaths, RecordsOfProtobufAreNotWalked) {
  const auto records = WrittenByProtobuf(50);
  ForEachTarget([&] {
    const Trace trace = TraceOf(PlanOf(ColumnsOfProtobuf()), records);
    EXPECT_EQ(trace.general, 0u);
    EXPECT_EQ(trace.skipped, 0u);
    EXPECT_GT(trace.by_template, 9 * trace.by_shape);
  });
}

TEST(EntryPaths, WhatThePlanDoesNotHaveIsSteppedOver) {
  const auto records = WrittenByProtobuf(50);
  ForEachTarget([&] {
    const Trace trace = TraceOf(PlanOf({{"f7", Kind::kFloat}}), records);
    EXPECT_EQ(trace.general, 0u);
    EXPECT_GT(trace.skipped, 40 * trace.by_template);
    EXPECT_GT(trace.by_template, 40u);
  });
}

TEST(EntryPaths, OddEntriesAreWalked) {
  const auto feature = [](const std::string& list) {
    return FeatureOf(Kind::kInt64, list);
  };
  const Plan plan = PlanOf({{"a", Kind::kInt64}});
  const auto general = [&](const std::string& entries) {
    return TraceOf(plan, {ExampleOf(entries)}).general;
  };
  const auto by_shape = [&](const std::string& entries) {
    return TraceOf(plan, {ExampleOf(entries)}).by_shape;
  };
  EXPECT_EQ(general(EntryField("a", feature(PackedInt64s({1})))), 0u);
  EXPECT_EQ(general(EntryField("a", feature(UnpackedInt64s({1})))), 1u);
  EXPECT_EQ(general(EntryField("a", feature(PackedInt64s({})))), 1u);
  EXPECT_EQ(general(EntryField("a", "")), 0u);
  EXPECT_EQ(general(EntryField("a", feature(""))), 0u);
  EXPECT_EQ(general(EntryField("a", feature(PackedInt64s({1}))) +
                    EntryField("a", feature(PackedInt64s({2})))),
            1u);
  const std::string empty = EntryField("a", feature(""));
  EXPECT_EQ(by_shape(empty), 1u);
  EXPECT_EQ(by_shape(empty + empty), 1u);
}

// Lengths of one, two and three bytes are all that is taken without a walk.
TEST(EntryPaths, EntriesOfEveryLength) {
  const Plan plan = PlanOf({{"b", Kind::kBytes}, {"f", Kind::kFloat}});
  const auto trace = [&](size_t size) {
    const std::vector<float> floats(size / 4, 0.5f);
    const std::string text(size, 'x');
    return TraceOf(plan, {ExampleBuilder()
                              .Bytes("b", {text})
                              .Floats("f", floats)
                              .Bytes("other", {text})
                              .Build()});
  };
  for (const size_t size :
       {size_t{100}, size_t{200}, size_t{20000}, size_t{2000000}}) {
    EXPECT_EQ(trace(size).by_template + trace(size).by_shape, 2u) << size;
    EXPECT_EQ(trace(size).skipped, 1u) << size;
    EXPECT_EQ(trace(size).general, 0u) << size;
  }
  EXPECT_EQ(trace(3000000).general, 3u);
}

// A length of two bytes, the second of which is the tag of the key: from there
// on all is as in a short entry whose key begins with the real key's length.
TEST(EntryPaths, LengthsOfTwoBytesAreNotTakenForOne) {
  const std::string key = "abcdefghi";
  const std::string alike = "\tabcdefghi";
  const auto text = [](size_t size) {
    return FeatureOf(Kind::kBytes, LenField(1, std::string(size, 'x')));
  };
  // Of a short entry with `alike`, 120 bytes would make the length 0x8A.
  constexpr size_t kLength = 0x0A << 7 | 0x0A;
  std::string content = LenField(1, key) + LenField(2, text(120));
  // A field that nobody knows, with a head of three bytes.
  content += LenField(3, std::string(kLength - content.size() - 3, 'x'));
  ASSERT_EQ(content.size(), kLength);
  const std::string odd = ExampleOf(LenField(1, content));
  const std::string even = ExampleOf(EntryField(alike, text(1)));

  std::vector<std::string> in_order = {even, even, odd, even};
  // Until the order is no longer believed.
  std::vector<std::string> in_any_order;
  std::mt19937_64 random(82);
  std::vector<std::string> entries;
  for (int i = 0; i < 20; ++i) {
    entries.push_back(EntryField("other" + std::to_string(i), text(1)));
  }
  entries.push_back(EntryField(alike, text(1)));
  for (int i = 0; i < 30; ++i) {
    std::shuffle(entries.begin(), entries.end(), random);
    std::string features;
    for (const std::string& entry : entries) features += entry;
    in_any_order.push_back(ExampleOf(features));
  }
  in_any_order.push_back(odd);
  in_any_order.push_back(even);
  DecodeAgreement().Check({{key, Kind::kBytes}, {alike, Kind::kBytes}},
                          {in_order, in_any_order});
}

// Behind short entries that teach the order of the keys, entries with lengths
// of two bytes: some have the key that is guessed, some nearly have it.
TEST(EntryPaths, LongEntriesAreGuessedByTheirKeys) {
  const auto text = [](size_t size) {
    return FeatureOf(Kind::kBytes, BytesValues({std::string(size, 'x')}));
  };
  const auto record = [&](const std::string& odd) {
    return ExampleOf(EntryField("first", text(1)) + odd +
                     EntryField("last", text(1)));
  };
  const std::vector<std::string> keys = {"key_a", "key_b",  "key_c", "Key_a",
                                         "key_",  "key_a2", "last",  ""};
  std::vector<std::string> odd_ones = {EntryField("key_a", text(1)) +
                                       EntryField("key_a", text(200))};
  for (const std::string& key : keys) {
    const std::string content = LenField(1, key) + LenField(2, text(200));
    odd_ones.push_back(LenField(1, content));
    // Like an entry, but for its tag.
    odd_ones.push_back(LenField(2, content));
    odd_ones.push_back(LenField(1, content + VarintField(3, 7)));
    // The last key counts.
    odd_ones.push_back(LenField(1, content + LenField(1, "key_c")));
    // Longer than its map, and so is its value.
    odd_ones.push_back(LenFieldDeclaring(
        1, content.size() + 100,
        LenField(1, key) +
            LenFieldDeclaring(2, text(200).size() + 100, text(200))));
    odd_ones.push_back(LenField(1, LenField(2, text(200)) + LenField(1, key)));
    odd_ones.push_back(LenField(1, LenField(1, key) + LenField(3, text(200))));
    // So much more than one too few.
    for (const size_t more : std::initializer_list<size_t>{0, 2, 15, 1000}) {
      odd_ones.push_back(
          LenFieldDeclaring(1, content.size() - 1 + more, content));
      odd_ones.push_back(LenField(
          1, LenField(1, key) +
                 LenFieldDeclaring(2, text(200).size() - 1 + more, text(200))));
    }
  }
  const std::string short_one = EntryField("key_a", text(1));
  const std::string usual = record(short_one);
  std::vector<std::vector<std::string>> batches;
  // What is stepped over is compared only where it stands in one record.
  std::vector<std::string> records;
  for (const std::string& odd : odd_ones) {
    batches.push_back({usual, usual, record(odd), usual, record(odd)});
    const std::string other = EntryField("other", text(1));
    records.push_back(ExampleOf(other + short_one + other + odd));
  }
  // Where key_a is a column, and where it is a key that has been learnt.
  for (const std::string key : {"key_a", "key_c"}) {
    DecodeAgreement().Check({{"first", Kind::kBytes}, {key, Kind::kBytes}},
                            batches);
  }
  DecodeAgreement().CheckSingly({{"key_c", Kind::kBytes}}, records);

  // None of them is for the walk.
  records.clear();
  for (size_t i = 0; i < 100; ++i) {
    records.push_back(record(EntryField("key_a", text(100 + i))));
  }
  ForEachTarget([&] {
    Trace trace = TraceOf(PlanOf({{"key_a", Kind::kBytes}}), records);
    EXPECT_EQ(trace.general, 0u);
    EXPECT_EQ(trace.by_template + trace.by_shape, records.size());
    EXPECT_EQ(trace.skipped, 2 * records.size());
    trace = TraceOf(PlanOf({{"first", Kind::kBytes}}), records);
    EXPECT_EQ(trace.general, 0u);
    EXPECT_EQ(trace.by_template, records.size());
    EXPECT_EQ(trace.skipped, 2 * records.size());
  });
}

// Keys that one plan does not have are learnt; the next plan may have them.
TEST(EntryPaths, WhatIsLearntHoldsForOnePlan) {
  const auto field = [](const std::string& key) {
    return EntryField(key, FeatureOf(Kind::kInt64, PackedInt64s({key[0]})));
  };
  const std::vector<std::string> records(4, ExampleOf(field("a") + field("b")));
  decode::EntryOrder order;
  for (const std::string key : {"a", "b", "a"}) {
    const Plan plan = PlanOf({{key, Kind::kInt64}});
    column::ColumnSet columns(uint64_t{1} << 30);
    DecodeInto(plan, records, &order, &columns);
    ASSERT_TRUE(columns.Seal());
    const auto values = columns.columns()[0].int64s();
    EXPECT_EQ(std::vector<int64_t>(values.begin(), values.end()),
              std::vector<int64_t>(records.size(), key[0]));
  }
}

// As of a record's bytes, which go on behind the key.
uint32_t Learn(decode::EntryOrder* order, std::string key) {
  const size_t size = key.size();
  key.append(plan::kKeySlack, '\0');
  return order->Learn(reinterpret_cast<const uint8_t*>(key.data()), size);
}

// Keys whose hashes end alike would each be compared with all that are learnt.
TEST(EntryPaths, FewKeysOfLikeHashesAreLearnt) {
  constexpr size_t kKeys = 300, kFew = 8;
  const Plan plan = PlanOf({{"a", Kind::kInt64}});
  decode::EntryOrder order;
  order.Start(plan::Program::Of(plan));
  size_t learnt = 0;
  for (size_t i = 0, alike = 0; alike < kKeys; ++i) {
    const std::string key = "key " + std::to_string(i);
    const std::string padded = key + std::string(plan::kKeySlack, '\0');
    const auto* const bytes = reinterpret_cast<const uint8_t*>(padded.data());
    if ((plan::HashKey(bytes, key.size(), plan::KeyTable::Seed(0)) & 0x7FF) !=
        1)
      continue;
    ++alike;
    const uint32_t index = Learn(&order, key);
    if (index == plan::kNoSlot) continue;
    EXPECT_EQ(Learn(&order, key), index);
    ++learnt;
  }
  EXPECT_EQ(learnt, kFew);
}

// What is learnt outlives the bytes it was looked up in, which may have changed
// since then.
TEST(EntryPaths, OnlyTextThatThePlanDoesNotHaveIsLearnt) {
  const Plan plan = PlanOf({{"a", Kind::kInt64}});
  decode::EntryOrder order;
  order.Start(plan::Program::Of(plan));
  EXPECT_EQ(Learn(&order, "a"), plan::kNoSlot);
  EXPECT_EQ(Learn(&order, "\xFF"), plan::kNoSlot);
  EXPECT_NE(Learn(&order, "b"), plan::kNoSlot);
}

// Loops keep pointers to what is learnt.
TEST(EntryPaths, WhatIsLearntDoesNotMove) {
  const Plan plan = PlanOf({{"a", Kind::kInt64}});
  decode::EntryOrder order;
  order.Start(plan::Program::Of(plan));
  const auto* const templates = order.templates();
  const auto* const followers = order.followers();
  size_t learnt = 0;
  for (int i = 0; i < 2000; ++i) {
    learnt += Learn(&order, std::to_string(i)) != plan::kNoSlot;
  }
  EXPECT_EQ(learnt, 512u);
  EXPECT_EQ(order.templates(), templates);
  EXPECT_EQ(order.followers(), followers);
}

// The map ends before its last entry does, and what is cut off would pass for
// fields of the record.
TEST(EntryPaths, EntriesThatReachBeyondTheirMapAreMalformed) {
  const std::string fields = "\x78\x01\x78\x01\x78\x01\x78\x01";  // of 15
  std::vector<std::string> records;
  for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
    const std::string list =
        "\x0A" + std::string(1, static_cast<char>(fields.size())) + fields;
    const std::string entry = EntryField("a", FeatureOf(kind, list));
    for (size_t cut = 0; cut <= fields.size(); cut += 2) {
      records.push_back("\x0A" +
                        std::string(1, static_cast<char>(entry.size() - cut)) +
                        entry);
    }
  }
  for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
    DecodeAgreement().CheckSingly({{"a", kind}}, records);
    DecodeAgreement().CheckSingly({{"b", kind}}, records);
  }
}

// A step's values are decoded before they have been looked at, where there is
// room for as many as there are bytes; and after, where there is none.
TEST(EntryPaths, StepsWithBadRunsAreMalformed) {
  const std::string good = FeatureOf(Kind::kInt64, PackedInt64s({1, 2}));
  const std::string cut = "\x80", too_long(11, '\x80');
  std::vector<std::string> records;
  for (const std::string& run : {cut, too_long + "\x01", std::string("\x01")}) {
    const std::string bad = FeatureOf(Kind::kInt64, LenField(1, run));
    for (const std::string& list :
         {FeatureListOf({bad}), FeatureListOf({good, bad, good})}) {
      records.push_back(FeatureListsField(EntryField("s", list)));
    }
  }
  for (const std::string& run : {std::string(3, 'x'), std::string(8, 'x')}) {
    const std::string odd = FeatureOf(Kind::kFloat, LenField(1, run));
    records.push_back(FeatureListsField(EntryField("f", FeatureListOf({odd}))));
  }
  DecodeAgreement().CheckSingly(
      {{"s", Kind::kInt64, true}, {"f", Kind::kFloat, true}}, records);
}

// The walk judges fields of a list that are like a step but for the tag, and
// steps that end behind their list, where what follows would be their rest.
TEST(EntryPaths, WhatIsNearlyAStepIsWalked) {
  std::vector<std::string> records;
  const std::string step = FeatureOf(Kind::kInt64, PackedInt64s({1, 2, 3}));
  ASSERT_EQ(step.size(), 7u);
  for (int tag = 0; tag < 128; ++tag) {
    records.push_back(FeatureListsField(
        EntryField("s", LenField(1, step) + static_cast<char>(tag) +
                            LenField(1, step).substr(1))));
  }
  for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
    const std::string fields = "\x78\x01\x78\x01\x78\x01\x78\x01";  // of 15
    const std::string list =
        FeatureListOf({FeatureOf(kind, LenField(1, fields))});
    for (size_t cut = 2; cut <= fields.size(); cut += 2) {
      const std::string content =
          LenField(1, "s") + LenFieldDeclaring(2, list.size() - cut, list);
      records.push_back(FeatureListsField(
          LenFieldDeclaring(1, content.size() - cut, content)));
    }
    DecodeAgreement().CheckSingly({{"s", kind, true}}, records);
  }
}

// Lengths up to 127 have one byte each, and the longest of them is that of the
// Feature.
TEST(EntryPaths, ShortStepsAreTakenByTheirHeads) {
  for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
    for (const size_t size : {1u, 4u, 7u, 8u, 9u, 120u, 123u, 124u, 128u}) {
      if (kind == Kind::kFloat && size % 4 != 0) continue;
      std::string payload(size, '\x01');
      if (kind == Kind::kInt64) {
        if (size > 9) continue;
        payload.assign(size - 1, '\x81');
        payload.push_back('\x01');
      }
      const std::string step = FeatureOf(kind, LenField(1, payload));
      const std::vector<std::string> records(
          20, FeatureListsField(EntryField(
                  "s", FeatureListOf({step, step, step, step, step}))));
      DecodeAgreement().CheckSingly({{"s", kind, true}}, records);
      const bool is_short = size <= 123 && !(kind == Kind::kInt64 && size > 8);
      const uint64_t taken =
          TraceOf(PlanOf({{"s", kind, true}}), records).short_steps;
      // A column without room leaves a step to the other way, and grows.
      EXPECT_GE(taken, is_short ? 80u : 0u) << size;
      EXPECT_LE(taken, is_short ? 100u : 0u) << size;
    }
  }
}

// Records come behind others, of which the column has its room.
TEST(EntryPaths, EveryByteOfAStepsHeadCounts) {
  const auto record_of = [](std::string_view list) {
    return FeatureListsField(EntryField("s", list));
  };
  for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
    const auto step_of = [kind](size_t size) {
      std::string payload(size, kind == Kind::kInt64 ? '\x81' : '\x02');
      payload.back() = '\x01';
      return FeatureOf(kind, LenField(1, payload));
    };
    for (const size_t size : {4u, 8u, 120u}) {
      if (kind == Kind::kInt64 && size > 8) continue;
      const std::string step = step_of(size);
      const std::string list = FeatureListOf({step, step, step, step});
      const std::string usual = record_of(list);
      std::vector<std::vector<std::string>> batches(
          2, std::vector<std::string>(40, usual));
      for (size_t at = list.size() / 2; at < list.size() / 2 + 9; ++at) {
        for (int byte = 0; byte < 256; ++byte) {
          std::string changed = list;
          changed[at] = static_cast<char>(byte);
          batches.push_back({usual, record_of(changed), usual});
        }
      }
      // All lengths of a step, with right heads.
      for (size_t other = 1; other <= 130; ++other) {
        if (kind == Kind::kInt64 && other > 9) break;
        batches.push_back(
            {usual, record_of(FeatureListOf({step, step_of(other), step})),
             usual});
      }
      // A length that no longer fits its byte carries into the tag behind it.
      std::string carried = step_of(252).substr(0, 6);
      carried = {'\x0A', '\0',   static_cast<char>(step[0] + 1),
                 '\xFE', '\x0A', '\xFC'};
      batches.push_back({usual,
                         record_of(FeatureListOf({step}) + carried +
                                   std::string(252, '\x01')),
                         usual});
      DecodeAgreement().Check({{"s", kind, true}}, batches);
    }
  }
}

}  // namespace
}  // namespace headrace::testing
