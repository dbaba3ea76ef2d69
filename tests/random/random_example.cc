#include "tests/random/random_example.h"

#include <algorithm>

#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {

int64_t Random::Int64() {
  const uint64_t value = Bits() >> Below(64);
  return static_cast<int64_t>(OneIn(4) ? ~value : value);
}

std::string Random::Bytes(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(Bits() & 0xff);
  return bytes;
}

const std::vector<std::string>& RandomExample::Keys() {
  static const auto* const keys =
      new std::vector<std::string>{"a",       "b",
                                   "c",       "",
                                   "label",   "image/encoded",
                                   "\u65e5",  "with space",
                                   "user_id", std::string(130, 'k')};
  return *keys;
}

Kind RandomExample::KindOfKey(size_t key) {
  return static_cast<Kind>(1 + key % 3);
}

std::vector<ColumnField> RandomExample::Columns(bool in_sequence) {
  std::vector<ColumnField> columns;
  for (size_t i = 0; i < Keys().size(); ++i) {
    columns.push_back({Keys()[i], KindOfKey(i), in_sequence});
  }
  return columns;
}

std::string RandomExample::Next() {
  const size_t features = random_.Below(options_.max_features + 1);
  std::string record;
  std::string entries;
  for (size_t i = 0; i < features; ++i) {
    entries += Noise() + Len(kMapEntry, Entry());
    // A second Features message merges with the first.
    if (!options_.plain && random_.OneIn(8)) {
      record += Noise() + Len(kExampleFeatures, entries);
      entries.clear();
    }
  }
  return record + Len(kExampleFeatures, entries) + Noise();
}

std::string RandomExample::NextSequence() {
  const std::string context = Next();
  const std::string lists = FeatureLists();
  return !options_.plain && random_.OneIn(4) ? lists + context
                                             : context + lists;
}

std::string RandomExample::FeatureLists() {
  if (random_.OneIn(8)) return {};
  const size_t lists = random_.Below(options_.max_features + 1);
  std::string fields;
  std::string entries;
  for (size_t i = 0; i < lists; ++i) {
    entries += Noise() + Len(kMapEntry, FeatureListEntry());
    if (!options_.plain && random_.OneIn(8)) {
      fields += Noise() + Len(kSequenceFeatureLists, entries);
      entries.clear();
    }
  }
  return fields + Len(kSequenceFeatureLists, entries) + Noise();
}

std::string RandomExample::FeatureListEntry() {
  const size_t key = random_.Below(Keys().size());
  const Kind kind = RandomKind(key);
  const std::string key_field = Len(kEntryKey, Keys()[key]);
  std::string list;
  for (size_t steps = random_.Below(5); steps > 0; --steps) {
    list += Noise() + Len(kFeatureListStep, Feature(kind));
  }
  std::string value_field = Len(kEntryValue, list + Noise());
  if (options_.plain) return key_field + value_field;
  // A second value appends its steps to those of the first.
  if (random_.OneIn(8)) {
    value_field +=
        Len(kEntryValue, Len(kFeatureListStep, Feature(kind)) + Noise());
  }
  if (random_.OneIn(16)) value_field.clear();
  if (random_.OneIn(4)) return Noise() + value_field + key_field;
  return key_field + Noise() + value_field + Noise();
}

Kind RandomExample::RandomKind(size_t key) {
  return options_.one_kind_a_key ? KindOfKey(key)
                                 : static_cast<Kind>(random_.Below(4));
}

std::string RandomExample::Entry() {
  const size_t key = random_.Below(Keys().size());
  const Kind kind = RandomKind(key);
  const std::string key_field = Len(kEntryKey, Keys()[key]);
  std::string value_field = Len(kEntryValue, Feature(kind));
  if (options_.plain) return key_field + value_field;
  if (random_.OneIn(8)) value_field += Len(kEntryValue, Feature(kind));
  if (random_.OneIn(16)) value_field.clear();
  if (random_.OneIn(4)) return Noise() + value_field + key_field;
  return key_field + Noise() + value_field + Noise();
}

std::string RandomExample::Feature(Kind kind) {
  if (random_.OneIn(12)) return Noise();
  const auto field = static_cast<uint32_t>(kind);
  const size_t count = random_.Below(options_.max_values + 1);
  if (kind == Kind::kNull) return Noise();
  std::string feature = Noise() + Len(field, List(kind, count));
  // A list of the same kind again adds to it, after another kind it is new.
  if (!options_.plain && random_.OneIn(8)) {
    if (random_.OneIn(2)) feature += Len(1 + field % 3, "");
    feature += Len(field, List(kind, random_.Below(4)));
  }
  return feature + Noise();
}

std::string RandomExample::List(Kind kind, size_t count) {
  switch (kind) {
    case Kind::kInt64:
      return Int64List(count);
    case Kind::kFloat:
      return FloatList(count);
    default:
      break;
  }
  std::string list;
  for (size_t i = 0; i < count; ++i) {
    list += Noise() + Len(kListValue, random_.Bytes(random_.Below(20)));
  }
  return list;
}

std::string RandomExample::Int64List(size_t count) {
  const size_t layout = options_.plain ? 0 : random_.Below(4);
  const size_t size = options_.plain || random_.OneIn(2) ? 0 : 10;
  std::string list;
  std::string run;
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<uint64_t>(random_.Int64());
    const bool packed = layout == 0 || (layout > 1 && random_.OneIn(2));
    const std::string varint =
        Varint(value, size ? random_.Below(size + 1) : 0);
    if (packed) run += varint;
    if (packed && (layout != 3 || !random_.OneIn(4))) continue;
    if (!run.empty()) list += Noise() + Len(kListValue, run);
    run.clear();
    if (!packed) list += Tag(kListValue, WireType::kVarint) + varint;
  }
  if (!run.empty()) list += Len(kListValue, run);
  return list + Noise();
}

std::string RandomExample::FloatList(size_t count) {
  const size_t layout = options_.plain ? 0 : random_.Below(3);
  std::string list;
  std::string run;
  for (size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<uint32_t>(random_.Bits());
    if (layout == 0 || (layout == 2 && random_.OneIn(2))) {
      run += Fixed32(bits);
      continue;
    }
    if (!run.empty()) list += Len(kListValue, run);
    run.clear();
    list += Noise() + Fixed32Field(kListValue, bits);
  }
  if (!run.empty()) list += Len(kListValue, run);
  return list + Noise();
}

std::string RandomExample::Len(uint32_t field, std::string_view payload) {
  const bool odd = !options_.plain && random_.OneIn(12);
  const size_t tag_size = odd ? random_.Below(6) : 0;
  const size_t length_size = odd ? random_.Below(6) : 0;
  return Tag(field, WireType::kLen, tag_size) +
         Varint(payload.size(), length_size) + std::string(payload);
}

std::string RandomExample::Noise() {
  if (options_.plain || !random_.OneIn(16)) return {};
  const uint32_t field = random_.OneIn(2) ? kUnknownField : kUnknownLargeField;
  switch (random_.Below(5)) {
    case 0:
      return VarintField(field, random_.Bits());
    case 1:
      return Fixed32Field(field, 1);
    case 2:
      return Fixed64Field(field, 1);
    case 3:
      return LenField(field, random_.Bytes(random_.Below(5)));
    default:
      return NestedGroups(field, 1 + random_.Below(4));
  }
}

}  // namespace headrace::testing
