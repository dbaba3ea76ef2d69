// Views into pinned input: which buffers they come with.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "src/exchange/arrow/c_export.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/arrow/column_maker.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

constexpr size_t kMax32 = 0x7fffffff;

// A column of views, exported, with its variadic buffers.
class Views {
 public:
  explicit Views(ColumnMaker* maker) {
    const ArrowOptions options{.bytes_as = BytesAs::kBinaryView};
    EXPECT_THAT(arrow::ExportFields(maker->fields(), options, &schema_),
                IsOk());
    EXPECT_THAT(arrow::ExportColumns(maker->batch(), Batch(), options, &array_),
                IsOk());
    const ArrowArray& item = *array_.children[0]->children[0];
    const int64_t variadic = item.n_buffers - 3;
    const auto* sizes =
        static_cast<const int64_t*>(item.buffers[item.n_buffers - 1]);
    for (int64_t i = 0; i < variadic; ++i) {
      buffers_.emplace_back(static_cast<const char*>(item.buffers[2 + i]),
                            static_cast<size_t>(sizes[i]));
    }
  }
  Views(const Views&) = delete;
  Views& operator=(const Views&) = delete;
  ~Views() {
    schema_.release(&schema_);
    array_.release(&array_);
  }

  std::string Violation() const {
    return headrace::testing::Violation(schema_, array_);
  }
  std::vector<std::string> rows() const { return RowTexts(schema_, array_); }
  const std::vector<std::string_view>& buffers() const { return buffers_; }

 private:
  ArrowSchema schema_;
  ArrowArray array_;
  std::vector<std::string_view> buffers_;
};

// `from` to the end of `to`: what one buffer must be.
std::string_view Range(std::string_view from, std::string_view to) {
  return {from.data(),
          static_cast<size_t>(to.data() + to.size() - from.data())};
}
MATCHER_P(IsAt, bytes, "") {
  return arg.data() == bytes.data() && arg.size() == bytes.size();
}

const std::string kText =
    "....the first value....the second value....the third value....";

struct Three {
  std::string_view a, b, c;
};
Three ValuesOf(std::string_view text) {
  return {text.substr(4, 15), text.substr(23, 16), text.substr(43, 15)};
}

TEST(ViewsTest, ShortValuesNeedNoBuffer) {
  ColumnMaker maker(3);
  maker.Views("v", {"", "a", "twelve bytes"});
  const Views views(&maker);
  EXPECT_EQ(views.Violation(), "");
  EXPECT_THAT(views.buffers(), IsEmpty());
  EXPECT_EQ(views.rows(), RowTexts(maker.batch()));
}

TEST(ViewsTest, OneStretchIsOneBufferThatIsNoLongerThanItsValues) {
  const auto [a, b, c] = ValuesOf(kText);
  ColumnMaker maker(3);
  maker.Views("v", {a, b, c});
  maker.Pin(kText);
  const Views views(&maker);
  EXPECT_EQ(views.Violation(), "");
  EXPECT_THAT(views.buffers(), ElementsAre(IsAt(Range(a, c))));
  EXPECT_EQ(views.rows(), RowTexts(maker.batch()));
}

TEST(ViewsTest, ABufferNeverSpansAGap) {
  const auto [a, b, c] = ValuesOf(kText);
  ColumnMaker maker(3);
  maker.Views("v", {a, b, c});
  maker.Pin(std::string_view(kText).substr(0, 40));
  maker.Pin(std::string_view(kText).substr(41));
  const Views views(&maker);
  EXPECT_EQ(views.Violation(), "");
  EXPECT_THAT(views.buffers(), ElementsAre(IsAt(Range(a, b)), IsAt(c)));
}

TEST(ViewsTest, StretchesSideBySideAreOne) {
  const auto [a, b, c] = ValuesOf(kText);
  ColumnMaker maker(3);
  maker.Views("v", {a, b, c});
  maker.Pin(std::string_view(kText).substr(0, 20));
  maker.Pin(std::string_view(kText).substr(20, 20));
  maker.Pin(std::string_view(kText).substr(40));
  const Views views(&maker);
  EXPECT_EQ(views.Violation(), "");
  EXPECT_THAT(views.buffers(), ElementsAre(IsAt(Range(a, c))));
}

TEST(ViewsTest, StretchesMayDescendInMemory) {
  const auto [a, b, c] = ValuesOf(kText);
  ColumnMaker maker(3);
  maker.Views("v", {c, a, b});
  maker.Pin(std::string_view(kText).substr(41));
  maker.Pin(std::string_view(kText).substr(0, 40));
  const Views views(&maker);
  EXPECT_EQ(views.Violation(), "");
  EXPECT_THAT(views.buffers(), ElementsAre(IsAt(c), IsAt(Range(a, b))));
  EXPECT_EQ(views.rows(), RowTexts(maker.batch()));
}

// No column has its values in this order; it is right all the same.
TEST(ViewsTest, ValuesMayDescendInMemory) {
  const auto [a, b, c] = ValuesOf(kText);
  ColumnMaker maker(4);
  maker.Views("v", {c, b, a, c});
  maker.Pin(kText);
  const Views views(&maker);
  EXPECT_EQ(views.Violation(), "");
  EXPECT_EQ(views.rows(), RowTexts(maker.batch()));
}

// As defaults: they do not lie in the input, and come in many rows.
TEST(ViewsTest, ValuesThatNothingPinsAreCopiedOnceEach) {
  const auto [a, b, c] = ValuesOf(kText);
  const std::string one = "the default of the first feature",
                    two = "the default of the second";
  ColumnMaker maker(9);
  maker.Views("v", {one, a, "short", one, b, two, c, one, two});
  maker.Pin(kText);
  const Views views(&maker);
  EXPECT_EQ(views.Violation(), "");
  EXPECT_THAT(views.buffers(), ElementsAre(one + two, IsAt(Range(a, c))));
  EXPECT_EQ(views.rows(), RowTexts(maker.batch()));
}

TEST(ViewsTest, WithoutPinnedBytesEverythingIsACopy) {
  const auto [a, b, c] = ValuesOf(kText);
  ColumnMaker maker(4);
  maker.Views("v", {a, b, a, c});
  const Views views(&maker);
  EXPECT_EQ(views.Violation(), "");
  EXPECT_THAT(views.buffers(),
              ElementsAre(std::string(a) + std::string(b) + std::string(c)));
  EXPECT_EQ(views.rows(), RowTexts(maker.batch()));
}

TEST(ViewsTest, NothingIsReadAroundThePinnedBytes) {
  GuardedBytes guarded(1 << 12);
  const std::string tight = kText.substr(4, kText.size() - 8);
  for (const bool at_end : {true, false}) {
    const std::string_view text =
        at_end ? guarded.PlaceAtEnd(tight) : guarded.PlaceAtStart(tight);
    const auto a = text.substr(0, 15), b = text.substr(text.size() - 15);
    ColumnMaker maker(2);
    maker.Views("v", {a, b});
    maker.Pin(text);
    const Views views(&maker);
    EXPECT_EQ(views.Violation(), "");
    EXPECT_EQ(views.rows(), RowTexts(maker.batch()));
  }
}

// Memory that takes address space, and no more than the pages that are read.
class Space {
 public:
  explicit Space(size_t size)
      : size_(size),
        data_(static_cast<char*>(
            mmap(nullptr, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;
  ~Space() { munmap(data_, size_); }

  std::string_view all() const { return {data_, size_}; }
  std::string_view Put(size_t offset, std::string_view text) {
    std::memcpy(data_ + offset, text.data(), text.size());
    return {data_ + offset, text.size()};
  }

 private:
  size_t size_;
  char* data_;
};

TEST(ViewsTest, ABufferEndsWhereItsOffsetsDo) {
  if (sizeof(size_t) == 4) GTEST_SKIP() << "needs more addresses";
  const std::string text = "seventeen letters";
  Space space(size_t{5} << 30);
  ColumnMaker maker(4);
  const auto a = space.Put(10, text);
  const auto b = space.Put(10 + kMax32 - text.size(), text);  // just fits
  const auto c = space.Put(11 + kMax32, text);
  const auto d = space.Put((size_t{5} << 30) - text.size(), text);
  maker.Views("v", {a, b, c, d});
  maker.Pin(space.all());
  const Views views(&maker);
  // Violation would read gigabytes.
  EXPECT_EQ(views.rows(), RowTexts(maker.batch()));
  EXPECT_THAT(views.buffers(),
              ElementsAre(IsAt(Range(a, b)), IsAt(c), IsAt(d)));
}

TEST(ViewsTest, AValueLongerThanAViewCanSayIsALimit) {
  if (sizeof(size_t) == 4) GTEST_SKIP() << "needs more addresses";
  Space space(size_t{3} << 30);
  ColumnMaker maker(1);
  maker.Views("v", {space.all()});
  maker.Pin(space.all());
  ArrowArray array;
  const Status status = arrow::ExportColumns(
      maker.batch(), Batch(), {.bytes_as = BytesAs::kBinaryView}, &array);
  EXPECT_THAT(status, IsError(ErrorCode::kLimit, {.feature = "v"}));
}

}  // namespace
}  // namespace headrace::testing
