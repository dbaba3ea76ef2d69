// A reader as a stream of the C data interface.

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

std::string Row(int64_t i, const std::string& text) {
  return ExampleBuilder().Bytes("b", {text}).Int64s("i", {i}).Build();
}

// The stream of a file, read by a consumer.
class Consumer {
 public:
  Consumer(const std::string& path, BytesAs bytes_as, size_t batch_size) {
    auto reader = Reader::Open({path}, {.batch_size = batch_size});
    EXPECT_THAT(reader, IsOk());
    EXPECT_THAT(
        ExportStream(*std::move(reader), {.bytes_as = bytes_as}, &stream_),
        IsOk());
    EXPECT_EQ(stream_.get_schema(&stream_, &schema_), 0);
  }
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  ~Consumer() {
    if (stream_.release) stream_.release(&stream_);
    schema_.release(&schema_);
    for (ArrowArray& array : arrays_) array.release(&array);
  }

  // Reads on to the end or an error.
  int ReadAll() {
    for (;;) {
      ArrowArray array;
      const int error = stream_.get_next(&stream_, &array);
      if (error != 0 || array.release == nullptr) return error;
      arrays_.push_back(array);
    }
  }
  // The batches stay good after that.
  void ReleaseStream() {
    stream_.release(&stream_);
    EXPECT_EQ(stream_.release, nullptr);
  }
  std::string last_error() {
    const char* const text = stream_.get_last_error(&stream_);
    return text ? text : "";
  }
  std::vector<std::string> rows() const {
    std::vector<std::string> rows;
    for (const ArrowArray& array : arrays_) {
      EXPECT_EQ(Violation(schema_, array), "");
      for (std::string& row : RowTexts(schema_, array)) {
        rows.push_back(std::move(row));
      }
    }
    return rows;
  }
  size_t num_batches() const { return arrays_.size(); }

 private:
  ArrowArrayStream stream_ = {};
  ArrowSchema schema_ = {};
  std::vector<ArrowArray> arrays_;
};

TEST(StreamTest, GivesAllBatchesThenTheEnd) {
  const TemporaryFile file(RecordFile(
      {Row(1, "x"), Row(2, "longer than a view holds"), Row(3, "")}));
  for (const BytesAs bytes_as : {BytesAs::kBinary, BytesAs::kLargeBinary,
                                 BytesAs::kBinaryView, BytesAs::kString}) {
    Consumer consumer(file.path(), bytes_as, 2);
    EXPECT_EQ(consumer.ReadAll(), 0);
    EXPECT_EQ(consumer.ReadAll(), 0);
    EXPECT_EQ(consumer.num_batches(), 2u);
    consumer.ReleaseStream();
    EXPECT_THAT(consumer.rows(),
                ElementsAre("{b: [\"x\"], i: [1]}",
                            "{b: [\"longer than a view holds\"], i: [2]}",
                            "{b: [\"\"], i: [3]}"));
  }
}

TEST(StreamTest, NoRowsIsAnEmptyStream) {
  const TemporaryFile file("");
  Consumer consumer(file.path(), BytesAs::kBinary, 2);
  EXPECT_EQ(consumer.ReadAll(), 0);
  EXPECT_EQ(consumer.num_batches(), 0u);
}

TEST(StreamTest, RowsBeforeDamageComeFirstAndTheErrorStays) {
  DamagedFile damaged({Row(1, "x"), Row(2, "y"), Row(3, "z")});
  damaged.FlipByte(static_cast<size_t>(damaged.offset(2)) + 14);
  const TemporaryFile file(damaged.bytes());
  Consumer consumer(file.path(), BytesAs::kBinary, 100);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(consumer.ReadAll(), EINVAL);
    EXPECT_THAT(consumer.last_error(), HasSubstr("payload_crc"));
    EXPECT_THAT(consumer.last_error(), HasSubstr(file.path()));
  }
  EXPECT_THAT(consumer.rows(),
              ElementsAre("{b: [\"x\"], i: [1]}", "{b: [\"y\"], i: [2]}"));
}

TEST(StreamTest, AValueThatIsNoStringNamesFileColumnAndRecord) {
  const TemporaryFile file(
      RecordFile({Row(1, "x"), Row(2, "y"), Row(3, "\xff")}));
  Consumer consumer(file.path(), BytesAs::kString, 2);
  EXPECT_EQ(consumer.ReadAll(), EINVAL);
  EXPECT_EQ(consumer.num_batches(), 1u);
  EXPECT_THAT(consumer.last_error(), HasSubstr(file.path()));
  EXPECT_THAT(consumer.last_error(), HasSubstr("record 2"));
  EXPECT_THAT(consumer.last_error(), HasSubstr("not UTF-8"));
  EXPECT_EQ(consumer.ReadAll(), EINVAL);
}

TEST(StreamTest, ANameThatCannotBeCarriedIsToldAtOnce) {
  const TemporaryFile file(
      RecordFile({ExampleBuilder().Int64s({"a\0b", 3}, {1}).Build()}));
  auto reader = OrThrow(Reader::Open({file.path()}));
  ArrowArrayStream stream;
  EXPECT_THAT(ExportStream(std::move(reader), {}, &stream),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(stream.release, nullptr);
}

}  // namespace
}  // namespace headrace::testing
