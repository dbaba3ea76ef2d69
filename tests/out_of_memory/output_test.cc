// What leaves the library, without memory: Arrow structures and files, records,
// messages. Every allocation fails once.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/arrow.h"
#include "headrace/decoder.h"
#include "headrace/example_encoder.h"
#include "headrace/record_writer.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/out_of_memory/every_allocation.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensors.h"
#include "tests/support/compressions.h"
#include "tests/support/exported.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

namespace fs = std::filesystem;

struct Decoded {
  Plan plan;
  Batch batch;
  std::vector<std::string> records;
};

Decoded Decode(Plan plan, std::vector<std::string> records) {
  Decoder decoder(plan, {.on_row_error = OnRowError::kSkip});
  const std::vector<std::string_view> views(records.begin(), records.end());
  auto batch = decoder.Decode(views);
  EXPECT_TRUE(batch.ok());
  return {std::move(plan), *std::move(batch), std::move(records)};
}

Decoded SomeColumns(bool in_sequence) {
  RandomExample random(/*seed=*/101, {.plain = true});
  std::vector<std::string> records;
  for (int i = 0; i < 8; ++i) {
    records.push_back(in_sequence ? random.NextSequence() : random.Next());
  }
  return Decode(*Plan::ForColumns(RandomExample::Columns(in_sequence)),
                std::move(records));
}

std::vector<Decoded> SomeBatches() {
  std::vector<Decoded> batches = {SomeColumns(false), SomeColumns(true)};
  RandomTensors random(/*seed=*/102);
  for (int i = 0; i < 4; ++i) {
    const FeatureSpec spec = random.NextSpec(
        i % 2 == 0 ? MessageType::kExample : MessageType::kSequence);
    std::vector<std::string> records;
    for (int j = 0; j < 8; ++j) records.push_back(random.NextRecord(spec));
    batches.push_back(Decode(*Plan::Compile(spec), std::move(records)));
  }
  return batches;
}

std::string TextOf(const Exported& out) {
  std::string text = TypeText(out.schema) + "\n";
  for (const std::string& row : RowTexts(out.schema, out.array)) {
    text += row + "\n";
  }
  return text;
}

TEST(ArrowWithoutMemory, Batches) {
  for (const Decoded& decoded : SomeBatches()) {
    for (const BytesAs bytes_as : kAllBytesAs) {
      FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
        Exported out;
        Outcome outcome;
        const ArrowOptions options{.bytes_as = bytes_as};
        outcome.status = allocator->During([&] {
          Status status = ExportSchema(decoded.plan, options, &out.schema);
          if (!status.ok()) return status;
          return ExportBatch(decoded.batch, options, &out.array);
        });
        if (outcome.status.ok()) outcome.rest = TextOf(out);
        EXPECT_EQ(outcome.status.ok(), out.array.release != nullptr);
        return outcome;
      });
    }
  }
}

TEST(ArrowWithoutMemory, OneField) {
  const Decoded decoded = SomeColumns(true);
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    Exported out;
    Outcome outcome;
    outcome.status = allocator->During([&] {
      Status status = ExportFieldSchema(decoded.plan, 2, {}, &out.schema);
      if (!status.ok()) return status;
      return ExportField(decoded.batch, 2, {}, &out.array);
    });
    return outcome;
  });
}

// The callbacks are C: nothing may be thrown through them.
TEST(ArrowWithoutMemory, Streams) {
  const Decoded decoded = SomeColumns(false);
  const TemporaryFile file(RecordFile(decoded.records));
  const std::vector<std::string> paths = {file.path()};
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    ArrowArrayStream stream = {};
    Outcome outcome;
    outcome.status = allocator->During([&]() -> Status {
      auto reader = Reader::Open(paths, decoded.plan, {.batch_size = 3});
      if (!reader.ok()) return reader.status();
      return ExportStream(*std::move(reader), {}, &stream);
    });
    if (!outcome.status.ok()) return outcome;
    int error = 0;
    while (error == 0) {
      Exported out;
      error = allocator->During([&] {
        const int no_schema = stream.get_schema(&stream, &out.schema);
        return no_schema ? no_schema : stream.get_next(&stream, &out.array);
      });
      if (error != 0 || out.array.release == nullptr) break;
      outcome.parts.push_back(TextOf(out));
    }
    EXPECT_TRUE(error == 0 || error == ENOMEM) << error;
    if (error != 0) outcome.status = Status::OutOfMemory();
    allocator->During([&] { return stream.release(&stream), 0; });
    return outcome;
  });
}

TEST(EncodeWithoutMemory, Examples) {
  for (const bool in_sequence : {false, true}) {
    const Decoded decoded = SomeColumns(in_sequence);
    Exported out;
    ASSERT_TRUE(ExportSchema(decoded.plan, {}, &out.schema).ok());
    ASSERT_TRUE(ExportBatch(decoded.batch, {}, &out.array).ok());
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      auto messages = allocator->During(
          [&] { return EncodeExamples(out.schema, out.array); });
      if (!messages.ok()) return Outcome{.status = messages.status()};
      return Outcome{.status = {}, .parts = *std::move(messages)};
    });
  }
}

// -------------------------------------------------------------------- Files

class FilesWithoutMemory : public ::testing::Test {
 protected:
  std::string path() const { return folder_ + "/a file with a long name"; }

  // What the file holds, and that nothing is there after a failure.
  Outcome OutcomeOf(Status status) const {
    Outcome outcome{.status = std::move(status)};
    if (outcome.status.ok()) {
      outcome.rest = ContentOf(path());
      fs::remove(path());
    }
    EXPECT_TRUE(fs::is_empty(folder_));
    return outcome;
  }

 private:
  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

TEST_F(FilesWithoutMemory, Records) {
  const std::vector<std::string> records = SomeColumns(false).records;
  const std::string path = this->path();
  for (const Compression compression : kCompressions) {
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      return OutcomeOf(allocator->During([&]() -> Status {
        auto writer = RecordWriter::Open(
            path, {.compression = compression, .fsync = true});
        if (!writer.ok()) return writer.status();
        for (const std::string& record : records) {
          if (Status s = writer->Write(record); !s.ok()) {
            EXPECT_EQ(writer->Close().code(), s.code());
            return s;
          }
        }
        return writer->Close();
      }));
    });
  }
}

// Blocks end while records come, and other threads compress them.
TEST_F(FilesWithoutMemory, Blocks) {
  const std::vector<std::string> records(10, std::string(1500, 'x'));
  const std::string path = this->path();
  for (const Compression compression :
       {Compression::kGzip, Compression::kZstd}) {
    for (const size_t threads : {size_t{1}, size_t{2}}) {
      SCOPED_TRACE(CompressionName(compression));
      FailEveryAllocation(
          threads == 1 ? Whose::kThisThread : Whose::kEveryThread,
          [&](FailingAllocator* allocator) {
            return OutcomeOf(allocator->During([&]() -> Status {
              auto writer =
                  RecordWriter::Open(path, {.compression = compression,
                                            .block_bytes = 4096,
                                            .threads = threads});
              if (!writer.ok()) return writer.status();
              for (const std::string& record : records) {
                if (Status s = writer->Write(record); !s.ok()) return s;
              }
              return writer->Close();
            }));
          });
    }
  }
}

TEST_F(FilesWithoutMemory, Arrow) {
  const std::string path = this->path();
  for (const Decoded& decoded : SomeBatches()) {
    for (const ArrowFormat format :
         {ArrowFormat::kFile, ArrowFormat::kStream}) {
      FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
        return OutcomeOf(allocator->During([&]() -> Status {
          auto writer = ArrowWriter::Open(path, format, decoded.plan);
          if (!writer.ok()) return writer.status();
          for (int i = 0; i < 2; ++i) {
            if (Status s = writer->Write(decoded.batch); !s.ok()) {
              EXPECT_EQ(writer->Close().code(), s.code());
              return s;
            }
          }
          return writer->Close();
        }));
      });
    }
  }
}

}  // namespace
}  // namespace headrace::testing
