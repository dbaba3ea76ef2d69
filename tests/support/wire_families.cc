#include "tests/support/wire_families.h"

#include <cstddef>
#include <cstdint>

#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

std::string InFeatures(std::string_view content) { return ExampleOf(content); }

std::string InEntry(std::string_view content) {
  return ExampleOf(LenField(kMapEntry, content));
}

std::string InFeature(std::string_view content) {
  return ExampleOf(EntryField("a", content));
}

template <Kind kKind>
std::string InList(std::string_view content) {
  return InFeature(FeatureOf(kKind, content));
}

std::string InListsEntry(std::string_view content) {
  return FeatureListsField(LenField(kMapEntry, content));
}

std::string InFeatureList(std::string_view content) {
  return FeatureListsField(EntryField("a", content));
}

std::string InStep(std::string_view content) {
  return InFeatureList(LenField(kFeatureListStep, content));
}

template <Kind kKind>
std::string InStepList(std::string_view content) {
  return InStep(FeatureOf(kKind, content));
}

class Family {
 public:
  void Add(std::string name, std::string bytes) {
    specimens_.push_back({std::move(name), std::move(bytes)});
  }
  // Both are about what was added since the last Take.
  void Name(std::string_view name) { SetFamily(name, &specimens_); }
  std::vector<Specimen> Take() { return std::move(specimens_); }

 private:
  std::vector<Specimen> specimens_;
};

// Some message here knows the first numbers; none knows the others.
constexpr uint32_t kFields[] = {1, 2, 3, 4, 15, 16, 2047, (1u << 29) - 1};

void AddPrematureEnds(Family* family) {
  for (uint32_t field : kFields) {
    const std::string name = "field " + std::to_string(field);
    const auto add = [&](WireType type, const std::string& part) {
      family->Add("premature end: " + name + " type " +
                      std::to_string(static_cast<int>(type)) + " then " +
                      std::to_string(part.size()) + " bytes",
                  Tag(field, type) + part);
    };
    for (size_t n = 0; n < 10; ++n) {
      add(WireType::kVarint, std::string(n, '\x80'));
    }
    for (size_t n = 0; n < 4; ++n) {
      add(WireType::kFixed32, std::string(n, '\x01'));
    }
    for (size_t n = 0; n < 8; ++n) {
      add(WireType::kFixed64, std::string(n, '\x01'));
    }
    for (size_t n = 0; n < 5; ++n) {
      add(WireType::kLen, std::string(n, '\x80'));
    }
    for (size_t n = 0; n < 3; ++n) {
      add(WireType::kLen, Varint(n + 1) + std::string(n, '\x01'));
    }
    add(WireType::kStartGroup, "");
    add(WireType::kStartGroup, VarintField(field, 1));
  }
  for (size_t n = 1; n < 5; ++n) {
    family->Add("premature end: tag", std::string(n, '\x88'));
  }
}

void AddBadTags(Family* family) {
  for (int type = 0; type < 8; ++type) {
    const auto wire_type = static_cast<WireType>(type);
    const std::string value = type == 2 ? Hex("00") : Hex("0101010101010101");
    const std::string name = "wire type " + std::to_string(type);
    family->Add("field 0, " + name, Tag(0, wire_type) + value);
    family->Add("field 0 in five bytes, " + name, Tag(0, wire_type, 5) + value);
    for (size_t size : {size_t{6}, size_t{10}, size_t{11}}) {
      family->Add(std::to_string(size) + "-byte tag, " + name,
                  Tag(kUnknownField, wire_type, size) + value);
    }
  }
}

// What follows could be a value, a length or a group, or is nothing.
void AddReservedTypes(Family* family) {
  for (uint32_t field : kFields) {
    for (WireType type : {WireType::kReserved6, WireType::kReserved7}) {
      for (const char* value : {"", "00", "01000000", "0100000000000000"}) {
        family->Add("reserved wire type, field " + std::to_string(field) +
                        " then " + value,
                    Tag(field, type) + Hex(value));
      }
    }
  }
}

void AddBadLengths(Family* family) {
  const std::string tag = Tag(kUnknownField, WireType::kLen);
  family->Add("6-byte length", tag + Varint(0, 6));
  family->Add("10-byte length", tag + Varint(0, 10));
  family->Add("length 2^31", tag + Varint(uint64_t{1} << 31));
  family->Add("length 2^31 - 1", tag + Varint((uint64_t{1} << 31) - 1));
  family->Add("length 2^32", tag + Hex("8080808010"));
  family->Add("length 2^32 + 1", tag + Hex("818080801000"));
  family->Add("length 2^35 - 1", tag + Hex("ffffffff7f"));
  family->Add("length -1", tag + Varint(~uint64_t{0}));
  family->Add("11-byte varint",
              Tag(kUnknownField, WireType::kVarint) + Varint(1, 11));
  family->Add("11-byte varint in the value field",
              Tag(kListValue, WireType::kVarint) + Varint(1, 11));
}

void AddBadGroups(Family* family) {
  const uint32_t a = kUnknownField;
  const uint32_t b = kUnknownLargeField;
  family->Add("stray end", EndGroup(a));
  family->Add("stray end of field 1", EndGroup(1));
  family->Add("known field as a group without end", StartGroup(1));
  family->Add("known fields as crossing groups", StartGroup(1) + EndGroup(2));
  family->Add("end of the group outside",
              Group(a, StartGroup(b) + EndGroup(a)));
  family->Add("other end", StartGroup(a) + EndGroup(b));
  family->Add("crossing",
              StartGroup(a) + StartGroup(b) + EndGroup(a) + EndGroup(b));
  family->Add("inner without end", StartGroup(a) + StartGroup(a) + EndGroup(a));
  family->Add("one end too many", Group(a) + EndGroup(a));
  family->Add("end inside a length", StartGroup(a) + LenField(a, EndGroup(a)));
  family->Add("field 0 inside", Group(a, Hex("0000")));
  family->Add("reserved type inside", Group(a, Tag(1, WireType::kReserved6)));
  family->Add("long varint inside",
              Group(a, Tag(1, WireType::kVarint) + Varint(0, 11)));
  family->Add("length past the end inside",
              Group(a, LenFieldDeclaring(1, 100, "x")));
  family->Add("6-byte end tag", StartGroup(a) + Tag(a, WireType::kEndGroup, 6));
  family->Add("20000 deep", NestedGroups(a, 20000));
  family->Add("20000 starts", NestedGroups(a, 20000).substr(0, 20000));
}

// Every wire type has what a field may hold.
void AddUnknownFields(Family* family) {
  for (uint32_t field : kFields) {
    if (field <= 3) continue;
    const std::string name = "field " + std::to_string(field) + ": ";
    family->Add(name + "varint", VarintField(field, 300));
    family->Add(name + "fixed32", Fixed32Field(field, 0xFFFFFFFF));
    family->Add(name + "fixed64", Fixed64Field(field, ~uint64_t{0}));
    family->Add(name + "length", LenField(field, Hex("ff00")));
    family->Add(name + "group", Group(field, VarintField(1, 1)));
    for (size_t size = 2; size <= 5; ++size) {
      if (size < Tag(field, WireType::kVarint).size()) continue;
      family->Add(name + "tag of " + std::to_string(size),
                  Tag(field, WireType::kVarint, size) + Varint(7));
    }
  }
}

// These numbers are known, but with another wire type.
void AddMistypedFields(Family* family) {
  for (uint32_t field : {1u, 2u, 3u}) {
    const std::string name = "mistyped " + std::to_string(field) + ": ";
    for (size_t size = 1; size <= 10; ++size) {
      family->Add(name + "varint of " + std::to_string(size),
                  Tag(field, WireType::kVarint) + Varint(5, size));
    }
    family->Add(name + "fixed32", Fixed32Field(field, 0x7F800001));
    family->Add(name + "fixed64", Fixed64Field(field, 1));
    family->Add(name + "group", Group(field, LenField(1, "x")));
  }
}

// That suite wants these rejected; libprotobuf drops the bits, and lists that
// as a failure of its own.
void AddTagsBeyond32Bits(Family* family) {
  family->Add("tag with bits above 31", Hex("f880808070 01"));
  family->Add("tag with bit 32 set", Hex("fa80808010 00"));
  family->Add("end tag with bits above 31",
              StartGroup(kUnknownField) + Hex("fc80808010"));
}

void AddOddSpellings(Family* family) {
  const uint32_t a = kUnknownField;
  family->Add("value with bits above 63",
              Tag(a, WireType::kVarint) + Hex("ffffffffffffffffff7f"));
  for (size_t size = 1; size <= 5; ++size) {
    family->Add("length of " + std::to_string(size),
                Tag(a, WireType::kLen) + Varint(3, size) + "abc");
  }
  family->Add("groups side by side", Group(a) + Group(a) + Group(2));
  family->Add("groups nested", NestedGroups(a, 90, VarintField(1, 1)));
  family->Add("group with a length", Group(a, LenField(1, EndGroup(a))));
  family->Add("nothing", "");
}

std::vector<Specimen> At(const Level& level,
                         const std::vector<Specimen>& fields,
                         bool before_sibling) {
  std::vector<Specimen> records;
  for (const Specimen& field : fields) {
    const std::string name = level.name + ": " + field.name;
    records.push_back({name, level.wrap(field.bytes), field.family});
    records.push_back({name + ", after a field",
                       level.wrap(level.sibling + field.bytes), field.family});
    if (before_sibling) {
      records.push_back(
          {name + ", between fields",
           level.wrap(level.sibling + field.bytes + level.sibling),
           field.family});
    }
    // Bytes that are short here may be completed by what follows outside,
    // except in the record itself.
    if (level.depth > 0) {
      records.push_back({name + ", before more",
                         level.wrap(field.bytes) +
                             ExampleBuilder().Int64s("z", {1, 2, 3}).Build(),
                         field.family});
    }
  }
  return records;
}

}  // namespace

void SetFamily(std::string_view family, std::vector<Specimen>* specimens) {
  for (Specimen& specimen : *specimens) {
    if (specimen.family.empty()) specimen.family = family;
  }
}

std::map<std::string, size_t> CountFamilies(
    const std::vector<Specimen>& specimens) {
  std::map<std::string, size_t> counts;
  for (const Specimen& specimen : specimens) ++counts[specimen.family];
  return counts;
}

std::vector<Level> Levels() {
  const std::string bytes = LenField(kListValue, "xy");
  const std::string floats = PackedFloats({1.5f, -2.0f});
  const std::string int64s = PackedInt64s({1, -1, 300});
  const std::string feature = FeatureOf(Kind::kInt64, int64s);
  const std::string entry =
      LenField(kEntryKey, "a") + LenField(kEntryValue, feature);
  const std::string list = LenField(kFeatureListStep, feature);
  const auto kExample = MessageType::kExample;
  const auto kSequence = MessageType::kSequence;
  const auto record = [](std::string_view content) {
    return std::string(content);
  };
  return {
      {"record", kExample, 0, ExampleOf(LenField(1, entry)), record},
      {"features", kExample, 1, LenField(1, entry), &InFeatures},
      {"entry", kExample, 2, entry, &InEntry},
      {"feature", kExample, 3, feature, &InFeature},
      {"bytes list", kExample, 4, bytes, &InList<Kind::kBytes>},
      {"float list", kExample, 4, floats, &InList<Kind::kFloat>},
      {"int64 list", kExample, 4, int64s, &InList<Kind::kInt64>},
      {"feature lists", kSequence, 1, LenField(1, LenField(1, "a")),
       &FeatureListsField},
      {"lists entry", kSequence, 2, LenField(1, "a"), &InListsEntry},
      {"feature list", kSequence, 3, list, &InFeatureList},
      {"step", kSequence, 4, feature, &InStep},
      {"step bytes list", kSequence, 5, bytes, &InStepList<Kind::kBytes>},
      {"step float list", kSequence, 5, floats, &InStepList<Kind::kFloat>},
      {"step int64 list", kSequence, 5, int64s, &InStepList<Kind::kInt64>},
  };
}

std::vector<Specimen> RejectedFields() {
  Family family;
  AddPrematureEnds(&family);
  family.Name("premature ends");
  AddBadTags(&family);
  family.Name("bad tags and field 0");
  AddReservedTypes(&family);
  family.Name("wire types 6 and 7");
  AddBadLengths(&family);
  family.Name("bad lengths and varints");
  AddBadGroups(&family);
  family.Name("bad groups");
  return family.Take();
}

std::vector<Specimen> AcceptedFields() {
  Family family;
  AddUnknownFields(&family);
  family.Name("unknown fields");
  AddMistypedFields(&family);
  family.Name("known fields of another type");
  AddTagsBeyond32Bits(&family);
  family.Name("tags beyond 32 bits");
  AddOddSpellings(&family);
  family.Name("odd spellings");
  return family.Take();
}

std::vector<Specimen> RejectedAt(const Level& level) {
  std::vector<Specimen> records =
      At(level, RejectedFields(), /*before_sibling=*/false);
  // The least nesting that fails here is this deep.
  const auto deep = static_cast<size_t>(101 - level.depth);
  records.push_back({level.name + ": groups one too deep",
                     level.wrap(NestedGroups(kUnknownField, deep)), "depth"});
  return records;
}

std::vector<Specimen> AcceptedAt(const Level& level) {
  std::vector<Specimen> records =
      At(level, AcceptedFields(), /*before_sibling=*/true);
  const auto deep = static_cast<size_t>(100 - level.depth);
  records.push_back({level.name + ": groups as deep as allowed",
                     level.wrap(NestedGroups(kUnknownField, deep)), "depth"});
  return records;
}

}  // namespace headrace::testing
