// Files that change, fail or dawdle while they are read: what a Reader gives
// is a beginning of the rows, and it says how it ended.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "headrace/reader.h"
#include "tests/process/faulty_calls.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

using std::chrono::milliseconds;

// Records of a kilobyte, so that they are some windows.
std::vector<std::string> LongRecords(int64_t begin, int64_t end) {
  std::vector<std::string> records;
  for (int64_t i = begin; i < end; ++i) {
    records.push_back(ExampleBuilder()
                          .Bytes("padding", {std::string(1000, 'p')})
                          .Int64s("id", {i})
                          .Build());
  }
  return records;
}

// Reads a batch, lets the file change, and reads on. Rows are numbered; their
// ids must be too.
struct Interlude {
  size_t rows = 0;
  Status status;
  size_t rows_before = 0;
};

template <class Change>
Interlude ReadAround(const std::string& path, size_t threads, Change change) {
  Interlude read;
  auto reader =
      Reader::Open({path}, IdPlan(), {.batch_size = 50, .threads = threads});
  EXPECT_THAT(reader, IsOk());
  for (auto batch = reader->Next(); batch; batch = reader->Next()) {
    for (const int64_t id : batch->columns()[0].int64s()) {
      EXPECT_EQ(id, static_cast<int64_t>(read.rows++));
    }
    if (read.rows_before == 0) {
      read.rows_before = read.rows;
      change();
    }
  }
  read.status = reader->status();
  EXPECT_EQ(reader->Next().status().ToString(), read.status.ToString());
  return read;
}

constexpr int64_t kFileRecords = 2000;

// A writer may still be at work: whole records that are there count.
TEST(FileFaultsTest, AFileThatGrows) {
  const std::string begin = RecordFile(LongRecords(0, kFileRecords));
  const std::string more =
      RecordFile(LongRecords(kFileRecords, kFileRecords + 100));
  for (const size_t size : {more.size(), more.size() - 1, size_t{5}}) {
    const TemporaryFile file(begin);
    const Interlude read = ReadAround(file.path(), 1, [&] {
      const int descriptor = open(file.path().c_str(), O_WRONLY | O_APPEND);
      ASSERT_EQ(write(descriptor, more.data(), size),
                static_cast<ssize_t>(size));
      close(descriptor);
    });
    EXPECT_EQ(read.rows, kFileRecords + (size == more.size() ? 100
                                         : size > 5          ? 99
                                                             : 0));
    EXPECT_THAT(read.status, HasCode(size == more.size() ? ErrorCode::kOk
                                     : size > 5 ? ErrorCode::kTruncatedFooter
                                                : ErrorCode::kTruncatedHeader));
  }
}

// Written over with something else, the rest is not believed.
TEST(FileFaultsTest, AFileThatIsOverwritten) {
  const DamagedFile whole(LongRecords(0, kFileRecords));
  const size_t from = whole.offset(kFileRecords / 2) + 300;
  for (const char other : {'\0', 'x'}) {
    const std::string rest(whole.size() - from, other);
    const TemporaryFile file(whole.bytes());
    const Interlude read = ReadAround(file.path(), 1, [&] {
      const int descriptor = open(file.path().c_str(), O_WRONLY);
      ASSERT_EQ(pwrite(descriptor, rest.data(), rest.size(),
                       static_cast<off_t>(from)),
                static_cast<ssize_t>(rest.size()));
      close(descriptor);
    });
    EXPECT_EQ(read.rows, static_cast<size_t>(kFileRecords) / 2);
    EXPECT_THAT(read.status, HasCode(ErrorCode::kPayloadCrc));
  }
}

// ------------------------------------------------------- Calls that go wrong

TEST(FileFaultsTest, AFailedReadEndsAfterTheRowsBeforeIt) {
  const DamagedFile whole(LongRecords(0, 600));
  const Plan plan = IdPlan();
  constexpr size_t kMax = 50'000;
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(CompressedBytes(whole.bytes(), compression));
    for (const size_t threads : {1u, 3u}) {
      const ReadOptions options{.batch_size = 37, .threads = threads};
      const Transcript expected = ReadAll({file.path()}, options, &plan);
      ASSERT_THAT(expected.rows, SizeIs(600));
      for (size_t first = 0;; ++first) {
        FaultyCalls faults(FailingFrom(first, EIO, kMax));
        const Transcript read = ReadAll({file.path()}, options, &plan);
        if (faults.num_calls() <= first) break;  // all are done
        EXPECT_THAT(read.status,
                    IsError(ErrorCode::kIo, {.file = file.path()}));
        ASSERT_LT(read.rows.size(), 601u);
        EXPECT_TRUE(std::equal(read.rows.begin(), read.rows.end(),
                               expected.rows.begin()));
        if (first > 1) {
          EXPECT_THAT(read.status,
                      IsError(ErrorCode::kIo,
                              {.record = read.rows.size(),
                               .offset = whole.offset(read.rows.size())}));
        }
      }
    }
  }
}

TEST(FileFaultsTest, ShortReadsAndSignalsChangeNothing) {
  const Plan plan = IdPlan();
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(CompressedFile(IdRecords(0, 3000), compression));
    for (const size_t threads : {1u, 3u}) {
      const ReadOptions options{.batch_size = 37, .threads = threads};
      const Transcript expected = ReadAll({file.path()}, options, &plan);
      for (const FaultyCalls::Rule& rule :
           {ShortCalls(1), RandomCalls(7), InterruptedCalls(3, 100)}) {
        FaultyCalls faults(rule);
        const Transcript read = ReadAll({file.path()}, options, &plan);
        EXPECT_THAT(read.status, IsOk());
        EXPECT_TRUE(read.rows == expected.rows);
      }
    }
  }
}

// -------------------------------------------------------------- Slow writers

// A named pipe that somebody writes to, a byte at a time, while it lives.
class SlowPipe {
 public:
  explicit SlowPipe(std::string bytes) : name_(""), bytes_(std::move(bytes)) {
    std::remove(name_.path().c_str());
    EXPECT_EQ(mkfifo(name_.path().c_str(), 0600), 0);
    // For reading too: nobody waits for the reader, or is hurt when it goes.
    descriptor_ = open(name_.path().c_str(), O_RDWR | O_CLOEXEC);
    writer_ = std::thread([this] { Write(); });
  }
  ~SlowPipe() {
    is_over_ = true;
    writer_.join();
  }
  const std::string& path() const { return name_.path(); }

 private:
  void Write() const {
    for (size_t i = 0; i < bytes_.size() && !is_over_; ++i) {
      EXPECT_EQ(write(descriptor_, &bytes_[i], 1), 1);
      std::this_thread::sleep_for(milliseconds(1));
    }
    close(descriptor_);
  }

  const TemporaryFile name_;
  const std::string bytes_;
  int descriptor_ = -1;
  std::atomic<bool> is_over_ = false;
  std::thread writer_;
};

TEST(FileFaultsTest, ASlowWriterIsWaitedFor) {
  const Plan plan = IdPlan();
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip}) {
    for (const size_t threads : {1u, 3u}) {
      const SlowPipe pipe(CompressedFile(IdRecords(0, 9), compression));
      const Transcript read =
          ReadAll({pipe.path()}, {.batch_size = 2, .threads = threads}, &plan);
      EXPECT_THAT(read.status, IsOk());
      EXPECT_THAT(read.rows, SizeIs(9));
    }
  }
}

TEST(FileFaultsTest, ASlowWriterCanBeLeft) {
  const Plan plan = IdPlan();
  const std::string bytes = RecordFile(IdRecords(0, 100'000));
  for (const Plan* const given : {&plan, static_cast<const Plan*>(nullptr)}) {
    const SlowPipe pipe(bytes);
    const auto end = std::chrono::steady_clock::now() + milliseconds(100);
    ReadOptions options{.threads = 2};
    options.interrupted = [end] {
      return std::chrono::steady_clock::now() > end;
    };
    const Transcript read = ReadAll({pipe.path()}, options, given);
    EXPECT_THAT(read.status, HasCode(ErrorCode::kCancelled));
    EXPECT_LT(std::chrono::steady_clock::now(), end + std::chrono::seconds(10));
  }
}

}  // namespace
}  // namespace headrace::testing
