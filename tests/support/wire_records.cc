// These families are about tf.train rather than about single fields.

#include <bit>
#include <cstdint>
#include <limits>

#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/wire_families.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

using Specimens = std::vector<Specimen>;

const std::string kFirst = Int64Feature({1, 2});
const std::string kSecond = Int64Feature({3});
const std::string kOther = FloatFeature({0.5f, -0.0f});
const std::string kThird = BytesFeature({"x", ""});

std::string OneFeature(std::string_view content) {
  return ExampleOf(EntryField("a", content));
}

std::string WithKey(std::string_view key) {
  return ExampleOf(EntryField(key, kFirst));
}

// The feature is in a map, and between the steps of a feature list.
void AddFeature(const std::string& name, const std::string& feature,
                Specimens* specimens) {
  specimens->push_back({name, OneFeature(feature)});
  specimens->push_back(
      {name + ", in a step", FeatureListsField(EntryField(
                                 "a", FeatureListOf({kSecond, feature, ""})))});
}

void AddKeys(Specimens* accepted, Specimens* rejected) {
  for (const char* hex :
       {"", "00", "6100", "7f", "c280", "dfbf", "e0a080", "ed9fbf", "ee8080",
        "efbfbf", "f0908080", "f48fbfbf", "61c3a962", "e697a5e69cac"}) {
    accepted->push_back({std::string("key ") + hex, WithKey(Hex(hex))});
  }
  for (const char* hex :
       {"80",       "bf",          "c080",     "c1bf",     "c2",
        "c27f",     "c2c0",        "e08080",   "e09fbf",   "e282",
        "ed a0 80", "ed bf bf",    "f0808080", "f08fbfbf", "f4908080",
        "f5808080", "f8888080 80", "fffe",     "fe",       "f09080",
        "61ff",     "e2 28 a1"}) {
    rejected->push_back({std::string("key ") + hex, WithKey(Hex(hex))});
    rejected->push_back({std::string("feature list key ") + hex,
                         FeatureListsField(EntryField(Hex(hex), ""))});
    rejected->push_back(
        {std::string("key replaced by a good one ") + hex,
         ExampleOf(LenField(kMapEntry, LenField(kEntryKey, Hex(hex)) +
                                           LenField(kEntryKey, "a")))});
  }
  for (size_t size : {15u, 16u, 17u, 63u, 64u, 65u, 127u, 128u, 1000u}) {
    const std::string name = " in a key of " + std::to_string(size);
    accepted->push_back({"ASCII" + name, WithKey(std::string(size, 'k'))});
    for (size_t at : {size_t{0}, size / 2, size - 1}) {
      std::string key(size, 'k');
      key[at] = '\x80';
      rejected->push_back({"bad byte" + name, WithKey(key)});
    }
  }
}

void AddEntries(Specimens* accepted) {
  const auto entry = [&](const char* name, const std::string& content) {
    accepted->push_back({std::string("entry: ") + name,
                         ExampleOf(LenField(kMapEntry, content))});
  };
  const std::string key = LenField(kEntryKey, "a");
  const auto value = [](std::string_view feature) {
    return LenField(kEntryValue, feature);
  };
  entry("empty", "");
  entry("key alone", key);
  entry("value alone", value(kFirst));
  entry("value before key", value(kFirst) + key);
  entry("two keys", key + LenField(kEntryKey, "b") + value(kFirst));
  entry("key after value again", key + value(kFirst) + LenField(1, "b"));
  entry("values of one kind", key + value(kFirst) + value(kSecond));
  entry("values of two kinds", key + value(kFirst) + value(kOther));
  entry("kinds A, B, A", key + value(kFirst) + value(kOther) + value(kSecond));
  entry("value, then unset", key + value(kFirst) + value(""));
  entry("unset, then value", key + value("") + value(kFirst));
  entry("unknown around", VarintField(15, 1) + key + Group(9) + value(kFirst) +
                              VarintField(3, 1));
}

// Values of the map of feature lists merge by joining their steps.
void AddListEntries(Specimens* accepted) {
  const auto entry = [&](const char* name, const std::string& content) {
    accepted->push_back({std::string("feature list entry: ") + name,
                         FeatureListsField(LenField(kMapEntry, content))});
  };
  const std::string key = LenField(kEntryKey, "a");
  const std::string one = LenField(kEntryValue, FeatureListOf({kFirst}));
  const std::string two =
      LenField(kEntryValue, FeatureListOf({kOther, "", kThird}));
  entry("empty", "");
  entry("key alone", key);
  entry("value alone", one);
  entry("value before key", two + key);
  entry("two keys", key + LenField(kEntryKey, "b") + one);
  entry("key after value again", key + one + LenField(1, "b"));
  entry("values that are joined", key + one + two + one);
  entry("value, then none", key + one + LenField(kEntryValue, ""));
  entry("unknown around",
        VarintField(15, 1) + key + Group(9) + one + VarintField(3, 1));
  const std::string field = FeatureListsField(EntryField("a", ""));
  const std::string again = FeatureListsField(
      EntryField("b", FeatureListOf({kFirst})) + EntryField("a", ""));
  accepted->push_back({"feature lists in two fields", field + again});
  accepted->push_back({"context in two fields, feature lists between",
                       OneFeature(kFirst) + again +
                           ExampleOf(EntryField("b", kOther)) + field});
}

void AddDuplicates(Specimens* accepted) {
  const std::string features[] = {"",
                                  kFirst,
                                  kSecond,
                                  kOther,
                                  kThird,
                                  FeatureOf(Kind::kInt64, ""),
                                  FeatureOf(Kind::kFloat, "")};
  for (const std::string& first : features) {
    for (const std::string& last : features) {
      accepted->push_back({"duplicate key", ExampleOf(EntryField("a", first) +
                                                      EntryField("b", kThird) +
                                                      EntryField("a", last))});
      accepted->push_back({"features twice",
                           OneFeature(first) + ExampleOf(EntryField("b", "")) +
                               OneFeature(last)});
      AddFeature("lists in one feature", first + last, accepted);
      AddFeature("three lists in one feature", first + last + first, accepted);
      accepted->push_back(
          {"feature list twice",
           FeatureListsField(EntryField("a", FeatureListOf({first, last})) +
                             EntryField("a", FeatureListOf({last})))});
    }
  }
}

// Lists have every layout, with odd bytes between the values.
void AddLayouts(Specimens* accepted) {
  const auto list = [&](const char* name, Kind kind, const std::string& bytes) {
    AddFeature(std::string("layout: ") + name, FeatureOf(kind, bytes),
               accepted);
  };
  const std::string run = PackedInt64s({1, -2, 300});
  const std::string single = UnpackedInt64s({7});
  list("int64 unpacked", Kind::kInt64, UnpackedInt64s({1, -2, 300}));
  list("int64 mixed", Kind::kInt64, single + run + single + single + run);
  list("int64 split", Kind::kInt64, run + run + PackedInt64s({}) + run);
  list("int64 empty run", Kind::kInt64, PackedInt64s({}));
  list("int64 between unknown", Kind::kInt64,
       run + Group(4) + single + Fixed32Field(1, 1) + run + Fixed64Field(1, 1));
  const std::string floats = PackedFloats({1.0f, -0.0f});
  const std::string one = UnpackedFloats({2.5f});
  list("float unpacked", Kind::kFloat, one + one);
  list("float mixed", Kind::kFloat, one + floats + one + floats);
  list("float empty run", Kind::kFloat, PackedFloats({}));
  list("float between unknown", Kind::kFloat,
       floats + VarintField(1, 1) + one + Fixed64Field(1, 1) + floats);
  list("bytes between unknown", Kind::kBytes,
       LenField(1, "x") + VarintField(1, 1) + LenField(1, "") +
           LenField(2, "not a value") + LenField(1, Hex("ff00")));
}

void AddExtremes(Specimens* accepted) {
  using Limits = std::numeric_limits<int64_t>;
  std::vector<int64_t> values = {0, 1, -1, Limits::max(), Limits::min()};
  for (int bits = 7; bits < 63; bits += 7) {
    const auto edge = static_cast<int64_t>(uint64_t{1} << bits);
    values.insert(values.end(), {edge - 1, edge, -edge, -edge - 1});
  }
  AddFeature("int64 extremes", Int64Feature(values), accepted);
  AddFeature("int64 extremes unpacked",
             FeatureOf(Kind::kInt64, UnpackedInt64s(values)), accepted);
  for (size_t size = 1; size <= 10; ++size) {
    AddFeature(
        "int64 in varints of " + std::to_string(size),
        FeatureOf(Kind::kInt64, LenField(1, PackedVarints(values, size))),
        accepted);
  }
  std::string packed, unpacked;
  for (uint32_t pattern :
       {0x00000000u, 0x80000000u, 0x00000001u, 0x807FFFFFu, 0x7F7FFFFFu,
        0x7F800000u, 0xFF800000u, 0x7FC00000u, 0x7FADBEEFu, 0xFFFFFFFFu}) {
    packed += Fixed32(pattern);
    unpacked += Fixed32Field(1, pattern);
  }
  AddFeature("float patterns", FeatureOf(Kind::kFloat, LenField(1, packed)),
             accepted);
  AddFeature("float patterns unpacked", FeatureOf(Kind::kFloat, unpacked),
             accepted);
  for (size_t size : {0u, 1u, 127u, 128u, 16383u, 16384u}) {
    AddFeature("bytes of " + std::to_string(size),
               BytesFeature({std::string(size, '\xff')}), accepted);
  }
}

void AddBrokenRuns(Specimens* rejected) {
  const auto list = [&](const std::string& name, Kind kind,
                        const std::string& bytes) {
    rejected->push_back({name, OneFeature(FeatureOf(kind, bytes))});
    // A later entry replaces it, but it is still no message.
    rejected->push_back({name + ", replaced",
                         ExampleOf(EntryField("a", FeatureOf(kind, bytes)) +
                                   EntryField("a", kFirst))});
    rejected->push_back({name + ", in a step",
                         FeatureListsField(EntryField(
                             "a", FeatureListOf({FeatureOf(kind, bytes)})))});
  };
  for (size_t stray = 1; stray < 4; ++stray) {
    list("packed floats and " + std::to_string(stray) + " bytes", Kind::kFloat,
         LenField(1, std::string(8 + stray, '\1')));
  }
  for (size_t values : {0u, 1u, 7u, 8u, 15u, 16u, 31u, 32u, 63u, 64u, 200u}) {
    const std::string run(values, '\1');
    const std::string name = " after " + std::to_string(values) + " values";
    list("cut varint" + name, Kind::kInt64, LenField(1, run + Hex("80")));
    list("cut long varint" + name, Kind::kInt64,
         LenField(1, run + Hex("ffffffffffffffffff")));
    list("11-byte varint" + name, Kind::kInt64,
         LenField(1, run + Varint(1, 11) + run));
    list("length beyond the list" + name, Kind::kInt64,
         LenFieldDeclaring(1, values + 1, run));
    list("bytes beyond the list" + name, Kind::kBytes,
         LenFieldDeclaring(1, values + 1, run));
  }
}

}  // namespace

std::vector<Specimen> RejectedRecords() {
  Specimens accepted;
  Specimens rejected;
  AddKeys(&accepted, &rejected);
  SetFamily("keys that are not UTF-8", &rejected);
  AddBrokenRuns(&rejected);
  SetFamily("broken runs", &rejected);
  return rejected;
}

std::vector<Specimen> AcceptedRecords() {
  Specimens accepted;
  Specimens rejected;
  AddKeys(&accepted, &rejected);
  SetFamily("keys", &accepted);
  AddEntries(&accepted);
  SetFamily("map entries", &accepted);
  AddListEntries(&accepted);
  SetFamily("map entries of feature lists", &accepted);
  AddDuplicates(&accepted);
  SetFamily("merges and oneofs", &accepted);
  AddLayouts(&accepted);
  SetFamily("packed and not", &accepted);
  AddExtremes(&accepted);
  SetFamily("extreme values", &accepted);
  accepted.push_back({"empty", ""});
  accepted.push_back({"empty features", ExampleOf("")});
  accepted.push_back({"empty feature lists", FeatureListsField("")});
  SetFamily("nothing", &accepted);
  return accepted;
}

}  // namespace headrace::testing
