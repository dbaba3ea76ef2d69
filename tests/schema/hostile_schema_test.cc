// Schemas that nobody writes by hand end in success or in one clear line, soon
// and without a crash.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/schema.h"
#include "tests/schema/clean_message.h"
#include "tests/schema/schema_texts.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"
#include "tests/support/words.h"

namespace headrace::testing {
namespace {

constexpr const char* kSamples[] = {
    R"(# A schema.
feature {
  name: "caf\303\251" 'x'
  type: FLOAT
  presence { min_fraction: 1.0, min_count: 0x1; }
  shape < dim { size: -1 name: "n" } >
  int_domain { min: - 5 max: 9 }
})",
    R"(feature: [{name: "a" struct_domain {feature {type: 1}}}, <>];
represent_variable_length_as_ragged: t
string_domain { name: "d" value: ["a", "b"] value: "\u00e9\x41\1" }
annotation { extra_metadata { [a.com/b.C] { x: [1, <y: "}">] } } })",
    R"(tensor_representation_group { key: "" value {
  tensor_representation { key: "r" value { ragged_tensor {
    feature_path { step: "a" step: "b" }
    partition { uniform_row_length: 2 } partition { row_length: "l" } } } }
  tensor_representation { key: "d" value { dense_tensor {
    default_value { float_value: -1.5e3f } } } } } }
sequence { anything [ < > ] } generate_legacy_feature_spec: false)"};

// Every way of reading the bytes. Each is in memory of its own, so that reading
// on is found.
void ExpectClean(std::string_view text) {
  const auto from_text = Schema::FromText(std::string(text));
  if (!from_text.ok()) {
    ExpectCleanMessage(from_text.status());
    EXPECT_THAT(from_text.status().message(), StartsWith("line "));
  }
  const auto from_binary = Schema::FromBinary(std::string(text));
  if (!from_binary.ok()) {
    ExpectCleanMessage(from_binary.status());
    EXPECT_THAT(from_binary.status().message(), StartsWith("byte "));
  }
  const auto either = Schema::Parse(std::string(text));
  EXPECT_EQ(either.ok(), from_text.ok() || from_binary.ok());
  if (!either.ok()) ExpectCleanMessage(either.status());
}

void ExpectRefused(const std::string& text) {
  const auto schema = Schema::FromText(text);
  ASSERT_FALSE(schema.ok()) << text.substr(0, 200);
  ExpectCleanMessage(schema.status());
  EXPECT_THAT(schema.status().message(), StartsWith("line "));
}

TEST(HostileSchemaTest, SamplesAreSchemas) {
  for (const char* sample : kSamples) {
    EXPECT_THAT(Schema::FromText(sample), IsOk());
  }
}

TEST(HostileSchemaTest, TruncatedAtEveryByte) {
  for (const std::string_view sample : kSamples) {
    for (size_t size = 0; size < sample.size(); ++size) {
      ExpectClean(sample.substr(0, size));
    }
  }
}

TEST(HostileSchemaTest, EveryByteReplaced) {
  for (const std::string_view sample : kSamples) {
    for (const char c : {'\0', '"', '{', '}', '<', '>', '[', ']', ',', '\\',
                         '#', '\xFF', '9', '\n', '\x7f'}) {
      for (size_t i = 0; i < sample.size(); ++i) {
        std::string text(sample);
        text[i] = c;
        ExpectClean(text);
      }
    }
  }
}

TEST(HostileSchemaTest, RandomDamage) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::string text = kSamples[random() % std::size(kSamples)];
    for (size_t damage = 1 + random() % 4; damage > 0; --damage) {
      const size_t at = random() % text.size();
      const size_t from = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text[at] = static_cast<char>(text[at] ^ 1 << random() % 8);
          break;
        case 2:
          text.erase(at, random() % 8);
          break;
        default:
          text.insert(at, std::string(text, from, random() % 8));
      }
      if (text.empty()) text = " ";
    }
    ExpectClean(text);
  }
}

TEST(HostileSchemaTest, TokenSoup) {
  static const std::vector<std::string> kTokens = Split(
      "feature|name|type|INT|shape|dim|size|annotation|extra_metadata|[a/b.C]|"
      "string_domain|value|sequence|struct_domain|default_environment|:|:|{|}|"
      "{|}|<|>|[|]|,|;|\"a\"|'b'|1|-|0x1|1.5|+1|true|inf|#\n|.|/|\"\\x\"|"
      "\xC3\xA9|@",
      '|');
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (size_t count = random() % 30; count > 0; --count) {
      text += kTokens[random() % kTokens.size()];
      if (random() % 2 == 0) text += ' ';
    }
    ExpectClean(text);
  }
}

TEST(HostileSchemaTest, Nesting) {
  const std::string structs = "feature { struct_domain { ";
  for (const std::string& piece :
       {structs, std::string("feature < struct_domain < "), std::string("{"),
        std::string("<"), std::string("["), std::string("feature [ "),
        std::string("annotation { extra_metadata { [a/b] { ")}) {
    ExpectRefused(Repeat(piece, 100000));
  }
  EXPECT_THAT(Schema::FromText(Repeat(structs, 50) + Repeat("}", 100)), IsOk());
  EXPECT_THAT(
      Schema::FromText(Repeat(structs, 50) + "feature {}" + Repeat("}", 100)),
      IsError(ErrorCode::kBadSpec,
              {.text = "line 1, column 1309: more than 100 messages "
                       "inside one another"}));
  // What is skipped may be as deep as it likes.
  const std::string body = "sequence " + Repeat("{<[", 100000);
  ExpectRefused(body);
  ExpectRefused(body + Repeat("]>>", 100000));
  EXPECT_THAT(Schema::FromText(body + Repeat("]>}", 100000)), IsOk());
}

TEST(HostileSchemaTest, LargeTokens) {
  constexpr size_t kSize = (10 << 20) / kCaseStride;
  const std::string letters(kSize, 'a'), digits(kSize, '9');
  const std::string zeros(kSize, '0');
  ExpectRefused(letters);
  ExpectRefused(digits);
  ExpectRefused("'" + letters);
  ExpectRefused("'" + letters + "'");
  ExpectRefused("feature { " + letters + ": 1 }");
  ExpectRefused("feature { type: " + letters + " }");
  ExpectRefused("feature { type: " + digits + " }");
  ExpectRefused("feature { name: '" + letters + "\\x' }");
  ExpectRefused("feature { name: " + Repeat("\\", kSize) + " }");
  ExpectRefused("feature { value_count { min: " + digits + " } }");
  ExpectRefused("feature { value_count { min: 1." + digits + " } }");
  ExpectRefused("feature { deprecated: " + letters + " }");
  ExpectRefused("annotation { extra_metadata { [" + letters + "] {} } }");
  ExpectRefused(std::string(kSize, '{'));
  ExpectRefused(std::string(kSize, ']'));
  ExpectRefused(std::string(kSize, '\0'));
  ExpectRefused(std::string(kSize, '\xFF'));
  for (const std::string& text :
       {"#" + letters, std::string(kSize, '\n'), std::string(kSize, '#'),
        "feature { name: '" + letters + "' }",
        "feature { name: '" + Repeat("\\\\", kSize / 2) + "' }",
        "feature { name: " + Repeat("''", kSize / 2) + " }",
        "feature { presence { min_fraction: 1." + digits + " } }",
        "feature { presence { min_fraction: " + digits + " } }",
        "feature { value_count { min: 0x" + zeros + "1 } }"}) {
    EXPECT_THAT(Schema::FromText(text), IsOk()) << text.substr(0, 40);
  }
}

TEST(HostileSchemaTest, Nul) {
  const std::string text = "feature { name: 'a' }";
  for (size_t i = 0; i <= text.size(); ++i) {
    std::string with_nul = text;
    with_nul.insert(i, 1, '\0');
    ExpectClean(with_nul);
    // Only in a string.
    EXPECT_EQ(Schema::Parse(with_nul).ok(), i == 17 || i == 18) << i;
  }
  EXPECT_THAT(Schema::FromText(std::string("feature\0{}", 10)),
              IsError(ErrorCode::kBadSpec,
                      {.text = "line 1, column 8: expected \"{\" or \"<\" for "
                               "\"feature\", found the byte 0x00 outside of a "
                               "string"}));
}

TEST(HostileSchemaTest, RandomBytes) {
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    std::string bytes(random() % 60, '\0');
    for (char& c : bytes) {
      // Small numbers make tags and lengths.
      c = static_cast<char>(random() % 2 == 0 ? random() % 48 : random());
    }
    ExpectClean(bytes);
  }
}

TEST(HostileSchemaTest, DamagedBinary) {
  const std::string sample =
      LenField(1, LenField(1, "name") + VarintField(6, 2) +
                      LenField(23, LenField(2, VarintField(1, 4))) +
                      LenField(9, VarintField(3, 1) + VarintField(4, 9))) +
      LenField(13,
               LenField(1, "g") + LenField(2, LenField(1, LenField(2, "")))) +
      LenField(4, LenField(2, "value")) + VarintField(14, 1) + Group(99);
  ASSERT_THAT(Schema::FromBinary(sample), IsOk());
  for (size_t i = 0; i < sample.size(); ++i) {
    ExpectClean(sample.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = sample;
      bytes[i] = static_cast<char>(bytes[i] ^ 1 << bit);
      ExpectClean(bytes);
    }
  }
}

// Gives processor seconds.
double Time(const std::string& text) {
  const std::clock_t start = std::clock();
  (void)Schema::Parse(text).ok();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Ten times the text may take thirty times as long, not a hundred; less than a
// few milliseconds say nothing. A neighbour can slow down one try, so one good
// try of ten is enough: quadratic time passes none.
bool IsLinear(const std::string& small, const std::string& large) {
  for (int round = 0; round < 10; ++round) {
    if (Time(large) < 30 * std::max(Time(small), 0.005)) return true;
  }
  return false;
}

TEST(HostileSchemaTest, TimeIsLinear) {
  constexpr size_t kSize = kInstrumented ? 1 << 17 : 1 << 20;
  for (const std::string& piece :
       {std::string("feature{name:'a' shape{} type:INT}"),
        std::string("feature{"), std::string("string_domain{value:'a'}"),
        std::string("'a' "), std::string("\\"), std::string("#\n"),
        std::string("tensor_representation_group{key:'a'}"),
        std::string("default_environment:['a','b']"), std::string("\n")}) {
    EXPECT_TRUE(IsLinear(Repeat(piece, kSize / piece.size()),
                         Repeat(piece, 10 * kSize / piece.size())))
        << piece;
  }
}

TEST(HostileSchemaTest, ManyOfEverything) {
  std::string text = "tensor_representation_group { value {";
  constexpr size_t kMany = 100000;
  for (size_t i = 0; i < kMany; ++i) {
    text +=
        "tensor_representation { key: '" + std::to_string(i % 50000) + "' }";
  }
  text += "} } feature { shape {";
  for (size_t i = 0; i < kMany; ++i) text += "dim {}";
  text += "} }";
  const auto schema = OrThrow(Schema::FromText(text));
  EXPECT_EQ(schema.groups[0].tensors.size(), 50000u);
  EXPECT_EQ(schema.features[0].shape->dims.size(), kMany);
}

TEST(HostileSchemaTest, LongNamesAreShortened) {
  const auto schema =
      Schema::FromText("feature { " + std::string(1000, 'x') + ": 1 }");
  ASSERT_FALSE(schema.ok());
  EXPECT_THAT(schema.status().message(),
              HasSubstr("unknown field \"" + std::string(60, 'x') + "...\""));
}

}  // namespace
}  // namespace headrace::testing
