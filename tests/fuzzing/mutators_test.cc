// The mutators of headrace/fuzzing.h: what they make is read, what they change
// is mostly read on, and no input is too odd for them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/feature_spec.h"
#include "headrace/fuzzing.h"
#include "headrace/message.h"
#include "headrace/plan.h"
#include "headrace/record_reader.h"
#include "headrace/schema.h"

HEADRACE_AFL_MUTATOR(headrace::fuzzing::InputFormat::kRecords);

namespace headrace::fuzzing {
namespace {

constexpr InputFormat kFormats[] = {
    InputFormat::kRecords, InputFormat::kSequenceRecords,
    InputFormat::kExample, InputFormat::kSequenceExample,
    InputFormat::kSpec,    InputFormat::kSchema};
constexpr uint64_t kSeeds = 3000;

// How many records are read; -1 if the file is damaged.
int NumRecords(std::string_view file, MessageType message) {
  RecordReaderOptions options;
  options.compression = Compression::kNone;
  auto reader = RecordReader::FromMemory(file, options);
  if (!reader.ok()) return -1;
  int count = 0;
  while (true) {
    const auto record = reader->Next();
    if (!record) return record.ok() ? count : -1;
    count += ParseMessage(record->payload, message).ok();
  }
}

bool IsGood(InputFormat format, const std::string& input) {
  switch (format) {
    case InputFormat::kRecords:
      return NumRecords(input, MessageType::kExample) > 0;
    case InputFormat::kSequenceRecords:
      return NumRecords(input, MessageType::kSequence) > 0;
    case InputFormat::kExample:
      return ParseMessage(input, MessageType::kExample).ok();
    case InputFormat::kSequenceExample:
      return ParseMessage(input, MessageType::kSequence).ok();
    case InputFormat::kSpec: {
      const auto spec = FeatureSpec::FromJson(input);
      return spec.ok() && Plan::Compile(*spec).ok();
    }
    case InputFormat::kSchema:
      return Schema::Parse(input).ok();
  }
  return false;
}

TEST(Mutators, NewInputsAreRead) {
  for (const InputFormat format : kFormats) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      ASSERT_TRUE(IsGood(format, Generate(format, seed)))
          << static_cast<int>(format) << " " << seed;
    }
  }
}

TEST(Mutators, ManyChangedInputsAreRead) {
  for (const InputFormat format : kFormats) {
    uint64_t good = 0;
    uint64_t changed = 0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const std::string input = Generate(format, seed % 50);
      const std::string mutated = Mutate(format, input, seed);
      EXPECT_EQ(mutated, Mutate(format, input, seed));
      changed += mutated != input;
      good += IsGood(format, mutated);
    }
    const bool is_text =
        format == InputFormat::kSpec || format == InputFormat::kSchema;
    EXPECT_GT(good, kSeeds / (is_text ? 20 : 3)) << static_cast<int>(format);
    EXPECT_LT(good, kSeeds) << static_cast<int>(format);
    EXPECT_GT(changed, kSeeds * 3 / 4) << static_cast<int>(format);
  }
}

TEST(Mutators, AnyBytesAreTaken) {
  for (const InputFormat format : kFormats) {
    Choice choice(7);
    std::string input;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const std::string other = choice.Bytes(choice.Below(200));
      input = choice.OneIn(2) ? Mutate(format, input, seed)
                              : CrossOver(format, input, other, seed);
      if (input.size() > 4096) input.resize(choice.Below(100));
    }
    EXPECT_EQ(CrossOver(format, "", "", 1), "");
    EXPECT_FALSE(Mutate(format, "", 1).empty());
  }
}

TEST(Mutators, ChecksumsAreThoseOfTfrecord) {
  // The check value of CRC32C, masked.
  constexpr uint32_t kCrc = 0xe3069283;
  EXPECT_EQ(MaskedCrc("123456789"),
            (kCrc >> 15 | kCrc << 17) + uint32_t{0xa282ead8});
  const std::string file = Framed("a") + Framed("") + "rest";
  EXPECT_EQ(Pieces(file),
            (std::vector<std::string>{Framed("a"), Framed(""), "rest"}));
}

TEST(Mutators, AflGetsNoMoreThanItAskedFor) {
  void* const state = afl_custom_init(nullptr, 3);
  std::string input = Generate(InputFormat::kRecords, 1);
  std::string other = Generate(InputFormat::kRecords, 2);
  const auto bytes = [](std::string* text) {
    return reinterpret_cast<uint8_t*>(text->data());
  };
  size_t longest = 0;
  for (size_t most = 1; most < 500; ++most) {
    uint8_t* out = nullptr;
    const size_t size =
        afl_custom_fuzz(state, bytes(&input), input.size(), &out, bytes(&other),
                        other.size(), most);
    ASSERT_NE(out, nullptr);
    ASSERT_LE(size, most);
    longest = std::max(longest, size);
  }
  EXPECT_GT(longest, 100u);
  afl_custom_deinit(state);
}

}  // namespace
}  // namespace headrace::fuzzing
