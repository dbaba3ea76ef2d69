// The values of arrays of bytes, and arrays that contradict themselves:
// BinaryValues and EncodeExamples refuse the same ones.

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/example_encoder.h"
#include "tests/encode/foreign_array.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

const std::vector<std::string>& ValuesMade() {
  static const auto* texts = new std::vector<std::string>{
      "a", "", std::string("b\0", 2), "longer than a view holds"};
  return *texts;
}

Foreign MakeBytes(const std::string& format) {
  if (format[0] == 'v') return Views(format, ValuesMade());
  return format == "z" || format == "u"
             ? ByteArrays<int32_t>(format, ValuesMade())
             : ByteArrays<int64_t>(format, ValuesMade());
}

class BinaryValuesTest : public ::testing::TestWithParam<std::string> {
 protected:
  // Both who read arrays must refuse what `change` makes of a right one.
  void ExpectRefused(const std::function<void(ForeignArray*)>& change) {
    const Foreign made = MakeBytes(GetParam());
    change(made.get());
    const auto values = BinaryValues(made->schema, made->array);
    EXPECT_THAT(values, HasCode(ErrorCode::kInvalidArgument));
    EXPECT_THAT(EncodeExamples(BatchOf(made)->schema, BatchOf(made)->array),
                HasCode(ErrorCode::kInvalidArgument));
  }
};

TEST_P(BinaryValuesTest, ValuesOfTheWholeAndOfASlice) {
  const Foreign made = MakeBytes(GetParam());
  EXPECT_THAT(*BinaryValues(made->schema, made->array),
              ::testing::ElementsAreArray(ValuesMade()));
  Sliced(made, 1, 2);
  EXPECT_THAT(*BinaryValues(made->schema, made->array),
              ElementsAre("", std::string_view("b\0", 2)));
  Sliced(made, 4, 0);
  EXPECT_THAT(*BinaryValues(made->schema, made->array), IsEmpty());
}

TEST_P(BinaryValuesTest, ANullIsNamed) {
  const Foreign made =
      WithNulls(MakeBytes(GetParam()), {true, true, false, true});
  const auto values = BinaryValues(made->schema, made->array);
  EXPECT_THAT(values, IsError(ErrorCode::kInvalidArgument,
                              {.record = 2u, .text = "is null"}));
  Sliced(made, 3, 1);
  EXPECT_THAT(BinaryValues(made->schema, made->array), IsOk());
}

TEST_P(BinaryValuesTest, StructuresThatContradictThemselves) {
  for (const int64_t n : {int64_t{-1}, kLowest, kHighest}) {
    SCOPED_TRACE(n);
    ExpectRefused([=](ForeignArray* f) { f->array.offset = n; });
    ExpectRefused([=](ForeignArray* f) { f->array.n_children = n; });
  }
  for (const int64_t n : {int64_t{-2}, int64_t{5}, kLowest, kHighest}) {
    SCOPED_TRACE(n);
    ExpectRefused([=](ForeignArray* f) { f->array.null_count = n; });
  }
  for (const int64_t n : {int64_t{-1}, kLowest, int64_t{0}, int64_t{2}}) {
    SCOPED_TRACE(n);
    ExpectRefused([=](ForeignArray* f) { f->array.n_buffers = n; });
  }
  ExpectRefused([](ForeignArray* f) { f->array.buffers = nullptr; });
  ExpectRefused([](ForeignArray* f) { f->buffers[1] = nullptr; });
  ExpectRefused([](ForeignArray* f) { f->buffers[2] = nullptr; });
  ExpectRefused([](ForeignArray* f) { f->array.null_count = 1; });
  ExpectRefused([](ForeignArray* f) { f->array.release = nullptr; });
  ExpectRefused([](ForeignArray* f) { f->schema.release = nullptr; });
  ExpectRefused([](ForeignArray* f) { f->schema.format = nullptr; });
}

TEST_P(BinaryValuesTest, LengthsBelowZeroOrWithoutAnAddress) {
  for (const int64_t length : {int64_t{-1}, kLowest, kHighest}) {
    const Foreign made = Sliced(MakeBytes(GetParam()), 0, length);
    EXPECT_THAT(BinaryValues(made->schema, made->array),
                HasCode(ErrorCode::kInvalidArgument))
        << length;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, BinaryValuesTest,
                         ::testing::Values("z", "Z", "u", "U", "vz", "vu"));

// Sets one number of the buffer after the validity.
template <class T>
Foreign WithNumber(const std::string& format, size_t index, T number) {
  const Foreign made = MakeBytes(format);
  auto* const at = static_cast<char*>(const_cast<void*>(made->buffers[1]));
  std::memcpy(at + index * sizeof(T), &number, sizeof(T));
  return made;
}

void ExpectValueRefused(const Foreign& made, uint64_t i) {
  const auto values = BinaryValues(made->schema, made->array);
  EXPECT_THAT(values,
              IsError(ErrorCode::kInvalidArgument,
                      {.record = i, .text = "is not inside its buffer"}));
  EXPECT_THAT(EncodeExamples(BatchOf(made)->schema, BatchOf(made)->array),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(BinaryValuesOffsetsTest, OffsetsThatFallOrAreNegative) {
  for (const std::string format : {"z", "u"}) {
    ExpectValueRefused(WithNumber<int32_t>(format, 0, -1), 0);
    ExpectValueRefused(WithNumber<int32_t>(format, 1, 0x7fffffff), 0);
    ExpectValueRefused(WithNumber<int32_t>(format, 4, -1), 0);
  }
  for (const std::string format : {"Z", "U"}) {
    ExpectValueRefused(WithNumber<int64_t>(format, 0, kLowest), 0);
    ExpectValueRefused(WithNumber<int64_t>(format, 1, kHighest), 0);
    ExpectValueRefused(WithNumber<int64_t>(format, 4, 2), 2);
  }
}

TEST(BinaryValuesOffsetsTest, ViewsThatPointNowhere) {
  for (const std::string format : {"vz", "vu"}) {
    ExpectValueRefused(WithNumber<int32_t>(format, 0, -1), 0);
    // The last view: its size, its buffer, where it begins there.
    for (const int32_t size : {25, 0x7fffffff, -1}) {
      ExpectValueRefused(WithNumber<int32_t>(format, 12, size), 3);
    }
    for (const int32_t buffer : {1, 2, -1, 0x7fffffff}) {
      ExpectValueRefused(WithNumber<int32_t>(format, 14, buffer), 3);
    }
    for (const int32_t begin : {1, -1, 0x7fffffff}) {
      ExpectValueRefused(WithNumber<int32_t>(format, 15, begin), 3);
    }
    const Foreign made = MakeBytes(format);
    auto* const sizes =
        static_cast<int64_t*>(const_cast<void*>(made->buffers[3]));
    for (const int64_t size : {int64_t{16}, int64_t{0}, kLowest}) {
      *sizes = size;
      ExpectValueRefused(made, 3);
    }
  }
}

TEST(BinaryValuesOffsetsTest, OtherTypes) {
  for (const std::string format : {"l", "w:4", "+l", "+s", "n", "", "q"}) {
    const Foreign made = MakeForeign(format, 0);
    const Status status = BinaryValues(made->schema, made->array).status();
    EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument,
                                {.expected = "binary", .found = format}));
  }
  const Foreign made = MakeBytes("z");
  made->schema.dictionary = &MakeBytes("z")->schema;
  EXPECT_THAT(
      BinaryValues(made->schema, made->array),
      IsError(ErrorCode::kInvalidArgument, {.text = "dictionary-encoded"}));
}

}  // namespace
}  // namespace headrace::testing
