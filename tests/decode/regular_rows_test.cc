// Columns with one value in each row do without offsets of their own until a
// row is otherwise: wherever that row stands, and whatever it has instead.

#include <cstddef>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/support/example_builder.h"

namespace headrace::testing {
namespace {

// Columns "a", "b" and "c" of three kinds.
std::vector<ColumnField> ThreeColumns() {
  return {{"a", Kind::kInt64, false},
          {"b", Kind::kFloat, false},
          {"c", Kind::kBytes, false}};
}

std::string OneValue(char key, int i) {
  switch (key) {
    case 'a':
      return EntryField("a", Int64Feature({i}));
    case 'b':
      return EntryField("b", FloatFeature({static_cast<float>(i)}));
    default:
      return EntryField("c", BytesFeature({std::to_string(i)}));
  }
}

// What may stand where the entry of `key` should.
std::vector<std::string> Oddities(char key) {
  const std::string name(1, key);
  const std::string entry = OneValue(key, 70);
  const Kind kind = key == 'a'   ? Kind::kInt64
                    : key == 'b' ? Kind::kFloat
                                 : Kind::kBytes;
  const std::string list = key == 'a'   ? PackedInt64s({1, 2})
                           : key == 'b' ? PackedFloats({1, 2})
                                        : BytesValues({"x", "y"});
  return {
      "",
      EntryField(name, FeatureOf(Kind::kNull, "")),
      EntryField(name, FeatureOf(kind, "")),
      EntryField(name, FeatureOf(kind, list)),
      entry + OneValue(key, 71),
      EntryField(name, FeatureOf(kind, list)) + entry,
      entry + EntryField(name, FeatureOf(kind, list)),
      entry + EntryField(name, FeatureOf(Kind::kNull, "")),
      // Rows that are rolled back after they were begun.
      entry + "\x0A\x7F",
      entry + OneValue(key == 'a' ? 'b' : 'a', 72) + "\x07",
      EntryField(name, FeatureOf(key == 'a' ? Kind::kBytes : Kind::kInt64,
                                 "\x0A\x01\x01")),
  };
}

// Rows of all three keys, but for one row with an oddity; in the order of the
// row where `shuffle`, so that no order is guessed.
std::vector<std::string> RowsWith(size_t rows, size_t odd_row, char odd_key,
                                  const std::string& oddity, bool shuffle) {
  std::vector<std::string> records;
  for (size_t row = 0; row < rows; ++row) {
    std::string entries;
    for (size_t i = 0; i < 3; ++i) {
      const size_t turn = shuffle ? row * row / 3 + (row % 2 + 1) * i : i;
      const char key = static_cast<char>('a' + turn % 3);
      entries += row == odd_row && key == odd_key
                     ? oddity
                     : OneValue(key, static_cast<int>(row));
    }
    records.push_back(ExampleOf(entries));
  }
  return records;
}

TEST(RegularRows, UntilOneIsNot) {
  constexpr size_t kRows = 40;
  DecodeAgreement::Batches batches;
  for (const char key : {'a', 'b', 'c'}) {
    for (const std::string& oddity : Oddities(key)) {
      for (const size_t row : {size_t{0}, size_t{1}, size_t{30}, kRows - 1}) {
        for (const bool shuffle : {false, true}) {
          batches.push_back(RowsWith(kRows, row, key, oddity, shuffle));
        }
      }
    }
  }
  DecodeAgreement().Check(ThreeColumns(), batches, Effort::kQuick);
}

// More rows than arrays have room for at first.
TEST(RegularRows, GrowWithTheirBatch) {
  DecodeAgreement::Batches batches;
  constexpr size_t kRows = 300;
  for (const size_t row : {size_t{255}, size_t{256}, kRows - 1}) {
    for (const std::string& oddity : Oddities('a')) {
      batches.push_back(RowsWith(kRows, row, 'a', oddity, false));
    }
  }
  DecodeAgreement().Check(ThreeColumns(), batches, Effort::kQuick);
}

}  // namespace
}  // namespace headrace::testing
