// Lists of numbers: every varint shape, every layout, many lengths.

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/random/random_example.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

std::string Int64Record(std::string_view list) {
  return ExampleOf(EntryField("a", FeatureOf(Kind::kInt64, list)));
}

std::string PackedRecord(std::string_view run) {
  return Int64Record(LenField(kListValue, run));
}

// Calls `visit` with each way to choose `size` continuation bytes.
template <class Visit>
void ForEachContinuation(size_t size, std::string* prefix, const Visit& visit) {
  if (prefix->size() == size) {
    visit(*prefix);
    return;
  }
  for (char byte : {'\x80', '\x81', '\xff'}) {
    prefix->push_back(byte);
    ForEachContinuation(size, prefix, visit);
    prefix->pop_back();
  }
}

// Every varint of 1 to 10 bytes over {80, 81, ff} and a last one of
// {00, 01, 7f}, in runs that put each length at every offset of a vector.
TEST(PackedVarints, EveryShape) {
  constexpr size_t kRunBytes = 4000;
  std::vector<std::string> records;
  std::string run;
  const auto add = [&](const std::string& varint) {
    run += varint;
    if (run.size() < kRunBytes) return;
    records.push_back(PackedRecord(run));
    run.assign(records.size() % 70, '\x05');
  };
  for (size_t size = 1; size <= 10; ++size) {
    std::string prefix;
    ForEachContinuation(size - 1, &prefix, [&](const std::string& bytes) {
      for (char last : {'\x00', '\x01', '\x7f'}) add(bytes + last);
    });
  }
  records.push_back(PackedRecord(run));
  EXPECT_GT(records.size(), 190u);
  DecodeAgreement().CheckSingly({{"a", Kind::kInt64}}, records);
}

// Eleven bytes are no varint, wherever in a run they lie.
TEST(PackedVarints, ElevenBytes) {
  std::vector<std::string> records;
  for (size_t before = 0; before < 70; ++before) {
    for (size_t after : {0u, 1u, 16u, 64u}) {
      for (const char* ten : {"80808080808080808080", "ffffffffffffffffffff",
                              "818181818181818181ff"}) {
        for (const char* last : {"00", "01", "7f", "80"}) {
          records.push_back(PackedRecord(std::string(before, '\x01') +
                                         Hex(ten) + Hex(last) +
                                         std::string(after, '\x01')));
        }
      }
    }
  }
  DecodeAgreement().CheckSingly({{"a", Kind::kInt64}}, records, Effort::kQuick);
}

// Sixteen bytes of every pattern of continuation bits.
TEST(PackedVarints, EveryMaskOfSixteenBytes) {
  std::vector<std::string> records;
  for (uint32_t mask = 0; mask < 0x10000; ++mask) {
    std::string run;
    for (uint32_t i = 0; i < 16; ++i) {
      const uint32_t more = (mask >> i & 1) << 7;
      run += static_cast<char>(((mask * 37 + i * 11) & 0x7f) | more);
    }
    // Half of them go on, so that a last continuation has a successor.
    if (mask % 2 == 0) run += "\x03\x04";
    records.push_back(PackedRecord(run));
  }
  DecodeAgreement().CheckSingly({{"a", Kind::kInt64}}, records, Effort::kQuick);
}

// Runs whose values all have one width, of every length: a kernel that takes
// a vector at a time has to stop right.
TEST(PackedVarints, EveryLengthOfEveryWidth) {
  std::vector<std::string> records;
  for (size_t width = 1; width <= 10; ++width) {
    for (size_t count = 0; count <= 140; ++count) {
      std::string run;
      for (size_t i = 0; i < count; ++i) {
        const uint64_t low = uint64_t{1} << (7 * (width - 1));
        run += Varint(width == 10 ? ~uint64_t{i} : low + i, width);
      }
      records.push_back(PackedRecord(run));
      // And the last value cut short.
      if (!run.empty()) {
        run.back() = static_cast<char>(run.back() | '\x80');
        records.push_back(PackedRecord(run));
      }
    }
  }
  DecodeAgreement().CheckSingly({{"a", Kind::kInt64}}, records, Effort::kQuick);
}

TEST(Lists, LongOnesInEveryLayout) {
  constexpr size_t kCounts[] = {1, 2, 63, 64, 65, 255, 1000, 1023, 4096, 5000};
  std::vector<std::vector<std::string>> batches;
  RandomExample plain(/*seed=*/11, {.plain = true});
  RandomExample odd(/*seed=*/12, {});
  for (size_t count : kCounts) {
    for (RandomExample* random : {&plain, &odd}) {
      ExampleBuilder record;
      for (const auto& [key, kind] :
           {std::pair("i", Kind::kInt64), std::pair("f", Kind::kFloat),
            std::pair("b", Kind::kBytes)}) {
        record.Feature(key, FeatureOf(kind, random->List(kind, count)));
      }
      batches.push_back({record.Build(), record.Build(), record.Build()});
    }
  }
  DecodeAgreement().Check(
      {{"i", Kind::kInt64}, {"f", Kind::kFloat}, {"b", Kind::kBytes}}, batches);
}

// A million runs of nothing, and of one value: time must stay linear.
TEST(Lists, ManyTinyRuns) {
  std::string empty;
  std::string single;
  for (int i = 0; i < 200000; ++i) {
    empty += LenField(kListValue, "");
    single +=
        i % 2 == 0 ? LenField(kListValue, "\x07") : VarintField(kListValue, 7);
  }
  DecodeAgreement().CheckSingly(
      {{"a", Kind::kInt64}},
      std::vector<std::string>{Int64Record(empty), Int64Record(single)},
      Effort::kQuick);
}

// The payload at each offset from a vector's edge.
TEST(Lists, FloatsOfEveryLengthAndAlignment) {
  std::vector<std::string> records;
  for (size_t shift = 0; shift < 17; ++shift) {
    for (size_t count = 0; count < 70; ++count) {
      std::string floats;
      for (size_t i = 0; i < count; ++i) {
        floats += Fixed32(static_cast<uint32_t>(0x7F800000 + 977 * i));
      }
      records.push_back(ExampleOf(
          LenField(kUnknownField, std::string(shift, '\1')) +
          EntryField("", FeatureOf(Kind::kFloat, LenField(1, floats)))));
    }
  }
  DecodeAgreement().CheckSingly({{"", Kind::kFloat}}, records, Effort::kQuick);
}

}  // namespace
}  // namespace headrace::testing
