// RecordReader and ByteReader read what the caller opened, and end when it
// wants them to.

#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "src/read/reader/byte_reader.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<InputFile> OpenFrom(MemoryFiles* files) {
  return *files->opener()("a");
}

// All payloads, and how it ended.
std::vector<std::string> Payloads(Result<RecordReader> reader, Status* end) {
  std::vector<std::string> payloads;
  *end = reader.status();
  while (end->ok()) {
    auto record = reader->Next();
    *end = record.status();
    if (!record) break;
    payloads.emplace_back(record->payload);
  }
  return payloads;
}

std::string Bytes(Result<ByteReader> reader, Status* end) {
  std::string bytes;
  *end = reader.status();
  while (end->ok()) {
    auto next = reader->Next();
    *end = next.status();
    if (!next) break;
    bytes.append(next->data(), next->size());
  }
  return bytes;
}

TEST(InputReaders, ReadWhatAFileGives) {
  const std::vector<std::string> records = IdRecords(0, 3000);
  for (const Compression compression : kCompressions) {
    for (const size_t piece : {size_t{1}, size_t{1000}, ~size_t{0}}) {
      for (const bool knows : {true, false}) {
        MemoryFiles files;
        files["a"] = {.bytes = CompressedFile(records, compression),
                      .can_seek = knows,
                      .piece = piece,
                      .knows_size = knows};
        Status end;
        EXPECT_EQ(
            Payloads(RecordReader::FromInput(OpenFrom(&files), "a"), &end),
            records);
        EXPECT_THAT(end, IsOk());
        EXPECT_EQ(Bytes(ByteReader::FromInput(OpenFrom(&files), "a"), &end),
                  RecordFile(records));
        EXPECT_THAT(end, IsOk());
        EXPECT_EQ(files["a"].bytes_read, 2 * files["a"].bytes.size());
        EXPECT_EQ(files.now_open(), 0u);
      }
    }
  }
}

TEST(InputReaders, FailuresHaveTheName) {
  MemoryFiles files;
  files["a"].bytes = RecordFile(IdRecords(0, 3000));
  files["a"].fail_at = 20'000;
  Status end;
  EXPECT_GT(
      Payloads(RecordReader::FromInput(OpenFrom(&files), "x"), &end).size(),
      100u);
  EXPECT_THAT(end, IsError(ErrorCode::kIo,
                           {.file = "x", .text = "the network is down"}));
  EXPECT_EQ(Bytes(ByteReader::FromInput(OpenFrom(&files), "x"), &end).size(),
            20'000u);
  EXPECT_THAT(end, IsError(ErrorCode::kIo, {.file = "x", .offset = 20'000u}));
}

TEST(InputReaders, LiesAndNullPointers) {
  MemoryFiles files;
  files["a"] = {.bytes = RecordFile(IdRecords(0, 3)), .lies = true};
  Status end;
  Payloads(RecordReader::FromInput(OpenFrom(&files), "x"), &end);
  EXPECT_THAT(end, HasCode(ErrorCode::kInvalidArgument));
  Bytes(ByteReader::FromInput(OpenFrom(&files), "x"), &end);
  EXPECT_THAT(end, HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(files.now_open(), 0u);
  EXPECT_EQ(RecordReader::FromInput(nullptr, "x").status().ToString(),
            "x: invalid_argument: expected an InputFile, found a null pointer");
  EXPECT_THAT(ByteReader::FromInput(nullptr, "x"),
              HasCode(ErrorCode::kInvalidArgument));
  // What an input has beyond its size is read; what it lacks is an error.
  for (const uint64_t size : {uint64_t{1}, ~uint64_t{0}}) {
    files["a"] = {.bytes = RecordFile(IdRecords(0, 3)), .claimed_size = size};
    EXPECT_EQ(Payloads(RecordReader::FromInput(OpenFrom(&files), "x"), &end),
              IdRecords(0, 3));
    EXPECT_THAT(end, HasCode(size == 1 ? ErrorCode::kOk : ErrorCode::kIo));
  }
}

TEST(InputReaders, MayBeInterrupted) {
  MemoryFiles files;
  files["a"].bytes = RecordFile(IdRecords(0, 60'000));
  const TemporaryFile file(files["a"].bytes);
  for (size_t until = 1; until <= 4; ++until) {
    for (const bool is_file : {true, false}) {
      size_t calls = 0;
      const auto interrupted = [&] { return ++calls >= until; };
      const RecordReaderOptions options{.interrupted = interrupted};
      Status end;
      Payloads(is_file
                   ? RecordReader::Open(file.path(), options)
                   : RecordReader::FromInput(OpenFrom(&files), "a", options),
               &end);
      EXPECT_THAT(end, HasCode(ErrorCode::kCancelled));
      EXPECT_EQ(calls, until);
      calls = 0;
      const ByteReaderOptions byte_options{.interrupted = interrupted};
      Bytes(is_file
                ? ByteReader::Open(file.path(), byte_options)
                : ByteReader::FromInput(OpenFrom(&files), "a", byte_options),
            &end);
      EXPECT_THAT(end, HasCode(ErrorCode::kCancelled));
    }
  }
}

// A FIFO that nobody has opened so far.
class Fifo {
 public:
  Fifo() : name_("") {
    std::remove(path().c_str());
    if (mkfifo(path().c_str(), 0600) != 0) std::abort();
  }
  const std::string& path() const { return name_.path(); }

 private:
  TemporaryFile name_;
};

std::function<bool()> After(milliseconds wait) {
  const auto end = std::chrono::steady_clock::now() + wait;
  return [end] { return std::chrono::steady_clock::now() > end; };
}

TEST(InputReaders, WaitingForAWriterEnds) {
  const Fifo fifo;
  const Plan plan = IdPlan();
  for (const Compression compression :
       {Compression::kAuto, Compression::kNone, Compression::kGzip}) {
    Status end;
    Payloads(RecordReader::Open(fifo.path(),
                                {.compression = compression,
                                 .interrupted = After(milliseconds(60))}),
             &end);
    EXPECT_THAT(end, HasCode(ErrorCode::kCancelled));
    Bytes(
        ByteReader::Open(fifo.path(), {.compression = compression,
                                       .interrupted = After(milliseconds(60))}),
        &end);
    EXPECT_THAT(end, HasCode(ErrorCode::kCancelled));
    for (const size_t threads : {1u, 2u}) {
      for (const Plan* const of : {&plan, static_cast<const Plan*>(nullptr)}) {
        EXPECT_THAT(ReadAll({fifo.path()},
                            {.compression = compression,
                             .threads = threads,
                             .interrupted = After(milliseconds(60))},
                            of)
                        .status,
                    HasCode(ErrorCode::kCancelled));
      }
    }
  }
}

// Whoever may be interrupted waits for the writer as others do.
TEST(InputReaders, AWriterThatComesLate) {
  for (const size_t count : {0u, 1u, 40'000u}) {
    const Fifo fifo;
    const std::vector<std::string> records =
        IdRecords(0, static_cast<int64_t>(count));
    std::thread writer([&] {
      std::this_thread::sleep_for(milliseconds(120));
      std::ofstream out(fifo.path(), std::ios::binary);
      std::this_thread::sleep_for(milliseconds(60));
      out << RecordFile(records);
    });
    Status end;
    EXPECT_EQ(Payloads(RecordReader::Open(
                           fifo.path(), {.interrupted = [] { return false; }}),
                       &end),
              records);
    EXPECT_THAT(end, IsOk());
    writer.join();
  }
}

}  // namespace
}  // namespace headrace::testing
