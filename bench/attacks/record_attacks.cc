// Records have odd but legal form, a file mostly one large record: what it
// costs must not depend on how it is cut.

#include <cstdio>
#include <memory>
#include <utility>

#include "bench/attacks/attack.h"
#include "bench/bench_data.h"
#include "bench/sides/headrace_side.h"
#include "headrace/types.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/wire_writer.h"

namespace headrace::bench {
namespace {

using testing::EntryField;
using testing::ExampleOf;
using testing::FeatureListsField;
using testing::FeatureOf;
using testing::Hex;
using testing::LenField;

std::string NameOf(size_t i) {
  char name[32];
  std::snprintf(name, sizeof(name), "f%07zu", i);
  return name;
}

std::string ExampleWith(std::string_view feature) {
  return ExampleOf(EntryField("a", feature));
}

Work DecodingOne(Kind kind, const std::string& payload) {
  return Decoding({{"a", kind}}, FileOf(payload));
}

// A repeated piece makes the list.
template <Kind kKind>
Work ListOf(std::string_view piece, size_t bytes) {
  return DecodingOne(kKind,
                     ExampleWith(FeatureOf(kKind, Repeated(piece, bytes))));
}

template <Kind kKind>
Work PackedRun(std::string_view values, size_t bytes) {
  const std::string run = LenField(1, Repeated(values, bytes));
  return DecodingOne(kKind, ExampleWith(FeatureOf(kKind, run)));
}

Work PackedInts(size_t bytes) {
  return PackedRun<Kind::kInt64>(Hex("01"), bytes);
}

Work WideInts(size_t bytes) {
  return PackedRun<Kind::kInt64>(Hex("ffffffffff1f"), bytes);
}

Work PackedFloats(size_t bytes) {
  return PackedRun<Kind::kFloat>(Hex("0000803f"), bytes);
}

// Records have twenty numbers with the shortest of names.
constexpr std::string_view kLetters = "abcdefghijklmnopqrst";

std::string ScalarsFile(size_t bytes) {
  testing::ExampleBuilder builder;
  for (const char& letter : kLetters) builder.Int64s({&letter, 1}, {letter});
  const std::string record = builder.Build();
  std::string file;
  while (file.size() < bytes) AppendRecord(record, &file);
  return file;
}

Work Scalars(size_t bytes) {
  std::vector<ColumnField> columns;
  for (const char letter : kLetters) {
    columns.push_back({std::string(1, letter), Kind::kInt64});
  }
  return Decoding(std::move(columns), ScalarsFile(bytes));
}

Work UnaskedScalars(size_t bytes) {
  return Decoding({{"z", Kind::kInt64}}, ScalarsFile(bytes));
}

Work StepsOf(std::string_view step, size_t bytes) {
  const std::string lists =
      FeatureListsField(EntryField("a", Repeated(LenField(1, step), bytes)));
  return Decoding({{"a", Kind::kInt64, /*in_sequence=*/true}}, FileOf(lists));
}

Work Steps(size_t bytes) { return StepsOf(testing::Int64Feature({1}), bytes); }

Work AlternatingInts(size_t bytes) {
  return ListOf<Kind::kInt64>(Hex("0a0101 0801"), bytes);
}

Work AlternatingFloats(size_t bytes) {
  return ListOf<Kind::kFloat>(Hex("0a040000803f 0d0000803f"), bytes);
}

Work UnpackedInts(size_t bytes) {
  return ListOf<Kind::kInt64>(Hex("0801"), bytes);
}

Work TinyRuns(size_t bytes) {
  return ListOf<Kind::kInt64>(Hex("0a0101"), bytes);
}

Work RunsOfTwo(size_t bytes) {
  return ListOf<Kind::kInt64>(Hex("0a020101"), bytes);
}

Work EmptyRuns(size_t bytes) {
  return ListOf<Kind::kInt64>(Hex("0a00"), bytes);
}

Work EmptyStrings(size_t bytes) {
  return ListOf<Kind::kBytes>(Hex("0a00"), bytes);
}

Work LongVarints(size_t bytes) {
  return PackedRun<Kind::kInt64>(Hex("80808080808080808000"), bytes);
}

// Each value needs another number of bytes than the one before.
Work EveryWidth(size_t bytes) {
  std::string values;
  for (size_t size = 1; size <= 10; ++size) {
    values += testing::Varint(1, size) + testing::Varint(1, 11 - size);
  }
  return PackedRun<Kind::kInt64>(values, bytes);
}

Work LongTags(size_t bytes) {
  return ListOf<Kind::kInt64>(Hex("8a80808000 8180808000 01"), bytes);
}

Work LongEntries(size_t bytes) {
  const std::string feature = testing::Int64Feature({1});
  const std::string tag = testing::Tag(1, testing::WireType::kLen, 5);
  const std::string entry = tag + testing::Varint(1, 5) + "a" +
                            testing::Tag(2, testing::WireType::kLen, 5) +
                            testing::Varint(feature.size(), 5) + feature;
  return DecodingOne(
      Kind::kInt64,
      ExampleOf(
          Repeated(tag + testing::Varint(entry.size(), 5) + entry, bytes)));
}

Work UnknownTags(size_t bytes) {
  return ListOf<Kind::kInt64>(Hex("1001 8501 01000000 0801"), bytes);
}

// Fields have every wire type, and one byte of value, or none where possible.
std::string UnknownFields(size_t bytes) {
  return Repeated(Hex("7801 7d00000000 790000000000000000 7a00 7b7c"), bytes);
}

Work UnknownEverywhere(size_t bytes) {
  const std::string odd = UnknownFields(bytes / 5);
  const std::string list = odd + testing::PackedInt64s({1});
  const std::string feature = odd + FeatureOf(Kind::kInt64, list);
  const std::string entry = odd + LenField(1, "a") + LenField(2, feature);
  return DecodingOne(Kind::kInt64, odd + ExampleOf(odd + LenField(1, entry)));
}

Work UnknownInSequences(size_t bytes) {
  const std::string odd = UnknownFields(bytes / 6);
  const std::string list = odd + testing::PackedInt64s({1});
  const std::string step = odd + FeatureOf(Kind::kInt64, list);
  const std::string entry =
      odd + LenField(1, "a") + LenField(2, odd + LenField(1, step));
  return Decoding({{"a", Kind::kInt64, /*in_sequence=*/true}},
                  FileOf(FeatureListsField(odd + LenField(1, entry))));
}

Work DeepGroups(size_t bytes) {
  const std::string groups = testing::NestedGroups(15, 100);
  return DecodingOne(Kind::kInt64, Repeated(groups, bytes));
}

Work DeepGroupsInLists(size_t bytes) {
  return ListOf<Kind::kInt64>(testing::NestedGroups(15, 96), bytes);
}

Work SameKey(size_t bytes) {
  const std::string entry = EntryField("a", testing::Int64Feature({1}));
  return DecodingOne(Kind::kInt64, ExampleOf(Repeated(entry, bytes)));
}

// What came before is dropped each time.
Work SameKeyAfterALongOne(size_t bytes) {
  const std::string run = LenField(1, std::string(bytes / 2, '\1'));
  const std::string entry = EntryField("a", testing::Int64Feature({1}));
  return DecodingOne(Kind::kInt64,
                     ExampleOf(EntryField("a", FeatureOf(Kind::kInt64, run)) +
                               Repeated(entry, bytes / 2)));
}

Work SameFeatureList(size_t bytes) {
  const std::string entry =
      EntryField("a", testing::FeatureListOf({testing::Int64Feature({1})}));
  return Decoding({{"a", Kind::kInt64, /*in_sequence=*/true}},
                  FileOf(FeatureListsField(Repeated(entry, bytes))));
}

Work SplitValues(size_t bytes) {
  const std::string value = LenField(2, testing::Int64Feature({1}));
  return DecodingOne(
      Kind::kInt64,
      ExampleOf(LenField(1, LenField(1, "a") + Repeated(value, bytes))));
}

Work SplitLists(size_t bytes) {
  return DecodingOne(Kind::kInt64,
                     ExampleWith(Repeated(testing::Int64Feature({1}), bytes)));
}

Work SplitFeatures(size_t bytes) {
  const std::string part = ExampleWith(testing::Int64Feature({1}));
  return DecodingOne(Kind::kInt64, Repeated(part, bytes));
}

// Each list of another kind discards the one before.
Work ChangingKinds(size_t bytes) {
  const std::string lists =
      testing::FloatFeature({1.0f}) + testing::Int64Feature({1});
  return DecodingOne(Kind::kInt64, ExampleWith(Repeated(lists, bytes)));
}

Work RepeatedKeys(size_t bytes) {
  const std::string keys = Repeated(LenField(1, "b"), bytes);
  return DecodingOne(Kind::kInt64,
                     ExampleOf(LenField(1, keys + LenField(1, "a"))));
}

Work EmptySteps(size_t bytes) { return StepsOf("", bytes); }

Work EmptyEntries(size_t bytes) {
  return DecodingOne(Kind::kInt64, ExampleOf(Repeated(LenField(1, ""), bytes)));
}

// The plan has none of these keys.
Work UnaskedKeys(size_t bytes) {
  std::string entries;
  for (size_t i = 0; entries.size() < bytes; ++i) {
    entries += EntryField(NameOf(i), "");
  }
  return DecodingOne(Kind::kInt64, ExampleOf(entries));
}

// The plan has none of these keys, and entries lack the form writers use.
Work UnaskedOddly(size_t bytes) {
  std::string entries;
  for (size_t i = 0; entries.size() < bytes; ++i) {
    entries += LenField(1, LenField(2, "") + LenField(1, NameOf(i)));
  }
  return DecodingOne(Kind::kInt64, ExampleOf(entries));
}

Work OneByteRecords(size_t bytes) {
  std::string file;
  const std::string record = ExampleWith(testing::Int64Feature({1}));
  while (file.size() < bytes) AppendRecord(record, &file);
  return Decoding({{"a", Kind::kInt64}}, std::move(file));
}

Work EmptyRecords(size_t bytes) {
  std::string file, record;
  AppendRecord("", &record);
  return Decoding({{"a", Kind::kInt64}}, Repeated(record, bytes));
}

constexpr Attack kAttacks[] = {
    {"ints packed and not, in turns", "packed ints", AlternatingInts,
     PackedInts},
    {"ints not packed", "packed ints", UnpackedInts, PackedInts},
    {"packed runs of one int", "packed ints", TinyRuns, PackedInts},
    {"packed runs of two ints", "packed ints", RunsOfTwo, PackedInts},
    {"packed runs of nothing", "packed ints", EmptyRuns, PackedInts},
    {"floats packed and not, in turns", "packed floats", AlternatingFloats,
     PackedFloats},
    {"empty strings", "packed ints", EmptyStrings, PackedInts},
    {"varints of ten bytes", "ints of six bytes", LongVarints, WideInts},
    {"varints of every width", "ints of six bytes", EveryWidth, WideInts},
    {"tags and lengths of five bytes", "packed ints", LongTags, PackedInts},
    {"entries of such lengths", "scalars", LongEntries, Scalars},
    {"unknown tags between values", "packed ints", UnknownTags, PackedInts},
    {"unknown fields at every level", "scalars", UnknownEverywhere, Scalars},
    {"the same in feature lists", "steps", UnknownInSequences, Steps},
    {"groups 100 deep", "scalars", DeepGroups, Scalars},
    {"groups 96 deep in a list", "scalars", DeepGroupsInLists, Scalars},
    {"one key again and again", "scalars", SameKey, Scalars},
    {"the same after a long list", "scalars", SameKeyAfterALongOne, Scalars},
    {"one feature list again and again", "steps", SameFeatureList, Steps},
    {"an entry of many values", "scalars", SplitValues, Scalars},
    {"a feature of many lists", "scalars", SplitLists, Scalars},
    {"an Example of many Features", "scalars", SplitFeatures, Scalars},
    {"a feature of changing kinds", "scalars", ChangingKinds, Scalars},
    {"an entry of many keys", "scalars", RepeatedKeys, Scalars},
    {"empty steps", "steps", EmptySteps, Steps},
    {"empty entries", "scalars", EmptyEntries, Scalars},
    {"ever new keys", "scalars not asked for", UnaskedKeys, UnaskedScalars},
    {"the same, value first", "scalars not asked for", UnaskedOddly,
     UnaskedScalars},
    {"records of one feature", "scalars", OneByteRecords, Scalars},
    {"empty records", "scalars", EmptyRecords, Scalars},
};

}  // namespace

std::span<const Attack> RecordAttacks() { return kAttacks; }

Work Decoding(std::vector<ColumnField> columns, std::string file) {
  auto data = std::make_shared<Data>();
  data->file = std::move(file);
  const auto plan = Plan::ForColumns(std::move(columns));
  const size_t bytes = data->file.size();
  if (!plan.ok()) return {bytes, [plan] { return plan.status(); }};
  auto decoder = std::make_shared<ColumnDecoder>(*data, *plan, 256);
  return {bytes, [data, decoder] {
            return decoder->Run(/*verify_payload=*/true).status();
          }};
}

std::string Repeated(std::string_view piece, size_t bytes) {
  std::string text;
  text.reserve(bytes + piece.size());
  do text += piece;
  while (text.size() < bytes);
  return text;
}

std::string FileOf(std::string_view payload) {
  std::string file;
  AppendRecord(payload, &file);
  return file;
}

}  // namespace headrace::bench
