// Readers without memory: every allocation of opening, reading to the end and
// closing fails once, on whatever thread.

#include "headrace/reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/record_reader.h"
#include "src/input/compression/detect.h"
#include "src/input/source/file_stream.h"
#include "src/read/reader/byte_reader.h"
#include "tests/compression/stored.h"
#include "tests/out_of_memory/every_allocation.h"
#include "tests/random/random_example.h"
#include "tests/support/compressions.h"
#include "tests/support/example_builder.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

constexpr size_t kRecords = 24;

std::vector<std::string> SomeRecords() {
  RandomExample random(/*seed=*/81, {.plain = true, .max_features = 3});
  std::vector<std::string> records;
  for (size_t i = 0; i < kRecords; ++i) records.push_back(random.Next());
  return records;
}

Plan PlanOfSome() { return *Plan::ForColumns(RandomExample::Columns()); }

std::string TextOf(const ReadReport& report) {
  std::string text;
  for (const FileRegion& skipped : report.regions) {
    text += std::to_string(skipped.region.begin) + "-" +
            std::to_string(skipped.region.end) + " " +
            std::string(NameOf(skipped.region.reason)) + "\n";
  }
  for (const Status& row : report.rows) text += row.ToString() + "\n";
  for (const LateFeature& late : report.late) {
    text += late.name + " " + std::to_string(late.rows) + "\n";
  }
  return text;
}

// A null plan: columns found from the data.
Outcome Read(const std::string& path, const ReadOptions& options,
             const Plan* plan, FailingAllocator* allocator) {
  const std::vector<std::string> paths = {path};
  auto opened = allocator->During([&] {
    return plan ? Reader::Open(paths, *plan, options)
                : Reader::Open(paths, options);
  });
  if (!opened.ok()) return {.status = opened.status()};
  std::optional<Reader> reader(*std::move(opened));
  Transcript read;
  while (auto batch = allocator->During([&] { return reader->Next(); })) {
    AddRows(*batch, &read);
    // It goes back without memory.
    allocator->During([&] { return *batch = Batch(), 0; });
  }
  Outcome outcome{.status = reader->status(),
                  .parts = std::move(read.rows),
                  .rest = TextOf(reader->report())};
  // An error is final.
  EXPECT_EQ(reader->Next().status().code(), outcome.status.code());
  allocator->During([&] { return reader.reset(), 0; });
  return outcome;
}

void FailReading(const std::string& bytes, ReadOptions options,
                 const Plan* plan) {
  const TemporaryFile file(bytes);
  for (const size_t threads : {size_t{1}, size_t{3}}) {
    SCOPED_TRACE("threads " + std::to_string(threads));
    options.threads = threads;
    FailEveryAllocation(threads == 1 ? Whose::kThisThread : Whose::kEveryThread,
                        [&](FailingAllocator* allocator) {
                          return Read(file.path(), options, plan, allocator);
                        });
  }
}

std::string Stored(Compression compression, const std::string& plain) {
  return compression == Compression::kNone
             ? plain
             : compression::Compress(compression, plain);
}

TEST(ReaderWithoutMemory, EveryCompression) {
  const Plan plan = PlanOfSome();
  const std::string plain = RecordFile(SomeRecords());
  for (const Compression compression : kCompressions) {
    SCOPED_TRACE(CompressionName(compression));
    FailReading(Stored(compression, plain), {.batch_size = 10}, &plan);
  }
}

// zlib takes over from ISA-L where the stream is cut, or what follows it.
TEST(ReaderWithoutMemory, CutCompressedFiles) {
  const Plan plan = PlanOfSome();
  const std::string plain = RecordFile(SomeRecords());
  for (const Compression compression : kCompressions) {
    SCOPED_TRACE(CompressionName(compression));
    const std::string stored = Stored(compression, plain);
    for (const size_t size : {stored.size() * 2 / 3, stored.size() - 1}) {
      FailReading(stored.substr(0, size), {.batch_size = 10}, &plan);
    }
  }
}

TEST(ReaderWithoutMemory, LimitOfInflatedBytes) {
  const Plan plan = PlanOfSome();
  const std::string plain = RecordFile(SomeRecords());
  for (const Compression compression : kCompressions) {
    SCOPED_TRACE(CompressionName(compression));
    FailReading(Stored(compression, plain),
                {.limits = {.max_inflated_bytes = plain.size()}}, &plan);
  }
}

// What does not begin with a record is inflated as far as it goes.
TEST(ReaderWithoutMemory, DetectionOfZlib) {
  const std::string stored = compression::Deflate("some text", /*wrapper=*/10);
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    const auto found = allocator->During([&] {
      return compression::DetectCompression(compression::Bytes(stored));
    });
    return Outcome{
        .status = found.status(),
        .rest = std::string(found.ok() ? CompressionName(*found) : "")};
  });
}

TEST(ReaderWithoutMemory, StandardInputStaysOpen) {
  FailEveryAllocation(Whose::kThisThread, [](FailingAllocator* allocator) {
    const Status status = allocator->During(
        [] { return source::FileStream::Open("-").status(); });
    EXPECT_NE(fcntl(STDIN_FILENO, F_GETFD), -1);
    return Outcome{.status = status};
  });
}

TEST(ReaderWithoutMemory, ColumnsFoundFromData) {
  const std::string plain = RecordFile(SomeRecords());
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip}) {
    FailReading(Stored(compression, plain), {.batch_size = 10, .sample = 4},
                nullptr);
  }
}

// The batch pins so many windows that the next ones are larger.
TEST(ReaderWithoutMemory, BatchOfManyWindows) {
  const std::string record =
      ExampleBuilder().Bytes("b", {std::string(400'000, 'x')}).Build();
  const Plan plan = *Plan::ForColumns({{"b", Kind::kBytes}});
  FailReading(RecordFile(std::vector<std::string>(20, record)),
              {.batch_size = 20}, &plan);
}

TEST(ReaderWithoutMemory, DamageLeftOut) {
  const Plan plan = PlanOfSome();
  DamagedFile file(SomeRecords());
  file.FlipByte(file.offset(3) + 14);
  file.FlipByte(file.offset(17) + 14);
  for (const OnCorrupt policy : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
    FailReading(file.bytes(), {.batch_size = 10, .on_corrupt = policy}, &plan);
  }
  file.FlipByte(file.offset(9));
  FailReading(file.bytes(),
              {.batch_size = 10, .on_corrupt = OnCorrupt::kRescan}, &plan);
  FailReading(file.bytes(), {.batch_size = 10}, &plan);
}

TEST(ReaderWithoutMemory, RowsLeftOut) {
  std::vector<std::string> records = SomeRecords();
  records[5] = records[12] = "\x0a\x05not one";
  const Plan plan = PlanOfSome();
  FailReading(RecordFile(records),
              {.batch_size = 10, .on_row_error = OnRowError::kSkip}, &plan);
}

// Several windows, and records that lie across two of them.
TEST(ReaderWithoutMemory, LargeRecords) {
  const Plan plan = Plan::ForRaw();
  std::vector<std::string> records;
  for (size_t i = 0; i < 12; ++i) {
    records.emplace_back(i == 7 ? 700'000 : 60'000, static_cast<char>('a' + i));
  }
  const std::string plain = RecordFile(records);
  FailReading(plain, {.batch_size = 3}, &plan);
  FailReading(plain, {.batch_size = 3, .mmap = true}, &plan);
  FailReading(Stored(Compression::kZstd, plain), {.batch_size = 3}, &plan);
}

// ------------------------------------------------------- Records and bytes

Outcome ReadRecords(const std::function<Result<RecordReader>()>& open,
                    FailingAllocator* allocator) {
  auto reader = allocator->During(open);
  if (!reader.ok()) return {.status = reader.status()};
  Outcome outcome;
  while (true) {
    auto record = allocator->During([&] { return reader->Next(); });
    outcome.status = record.status();
    if (!record) break;
    outcome.parts.push_back(std::to_string(record->offset) + " " +
                            std::string(record->payload));
  }
  EXPECT_EQ(reader->Next().status().code(), outcome.status.code());
  for (const SkippedRegion& region : reader->skipped()) {
    outcome.rest +=
        std::to_string(region.begin) + "-" + std::to_string(region.end) + "\n";
  }
  return outcome;
}

TEST(RecordReaderWithoutMemory, Regions) {
  DamagedFile damaged(SomeRecords());
  damaged.FlipByte(damaged.offset(3) + 14);
  damaged.FlipByte(damaged.offset(9));
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(Stored(compression, damaged.bytes()));
    for (const OnCorrupt policy :
         {OnCorrupt::kFail, OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
        return ReadRecords(
            [&] {
              return RecordReader::Open(file.path(), {.on_corrupt = policy});
            },
            allocator);
      });
    }
  }
}

TEST(RecordReaderWithoutMemory, OfMemory) {
  for (const Compression compression : kCompressions) {
    const std::string stored = Stored(compression, RecordFile(SomeRecords()));
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      return ReadRecords([&] { return RecordReader::FromMemory(stored); },
                         allocator);
    });
  }
}

TEST(ByteReaderWithoutMemory, EveryCompression) {
  const std::string plain = RecordFile(SomeRecords());
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(Stored(compression, plain));
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      auto reader =
          allocator->During([&] { return ByteReader::Open(file.path()); });
      if (!reader.ok()) return Outcome{.status = reader.status()};
      Outcome outcome;
      while (true) {
        auto bytes = allocator->During([&] { return reader->Next(); });
        outcome.status = bytes.status();
        if (!bytes) return outcome;
        outcome.parts.emplace_back(*bytes);
      }
    });
  }
}

}  // namespace
}  // namespace headrace::testing
