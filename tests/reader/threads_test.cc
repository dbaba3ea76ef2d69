// What a Reader gives must not depend on how many threads decode: the same
// batches, reports and errors as one thread gives, over files of every kind of
// damage.

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "headrace/reader.h"
#include "headrace/record_writer.h"
#include "tests/naive/batch_columns.h"
#include "tests/random/random_example.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

// All that a caller can see, batch by batch.
struct Batches {
  std::vector<std::string> batches;
  std::string end;
};

std::string OriginsToText(const Batch& batch) {
  std::string text;
  for (const RowOrigin& origin : batch.origins()) text += ToText(origin) + " ";
  return text;
}

Batches Read(const std::vector<std::string>& paths, ReadOptions options,
             size_t threads, const Plan* plan = nullptr) {
  options.threads = threads;
  Batches read;
  auto reader =
      plan ? Reader::Open(paths, *plan, options) : Reader::Open(paths, options);
  if (!reader.ok()) {
    read.end = reader.status().ToString();
    return read;
  }
  while (auto batch = reader->Next()) {
    read.batches.push_back(OriginsToText(*batch) + "\n" +
                           ToText(ToNaive(*batch)));
  }
  read.end = EndToText(*reader);
  return read;
}

void ExpectSameForAllThreads(const std::vector<std::string>& paths,
                             const ReadOptions& options,
                             const Plan* plan = nullptr) {
  const Batches one = Read(paths, options, 1, plan);
  for (const size_t threads : {2u, 3u, 8u}) {
    const Batches many = Read(paths, options, threads, plan);
    EXPECT_EQ(many.end, one.end) << threads << " threads";
    ASSERT_EQ(many.batches.size(), one.batches.size()) << threads;
    for (size_t i = 0; i < one.batches.size(); ++i) {
      ASSERT_EQ(many.batches[i], one.batches[i]) << threads << ", batch " << i;
    }
  }
}

std::vector<std::string> RandomRecords(uint64_t seed, size_t count) {
  RandomExample random(seed, {.plain = true});
  std::vector<std::string> records;
  for (size_t i = 0; i < count; ++i) records.push_back(random.Next());
  return records;
}

void WriteGzip(const std::string& path,
               const std::vector<std::string>& records) {
  auto writer =
      OrThrow(RecordWriter::Open(path, {.compression = Compression::kGzip}));
  for (const std::string& record : records) {
    ASSERT_THAT(writer.Write(record), IsOk());
  }
  ASSERT_THAT(writer.Close(), IsOk());
}

TEST(ThreadsTest, IntactFiles) {
  const TemporaryFile a(RecordFile(RandomRecords(1, 900)));
  const TemporaryFile b(RecordFile(RandomRecords(2, 1)));
  const TemporaryFile empty("");
  const TemporaryFile c("", ".gz");
  WriteGzip(c.path(), RandomRecords(3, 700));
  const std::vector<std::string> paths = {a.path(), b.path(), empty.path(),
                                          c.path(), a.path()};
  for (const size_t batch_size : {size_t{1}, size_t{7}, size_t{64}, size_t{256},
                                  size_t{100000}, kAutoBatchSize}) {
    ExpectSameForAllThreads(paths, {.batch_size = batch_size});
  }
  ExpectSameForAllThreads(paths, {.batch_size = 32, .mmap = true});
  // Late features: the sample sees next to nothing.
  ExpectSameForAllThreads(paths, {.batch_size = 32, .sample = 2});
  ExpectSameForAllThreads(paths,
                          {.message = MessageType::kRaw, .batch_size = 32});
}

TEST(ThreadsTest, BadRowsAndDamage) {
  for (uint64_t seed = 0; seed < (kInstrumented ? 3 : 15); ++seed) {
    Random random(seed);
    auto records = RandomRecords(seed, 400);
    for (size_t i = 0; i < 5; ++i) {
      if (random.OneIn(2)) records[random.Below(400)] = "\x0a\x7f";
    }
    DamagedFile damaged(records);
    for (size_t i = 0; i < 4; ++i) {
      if (random.OneIn(2)) damaged.FlipBit(random.Below(damaged.size() * 8));
    }
    if (random.OneIn(4)) damaged.CutTo(damaged.size() - 1 - random.Below(300));
    const TemporaryFile a(RecordFile(RandomRecords(seed + 1000, 150)));
    const TemporaryFile b(damaged.bytes());
    const std::vector<std::string> paths = {a.path(), b.path(), a.path()};
    for (const OnCorrupt on_corrupt :
         {OnCorrupt::kFail, OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      for (const uint64_t max_bad : {uint64_t{2}, ~uint64_t{0}}) {
        ReadOptions options{.batch_size = 1 + random.Below(60),
                            .on_corrupt = on_corrupt,
                            .on_row_error = random.OneIn(2) ? OnRowError::kSkip
                                                            : OnRowError::kFail,
                            .max_bad = max_bad};
        ExpectSameForAllThreads(paths, options);
        options.message = MessageType::kRaw;
        ExpectSameForAllThreads(paths, options);
      }
    }
  }
}

struct RowsRead {
  std::vector<std::vector<int64_t>> rows;
  std::string end;
};

RowsRead ReadRows(const std::string& path, ReadOptions options,
                  size_t threads) {
  options.threads = threads;
  RowsRead read;
  auto reader = Reader::Open({path}, options);
  while (auto batch = reader->Next()) {
    const Column& column = batch->columns()[0];
    for (size_t row = 0; row < batch->num_rows(); ++row) {
      const int64_t* const values = column.int64s().data();
      read.rows.emplace_back(values + column.offsets[row],
                             values + column.offsets[row + 1]);
    }
  }
  read.end = EndToText(*reader);
  return read;
}

// Batches that end early, and rows that fit no batch. Where a batch ends also
// depends on what its memory was used for before; the rows do not.
TEST(ThreadsTest, ScarceMemory) {
  std::vector<std::string> records;
  for (int64_t i = 0; i < 200; ++i) {
    const auto size = static_cast<size_t>(i % 50 == 49 ? 40000 : i * 7 % 300);
    records.push_back(
        ExampleBuilder().Int64s("id", std::vector<int64_t>(size, i)).Build());
  }
  const TemporaryFile file(RecordFile(records));
  for (const uint64_t most : {20000u, 100000u, 1000000u}) {
    for (const OnRowError on_row_error :
         {OnRowError::kFail, OnRowError::kSkip}) {
      ReadOptions options{.batch_size = 16, .on_row_error = on_row_error};
      options.limits.max_batch_bytes = most;
      const RowsRead one = ReadRows(file.path(), options, 1);
      for (const size_t threads : {2u, 3u, 8u}) {
        const RowsRead many = ReadRows(file.path(), options, threads);
        EXPECT_EQ(many.end, one.end) << threads;
        EXPECT_EQ(many.rows, one.rows) << threads;
      }
    }
  }
}

TEST(ThreadsTest, AMissingFileInTheMiddle) {
  const TemporaryFile a(RecordFile(RandomRecords(1, 100)));
  const TemporaryFile text("this is not a TFRecord file, not at all\n");
  ExpectSameForAllThreads({a.path(), text.path(), a.path()},
                          {.batch_size = 16});
}

// A record keeps its number, whether the reader or a thread finds the bad ones.
TEST(ThreadsTest, RecordNumbersAfterABadPayload) {
  std::vector<std::string> records;
  for (int64_t i = 0; i < 100; ++i) {
    records.push_back(ExampleBuilder().Int64s("id", {i}).Build());
  }
  DamagedFile damaged(records);
  damaged.FlipByte(damaged.offset(3) + 13).FlipByte(damaged.offset(60) + 13);
  damaged.CutTo(damaged.size() - 1);
  const TemporaryFile file(damaged.bytes());
  const Plan plan = *Plan::ForColumns({{"id", Kind::kInt64}});
  for (const size_t threads : {1u, 2u}) {
    auto reader = OrThrow(Reader::Open({file.path()}, plan,
                                       {.batch_size = 10,
                                        .on_corrupt = OnCorrupt::kSkip,
                                        .threads = threads}));
    uint64_t rows = 0;
    while (auto batch = reader.Next()) {
      const auto ids = batch->columns()[0].int64s();
      for (const RowOrigin& origin : batch->origins()) {
        const auto id = static_cast<uint64_t>(ids[rows++ % 10]);
        EXPECT_EQ(origin.record, id);
      }
    }
    EXPECT_EQ(rows, 97u);
    EXPECT_EQ(reader.report().num_regions, 3u);
  }
}

TEST(ThreadsTest, AReaderMayBeGivenUpAnyTime) {
  const TemporaryFile file(RecordFile(RandomRecords(5, 500)));
  for (size_t taken = 0; taken < 20; ++taken) {
    auto reader =
        OrThrow(Reader::Open({file.path()}, {.batch_size = 8, .threads = 4}));
    std::vector<Batch> kept;
    for (size_t i = 0; i < taken; ++i) kept.push_back(*reader.Next());
    Reader moved = std::move(reader);
    if (taken % 2 == 0) moved = *Reader::Open({file.path()}, {.threads = 2});
  }
}

TEST(ThreadsTest, ASlowCallerIsWaitedFor) {
  const TemporaryFile file(RecordFile(RandomRecords(6, 300)));
  auto reader =
      OrThrow(Reader::Open({file.path()}, {.batch_size = 8, .threads = 3}));
  size_t rows = 0;
  while (auto batch = reader.Next()) {
    rows += batch->num_rows();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(rows, 300u);
}

TEST(ThreadsTest, ZeroIsOneAProcessor) {
  const TemporaryFile file(RecordFile(RandomRecords(6, 300)));
  EXPECT_EQ(Read({file.path()}, {}, 0).end, Read({file.path()}, {}, 1).end);
}

}  // namespace
}  // namespace headrace::testing
