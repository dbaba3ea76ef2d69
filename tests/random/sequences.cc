#include "tests/random/sequences.h"

#include <cstdint>

#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

bool Extend(const std::vector<std::string>& tokens, size_t more,
            std::string* sequence, const Visit& visit) {
  if (!visit(*sequence)) return false;
  if (more == 0) return true;
  const size_t size = sequence->size();
  for (const std::string& token : tokens) {
    sequence->append(token);
    if (!Extend(tokens, more - 1, sequence, visit)) return false;
    sequence->resize(size);
  }
  return true;
}

std::string LenOff(uint32_t field, std::string_view content, int error) {
  const uint64_t length = content.size() + static_cast<uint64_t>(error);
  return LenFieldDeclaring(field, length, content);
}

// Something right after it, so that a length too long finds bytes to take.
std::string Record(const std::string& entry_fields) {
  return ExampleOf(entry_fields + EntryField("z", Int64Feature({1})));
}

std::string AroundEntries(std::string_view content, int error) {
  return LenOff(kExampleFeatures, content, error) +
         ExampleOf(EntryField("z", Int64Feature({1})));
}

std::string AroundEntry(std::string_view content, int error) {
  return Record(LenOff(kMapEntry, content, error));
}

std::string AroundFeature(std::string_view content, int error) {
  return Record(LenField(kMapEntry, LenField(kEntryKey, "a") +
                                        LenOff(kEntryValue, content, error)));
}

template <Kind kKind>
std::string AroundList(std::string_view content, int error) {
  return Record(
      EntryField("a", LenOff(static_cast<uint32_t>(kKind), content, error)));
}

std::vector<std::string> EntriesGrammar() {
  const std::string int64s = Int64Feature({1, -1});
  return {EntryField("a", int64s),
          EntryField("a", Int64Feature({})),
          EntryField("a", FloatFeature({1.5f})),
          EntryField("a", ""),
          EntryField("b", BytesFeature({"x", ""})),
          EntryField("b", FloatFeature({})),
          EntryField("", int64s),
          LenField(kMapEntry, ""),
          LenField(kMapEntry, LenField(kEntryKey, "a")),
          LenField(kMapEntry, LenField(kEntryValue, int64s)),
          LenField(kMapEntry,
                   LenField(kEntryValue, int64s) + LenField(kEntryKey, "a")),
          VarintField(kMapEntry, 1),
          Group(kUnknownField),
          EndGroup(kMapEntry)};
}

std::vector<std::string> EntryGrammar() {
  return {LenField(kEntryKey, "a"),
          LenField(kEntryKey, "b"),
          LenField(kEntryKey, Hex("ff")),
          LenField(kEntryValue, Int64Feature({1})),
          LenField(kEntryValue, Int64Feature({2, 3})),
          LenField(kEntryValue, FloatFeature({1.5f})),
          LenField(kEntryValue, ""),
          LenFieldDeclaring(kEntryValue, 3, "x"),
          VarintField(kEntryKey, 1),
          VarintField(kEntryValue, 1),
          VarintField(kUnknownField, 1),
          Group(kEntryValue),
          LenField(kUnknownField, "x"),
          Hex("00")};
}

std::vector<std::string> FeatureGrammar() {
  const auto int64s = [](std::string_view list) {
    return FeatureOf(Kind::kInt64, list);
  };
  return {int64s(PackedInt64s({1, 300})),
          int64s(UnpackedInt64s({-1})),
          int64s(""),
          int64s(LenField(kListValue, "")),
          FloatFeature({1.5f}),
          FeatureOf(Kind::kFloat, UnpackedFloats({-0.0f})),
          FeatureOf(Kind::kFloat, ""),
          BytesFeature({"x"}),
          BytesFeature({}),
          VarintField(3, 1),
          Group(2),
          LenField(4, "x"),
          LenFieldDeclaring(3, 2, "x"),
          EndGroup(3)};
}

std::vector<std::string> ListGrammar() {
  return {LenField(1, ""),
          LenField(1, Hex("01")),
          LenField(1, Hex("8001")),
          LenField(1, Hex("80")),
          LenField(1, Hex("0000803f")),
          LenField(1, Hex("0102030405060708")),
          VarintField(1, 1),
          VarintField(1, ~uint64_t{0}),
          Fixed32Field(1, 1),
          Fixed64Field(1, 1),
          LenField(2, Hex("01")),
          Group(1),
          Hex("0a"),
          Hex("8a00")};
}

}  // namespace

void ForEachString(size_t size, const Visit& visit) {
  std::string bytes(size, '\0');
  while (visit(bytes)) {
    size_t at = size;
    // Counting up, last byte first.
    while (at > 0 && bytes[at - 1] == '\xff') bytes[--at] = '\0';
    if (at == 0) return;
    bytes[at - 1] = static_cast<char>(bytes[at - 1] + 1);
  }
}

void ForEachSequence(const std::vector<std::string>& tokens, size_t max_tokens,
                     const Visit& visit) {
  std::string sequence;
  Extend(tokens, max_tokens, &sequence, visit);
}

std::vector<std::string> WireTokens() {
  std::vector<std::string> tokens;
  for (const char* hex :
       {"00", "01", "02", "08", "0a", "0b", "0c", "0d", "12", "1a", "7f", "80",
        "80808080", "ff", "0a0161", "1201", "0000803f"}) {
    tokens.push_back(Hex(hex));
  }
  return tokens;
}

std::vector<Grammar> Grammars() {
  return {{"entries", EntriesGrammar(), &AroundEntries},
          {"entry", EntryGrammar(), &AroundEntry},
          {"feature", FeatureGrammar(), &AroundFeature},
          {"int64 list", ListGrammar(), &AroundList<Kind::kInt64>},
          {"float list", ListGrammar(), &AroundList<Kind::kFloat>},
          {"bytes list", ListGrammar(), &AroundList<Kind::kBytes>}};
}

}  // namespace headrace::testing
