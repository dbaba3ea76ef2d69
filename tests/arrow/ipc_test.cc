// The IPC writer as a file: when it appears, how it is cut, what it refuses.
// That Arrow reads it is tested in read_back_test.py.

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "src/exchange/arrow/ipc_writer.h"
#include "tests/arrow/cases.h"
#include "tests/arrow/column_maker.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using arrow::IpcWriter;

// A path that names nothing yet; what is written there goes away at the end.
class Target {
 public:
  ~Target() { std::remove(path_.c_str()); }

  const std::string& path() const { return path_; }
  bool Exists() const {
    struct stat info;
    return stat(path_.c_str(), &info) == 0;
  }
  std::string Read() const { return ContentOf(path_); }

 private:
  TemporaryFile taken_{""};
  std::string path_ = taken_.path() + ".arrow";
};

std::string Written(ColumnMaker* maker, ArrowFormat format, BytesAs bytes_as) {
  const Target target;
  auto writer = IpcWriter::Open(target.path(), format, maker->fields(),
                                {.bytes_as = bytes_as});
  EXPECT_THAT(writer, IsOk());
  EXPECT_THAT(writer->Write(maker->batch()), IsOk());
  EXPECT_THAT(writer->Close(), IsOk());
  const std::string bytes = target.Read();
  EXPECT_EQ(writer->num_bytes(), bytes.size());
  return bytes;
}

struct Piece {
  size_t metadata = 0;  // length, with padding
  size_t body = 0;      // where it begins
};

// Follows the encapsulated messages of a stream. Bodies are found by the next
// continuation, which no test's values contain.
std::vector<Piece> Messages(std::string_view stream, size_t at) {
  std::vector<Piece> pieces;
  for (;;) {
    at = stream.find("\xff\xff\xff\xff", at);
    if (at == std::string_view::npos) return pieces;
    uint32_t size;
    std::memcpy(&size, stream.data() + at + 4, sizeof(size));
    if (size == 0) return pieces;
    pieces.push_back({.metadata = size, .body = at + 8 + size});
    at += 8 + size;
  }
}

TEST(IpcTest, BodiesAreAligned) {
  for (const ArrowFormat format : {ArrowFormat::kFile, ArrowFormat::kStream}) {
    for (const char* const name : {"no_nulls", "no_rows", "no_columns"}) {
      for (const Case& c : Cases()) {
        if (c.name != name) continue;
        const std::string bytes =
            Written(c.columns.get(), format, BytesAs::kBinary);
        const std::vector<Piece> pieces = Messages(bytes, 0);
        ASSERT_EQ(pieces.size(), 2u) << name;
        for (const Piece& piece : pieces) {
          EXPECT_EQ(piece.body % 64, 0u);
          EXPECT_EQ(piece.metadata % 8, 0u);
        }
      }
    }
  }
}

TEST(IpcTest, FileHasMagicAtBothEnds) {
  ColumnMaker maker(1);
  maker.Int64s("i", {{{1}}});
  const std::string file =
      Written(&maker, ArrowFormat::kFile, BytesAs::kBinary);
  EXPECT_THAT(file, StartsWith(std::string("ARROW1\0\0\xff\xff\xff\xff", 12)));
  EXPECT_THAT(file, EndsWith("ARROW1"));
  const std::string stream =
      Written(&maker, ArrowFormat::kStream, BytesAs::kBinary);
  EXPECT_THAT(stream, StartsWith("\xff\xff\xff\xff"));
  EXPECT_THAT(stream, EndsWith(std::string("\xff\xff\xff\xff\0\0\0\0", 8)));
}

// Same values, other places in memory, other stretches: same bytes.
TEST(IpcTest, WhatIsWrittenDoesNotDependOnWhereValuesLie) {
  const std::string text = "####first long value####second long value####";
  const std::string copy = "second long value, first long value";
  const std::string_view view(text);
  for (const BytesAs bytes_as : {BytesAs::kBinary, BytesAs::kBinaryView}) {
    ColumnMaker one(3);
    one.Views("v", {view.substr(4, 16), "short", view.substr(24, 17)});
    one.Pin(text);
    ColumnMaker two(3);
    two.Views("v", {std::string_view(copy).substr(19, 16), "short",
                    std::string_view(copy).substr(0, 17)});
    const std::string bytes = Written(&one, ArrowFormat::kFile, bytes_as);
    EXPECT_EQ(bytes, Written(&two, ArrowFormat::kFile, bytes_as));
    // Nothing else of the input gets into the file.
    EXPECT_EQ(bytes.find('#'), std::string::npos);
  }
}

TEST(IpcTest, FileAppearsWithClose) {
  const Target target;
  const Case& c = Cases()[0];
  {
    auto writer = OrThrow(IpcWriter::Open(target.path(), ArrowFormat::kFile,
                                          c.columns->fields(), {}));
    ASSERT_THAT(writer.Write(c.columns->batch()), IsOk());
    EXPECT_FALSE(target.Exists());
  }
  EXPECT_FALSE(target.Exists());
  auto writer = OrThrow(IpcWriter::Open(target.path(), ArrowFormat::kFile,
                                        c.columns->fields(), {}));
  ASSERT_THAT(writer.Close(), IsOk());
  EXPECT_TRUE(target.Exists());
  EXPECT_THAT(writer.Close(), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(writer.Write(c.columns->batch()),
              HasCode(ErrorCode::kInvalidArgument));
}

// Whoever reads a pipe has each batch as soon as it is written.
TEST(IpcTest, StreamIsNotHeldBack) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ColumnMaker maker(1);
  maker.Int64s("i", {{{1}}});
  auto writer =
      OrThrow(IpcWriter::Open("/dev/fd/" + std::to_string(ends[1]),
                              ArrowFormat::kStream, maker.fields(), {}));
  ASSERT_THAT(writer.Write(maker.batch()), IsOk());
  std::string seen(4096, ' ');
  const ssize_t got = read(ends[0], seen.data(), seen.size());
  EXPECT_EQ(static_cast<uint64_t>(got), writer.num_bytes());
  close(ends[0]);
  close(ends[1]);
}

TEST(IpcTest, OtherColumnsAreRefused) {
  ColumnMaker maker(1);
  maker.Int64s("a", {{{1}}});
  const std::vector<std::vector<ColumnField>> others = {
      {},
      {{"b", Kind::kInt64}},
      {{"a", Kind::kFloat}},
      {{"a", Kind::kInt64}, {"b", Kind::kInt64}}};
  for (const auto& columns : others) {
    const Target target;
    auto writer = OrThrow(IpcWriter::Open(target.path(), ArrowFormat::kFile,
                                          {.columns = columns}, {}));
    EXPECT_THAT(writer.Write(maker.batch()),
                HasCode(ErrorCode::kInvalidArgument));
  }
}

TEST(IpcTest, AnErrorIsFinalAndLeavesNoFile) {
  ColumnMaker bad(1);
  bad.Bytes("b", {{{"\xff"}}});
  ColumnMaker good(1);
  good.Bytes("b", {{{"fine"}}});
  const Target target;
  auto writer =
      OrThrow(IpcWriter::Open(target.path(), ArrowFormat::kFile, bad.fields(),
                              {.bytes_as = BytesAs::kString}));
  ASSERT_THAT(writer.Write(good.batch()), IsOk());
  EXPECT_THAT(writer.Write(bad.batch()),
              IsError(ErrorCode::kInvalidArgument, {.feature = "b"}));
  EXPECT_THAT(writer.Write(good.batch()),
              IsError(ErrorCode::kInvalidArgument, {.feature = "b"}));
  EXPECT_THAT(writer.Close(),
              IsError(ErrorCode::kInvalidArgument, {.feature = "b"}));
  EXPECT_FALSE(target.Exists());
}

TEST(IpcTest, NameThatIsNotUtf8IsRefused) {
  const std::vector<ColumnField> columns = {{"\xc3", Kind::kInt64}};
  const Target target;
  EXPECT_THAT(IpcWriter::Open(target.path(), ArrowFormat::kFile,
                              {.columns = columns}, {}),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(IpcTest, FolderThatIsMissing) {
  EXPECT_THAT(
      IpcWriter::Open("/no such folder/x.arrow", ArrowFormat::kFile, {}, {}),
      HasCode(ErrorCode::kNotFound));
}

TEST(IpcTest, EmptyBatchIsWritten) {
  const Target target;
  const auto plan = OrThrow(Plan::ForColumns({}));
  auto writer =
      OrThrow(ArrowWriter::Open(target.path(), ArrowFormat::kStream, plan));
  EXPECT_THAT(writer.Write(Batch()), IsOk());
  EXPECT_THAT(writer.Close(), IsOk());
  EXPECT_EQ(Messages(target.Read(), 0).size(), 2u);
}

}  // namespace
}  // namespace headrace::testing
