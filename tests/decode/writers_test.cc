// What the usual writers write is taken without the walk: of their features at
// least 99 in 100. Each writer is emulated where it cannot be run, and the
// emulation compared with bytes of the real one.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "gtest/gtest.h"
#include "headrace/plan.h"
#include "src/decode/example/entry_order.h"
#include "src/sample/example_builder.h"
#include "tests/decode/entry_trace.h"
#include "tests/naive/example.pb.h"
#include "tests/random/random_example.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"

namespace headrace::testing {
namespace {

using Trace = decode::EntryOrder::Trace;

// One key of a record, and what it holds. Of kind kNull it is unset.
struct Feature {
  std::string key;
  Kind kind = Kind::kNull;
  std::vector<int64_t> ints = {};
  std::vector<float> floats = {};
  std::vector<std::string> strings = {};
};
using Features = std::vector<Feature>;

// ------------------------------------------------------------------ Writers

template <class Builder>
void AddAll(const Features& features, Builder* builder) {
  for (const Feature& feature : features) {
    switch (feature.kind) {
      case Kind::kNull:
        builder->Unset(feature.key);
        break;
      case Kind::kInt64:
        builder->Int64s(feature.key, feature.ints);
        break;
      case Kind::kFloat:
        builder->Floats(feature.key, feature.floats);
        break;
      case Kind::kBytes:
        builder->Bytes(feature.key, feature.strings);
        break;
    }
  }
}

// Java and pure Python, whose maps keep the order of insertion; Go in another
// order each time; C++ and upb in that of their hash tables. What they write of
// one feature is the same.
std::string WriteInOrder(const Features& features) {
  ExampleBuilder builder;
  AddAll(features, &builder);
  return builder.Build();
}

// Python and C++ where they are asked to be deterministic.
std::string WriteSorted(Features features) {
  std::sort(features.begin(), features.end(),
            [](const Feature& a, const Feature& b) { return a.key < b.key; });
  return WriteInOrder(features);
}

std::string WriteShuffled(Features features, Random* random) {
  for (size_t i = features.size(); i > 1; --i) {
    std::swap(features[i - 1], features[random->Below(i)]);
  }
  return WriteInOrder(features);
}

std::string WriteByProtobuf(const Features& features, bool sorted) {
  tf::train::Example example;
  auto& map = *example.mutable_features()->mutable_feature();
  for (const Feature& feature : features) {
    auto& value = map[feature.key];
    if (feature.kind == Kind::kInt64) {
      value.mutable_int64_list()->mutable_value()->Add(feature.ints.begin(),
                                                       feature.ints.end());
    } else if (feature.kind == Kind::kFloat) {
      value.mutable_float_list()->mutable_value()->Add(feature.floats.begin(),
                                                       feature.floats.end());
    } else if (feature.kind == Kind::kBytes) {
      auto* const list = value.mutable_bytes_list();
      for (const std::string& text : feature.strings) list->add_value(text);
    }
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(sorted);
    EXPECT_TRUE(example.SerializeToCodedStream(&coded));
  }
  return bytes;
}

// The program's own, for JSON lines and made-up data.
std::string WriteByHeadrace(const Features& features) {
  sample::ExampleBuilder builder;
  AddAll(features, &builder);
  return builder.Finish();
}

// ------------------------------------------------------------------ Emulation

Features Specimen() {
  return {{"label", Kind::kInt64, {1}},
          {"a", Kind::kInt64, {1, -1, 300}},
          {"weights", Kind::kFloat, {}, {0.5f, -2.0f}},
          {"text", Kind::kBytes, {}, {}, {"x", "", "yz"}},
          {"empty", Kind::kInt64},
          {"unset", Kind::kNull},
          {"", Kind::kFloat, {}, {1.0f}}};
}

Features InOrder(const Features& features, std::vector<size_t> order) {
  Features ordered;
  for (const size_t i : order) ordered.push_back(features[i]);
  return ordered;
}

// SerializeToString of protobuf 7.36.2 for Python.
TEST(Writers, EmulationIsWhatPythonWrites) {
  EXPECT_EQ(ToHex(WriteInOrder(Specimen())),
            "0a7c0a0e0a056c6162656c12051a030a01010a160a016112111a0f0a0d01ffffff"
            "ffffffffffff01ac020a170a0777656967687473120c120a0a080000003f000000"
            "c00a130a0474657874120b0a090a01780a000a02797a0a0b0a05656d7074791202"
            "1a000a090a05756e73657412000a0c0a00120812060a040000803f");
  // By upb: empty, text, weights, a, "", unset, label.
  EXPECT_EQ(ToHex(WriteInOrder(InOrder(Specimen(), {4, 3, 2, 1, 6, 5, 0}))),
            "0a7c0a0b0a05656d70747912021a000a130a0474657874120b0a090a01780a000a"
            "02797a0a170a0777656967687473120c120a0a080000003f000000c00a160a0161"
            "12111a0f0a0d01ffffffffffffffffff01ac020a0c0a00120812060a040000803f"
            "0a090a05756e73657412000a0e0a056c6162656c12051a030a0101");
}

TEST(Writers, EmulationIsWhatLibprotobufWrites) {
  EXPECT_EQ(ToHex(WriteByProtobuf(Specimen(), /*sorted=*/true)),
            ToHex(WriteSorted(Specimen())));
}

TEST(Writers, EmulationIsWhatHeadraceWrites) {
  EXPECT_EQ(ToHex(WriteByHeadrace(Specimen())),
            ToHex(WriteInOrder(Specimen())));
}

// ------------------------------------------------------------------ Records

// Keys of 1 to 60 bytes, each of one kind, in no order.
std::string NameOf(size_t i) {
  std::string key(1 + i * 37 % 60, static_cast<char>('a' + i % 26));
  const std::string number = std::to_string(i);
  return key.size() <= number.size() ? key
                                     : key.replace(1, number.size(), number);
}

Feature RandomFeature(size_t i, size_t count, Random* random) {
  Feature feature{NameOf(i), static_cast<Kind>(1 + i % 3)};
  for (size_t k = 0; k < count; ++k) {
    if (feature.kind == Kind::kInt64) feature.ints.push_back(random->Int64());
    if (feature.kind == Kind::kFloat) feature.floats.push_back(0.25f);
    if (feature.kind == Kind::kBytes) {
      feature.strings.push_back(random->Bytes(random->Below(40)));
    }
  }
  return feature;
}

// What a record is made of.
struct Content {
  std::string name;
  std::vector<size_t> counts;  // of values; one is drawn for each feature
  size_t lacking_one_in = 10;
  size_t unset_one_in = 0;  // 0: never
};

constexpr size_t kKeys = 48;

std::vector<Features> Records(const Content& content, Random* random) {
  std::vector<Features> records(40);
  for (Features& features : records) {
    for (size_t i = 0; i < kKeys; ++i) {
      if (random->OneIn(content.lacking_one_in)) continue;
      const size_t count = random->Pick(content.counts);
      features.push_back(RandomFeature(i, count, random));
      if (content.unset_one_in != 0 && random->OneIn(content.unset_one_in)) {
        features.back() = {NameOf(i), Kind::kNull};
      }
    }
  }
  return records;
}

Plan PlanOfEvery(size_t nth) {
  std::vector<ColumnField> columns;
  for (size_t i = 0; i < kKeys; i += nth) {
    columns.push_back({NameOf(i), static_cast<Kind>(1 + i % 3)});
  }
  return *Plan::ForColumns(columns);
}

// One set of records as each writer writes them.
struct Written {
  std::string writer;
  std::vector<std::string> records;
};

std::vector<Written> WriteAll(const std::vector<Features>& records) {
  std::vector<Written> all = {{"insertion order", {}}, {"sorted", {}},
                              {"shuffled", {}},        {"libprotobuf", {}},
                              {"deterministic", {}},   {"headrace", {}}};
  Random random(/*seed=*/92);
  for (const Features& features : records) {
    all[0].records.push_back(WriteInOrder(features));
    all[1].records.push_back(WriteSorted(features));
    all[2].records.push_back(WriteShuffled(features, &random));
    all[3].records.push_back(WriteByProtobuf(features, /*sorted=*/false));
    all[4].records.push_back(WriteByProtobuf(features, /*sorted=*/true));
    all[5].records.push_back(WriteByHeadrace(features));
  }
  return all;
}

// Of 10000 features, those that are walked.
uint64_t WalkedShare(const Trace& trace, size_t num_features) {
  return trace.general * 10000 / num_features;
}

void ExpectNotWalked(const Content& content) {
  SCOPED_TRACE(content.name);
  Random random(/*seed=*/91);
  const std::vector<Features> records = Records(content, &random);
  const size_t num_features =
      std::accumulate(records.begin(), records.end(), size_t{0},
                      [](size_t sum, const Features& features) {
                        return sum + features.size();
                      });
  const Plan all = PlanOfEvery(1), few = PlanOfEvery(5);
  for (const Written& written : WriteAll(records)) {
    SCOPED_TRACE(written.writer);
    // Its hash tables have another order in every process. In a few orders one
    // entry of the hundreds is walked.
    const uint64_t most = written.writer == "libprotobuf" ? 10 : 0;
    ForEachTarget([&] {
      Trace trace = TraceOf(all, written.records);
      EXPECT_LE(WalkedShare(trace, num_features), most);
      EXPECT_EQ(trace.skipped, 0u);
      trace = TraceOf(few, written.records);
      EXPECT_LE(WalkedShare(trace, num_features), most);
      EXPECT_GT(trace.skipped, num_features * 7 / 10);
    });
  }
}

TEST(Writers, FeaturesAreNotWalked) {
  ExpectNotWalked({"scalars", {1}});
  ExpectNotWalked({"scalars, all there", {1}, 1'000'000});
  ExpectNotWalked({"five values", {5}});
  ExpectNotWalked({"two hundred values", {200}});
  ExpectNotWalked({"every length", {1, 2, 5, 17, 200}});
  ExpectNotWalked({"empty and unset", {0, 1, 3}, 10, 5});
}

}  // namespace
}  // namespace headrace::testing
