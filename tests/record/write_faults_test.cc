// Whatever single calls of the operating system do, a file is written whole or
// not at all.

#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "headrace/output_file.h"
#include "headrace/record_writer.h"
#include "tests/process/faulty_calls.h"
#include "tests/random/random_example.h"
#include "tests/support/compressions.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

namespace fs = std::filesystem;

// Bytes that one call moves where every call is to fail once.
constexpr size_t kMax = 150'000;

class WriteFaultsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(/*seed=*/71);
    for (int i = 0; i < 40; ++i) payloads_.push_back(random.Bytes(20'000));
  }

  std::string path() const { return folder_ + "/out"; }
  std::string Content() const { return ContentOf(path()); }
  // The first error, which all later calls must give too.
  Status WriteRecords(Compression compression) const {
    auto writer = RecordWriter::Open(path(), {.compression = compression});
    if (!writer.ok()) return writer.status();
    Status first;
    for (const std::string& payload : payloads_) {
      const Status status = writer->Write(payload);
      if (first.ok()) first = status;
      EXPECT_EQ(status.ToString(), first.ToString());
    }
    const Status closed = writer->Close();
    if (first.ok()) return closed;
    EXPECT_EQ(closed.ToString(), first.ToString());
    return first;
  }
  Status WriteWith(const FaultyCalls::Rule& rule, Compression compression,
                   size_t* num_calls = nullptr) const {
    FaultyCalls faults(rule);
    const Status status = WriteRecords(compression);
    if (num_calls != nullptr) *num_calls = faults.num_calls();
    return status;
  }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
  std::vector<std::string> payloads_;
};

TEST_F(WriteFaultsTest, ShortWritesAndSignalsLoseNothing) {
  for (const Compression compression : kCompressions) {
    ASSERT_THAT(WriteRecords(compression), IsOk());
    const std::string expected = Content();
    for (const FaultyCalls::Rule& rule :
         {ShortCalls(1000), RandomCalls(1), RandomCalls(2),
          InterruptedCalls(1, 5000), InterruptedCalls(30, 100'000)}) {
      fs::remove(path());
      EXPECT_THAT(WriteWith(rule, compression), IsOk());
      EXPECT_TRUE(Content() == expected);
    }
  }
}

// The disk is full, or broken, from any call on.
TEST_F(WriteFaultsTest, AFailedWriteLeavesNothing) {
  for (const Compression compression : kCompressions) {
    SCOPED_TRACE(CompressionName(compression));
    size_t calls = 0;
    ASSERT_THAT(WriteWith(ShortCalls(kMax), compression, &calls), IsOk());
    fs::remove(path());
    ASSERT_GT(calls, 5u);
    for (size_t first = 0; first < calls; ++first) {
      for (const int error : {ENOSPC, EIO}) {
        const Status status =
            WriteWith(FailingFrom(first, error, kMax), compression);
        EXPECT_THAT(status, IsError(ErrorCode::kIo,
                                    {.file = path(),
                                     .text = error == EIO ? "Input/output"
                                                          : "No space"}))
            << first;
        EXPECT_TRUE(fs::is_empty(folder_));
      }
    }
  }
}

// One write fails, and the next would not: the file is lost all the same.
TEST_F(WriteFaultsTest, AFailureIsFinal) {
  for (const Compression compression : kCompressions) {
    size_t calls = 0;
    ASSERT_THAT(WriteWith(ShortCalls(kMax), compression, &calls), IsOk());
    fs::remove(path());
    for (size_t failing = 0; failing < calls; ++failing) {
      const auto rule = [failing](size_t call, size_t* size) {
        *size = std::min(*size, kMax);
        return call == failing ? ENOSPC : 0;
      };
      EXPECT_THAT(WriteWith(rule, compression), HasCode(ErrorCode::kIo));
      EXPECT_TRUE(fs::is_empty(folder_));
    }
  }
}

TEST_F(WriteFaultsTest, FilesThatMayNotGrow) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 300'000;
  for (const Compression compression : kCompressions) {
    std::ofstream(path()) << "old";
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const Status status = WriteRecords(compression);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(status, IsError(ErrorCode::kIo, {.text = "File too large"}));
    EXPECT_EQ(Content(), "old");
    fs::remove(path());
    EXPECT_TRUE(fs::is_empty(folder_));
  }
  std::signal(SIGXFSZ, handler);
}

}  // namespace
}  // namespace headrace::testing
