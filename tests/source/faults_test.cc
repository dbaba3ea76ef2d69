// Whatever single calls of the operating system do, a file gives its bytes, or
// a beginning of them and the error.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/interrupt.h"
#include "src/input/source/file_stream.h"
#include "src/input/source/source.h"
#include "tests/compression/stored.h"
#include "tests/process/faulty_calls.h"
#include "tests/support/compressions.h"
#include "tests/support/temporary_file.h"

namespace headrace::source {
namespace {

using compression::Bytes;
using compression::Compress;
using compression::Outcome;
using compression::ReadAll;
using compression::SomeRecords;
using testing::FailingFrom;
using testing::FaultyCalls;
using testing::InterruptedCalls;
using testing::kCompressions;
using testing::RandomCalls;
using testing::ShortCalls;
using testing::TemporaryFile;

// Bytes that one call moves where every call is to fail once.
constexpr size_t kMax = 500;

// By its path the file is read with pread, as standard input with read.
enum class From { kPath, kStandardInput };
constexpr From kFroms[] = {From::kPath, From::kStandardInput};

Outcome ReadFile(const std::string& path, From from) {
  SourceOptions options = {.window_bytes = 3000};
  int saved = -1;
  if (from == From::kStandardInput) {
    const int descriptor = open(path.c_str(), O_RDONLY);
    saved = dup(STDIN_FILENO);
    dup2(descriptor, STDIN_FILENO);
    close(descriptor);
  }
  Outcome outcome;
  auto source = OpenFile(from == From::kPath ? path : "-", options);
  if (source.ok()) {
    outcome = ReadAll(source->get(), /*kept=*/20);
  } else {
    outcome.failure = source.status();
  }
  if (from == From::kStandardInput) {
    dup2(saved, STDIN_FILENO);
    close(saved);
  }
  return outcome;
}

Outcome ReadWith(const FaultyCalls::Rule& rule, const std::string& path,
                 From from, size_t* num_calls = nullptr) {
  FaultyCalls faults(rule);
  Outcome outcome = ReadFile(path, from);
  if (num_calls != nullptr) *num_calls = faults.num_calls();
  return outcome;
}

void ForEachFile(
    const std::function<void(const std::string& plain, const std::string& path,
                             From from, Compression compression)>& body) {
  const std::string plain = SomeRecords(200);
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(Compress(compression, plain));
    for (const From from : kFroms) {
      SCOPED_TRACE(std::string(CompressionName(compression)) +
                   (from == From::kPath ? ", path" : ", standard input"));
      body(plain, file.path(), from, compression);
    }
  }
}

TEST(FaultsTest, ShortReadsLoseNothing) {
  ForEachFile([](const std::string& plain, const std::string& path, From from,
                 Compression compression) {
    std::vector<FaultyCalls::Rule> rules;
    for (const size_t most : {1u, 2u, 7u, 1000u}) {
      rules.push_back(ShortCalls(most));
    }
    for (unsigned seed = 0; seed < 5; ++seed) {
      rules.push_back(RandomCalls(seed));
    }
    for (const FaultyCalls::Rule& rule : rules) {
      const Outcome got = ReadWith(rule, path, from);
      EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
      EXPECT_EQ(got.compression, compression);
      EXPECT_TRUE(got.bytes == plain);
    }
  });
}

TEST(FaultsTest, SignalsLoseNothing) {
  ForEachFile([](const std::string& plain, const std::string& path, From from,
                 Compression compression) {
    for (const size_t times : {1u, 2u, 100u}) {
      for (const size_t most : {size_t{100}, ~size_t{0}}) {
        size_t calls = 0;
        const Outcome got =
            ReadWith(InterruptedCalls(times, most), path, from, &calls);
        EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
        EXPECT_EQ(got.compression, compression);
        EXPECT_TRUE(got.bytes == plain);
        EXPECT_GE(calls, 2 * times);
      }
    }
  });
}

TEST(FaultsTest, SignalsEndAReadThatIsInterrupted) {
  const TemporaryFile file("some bytes");
  Interrupt interrupt([] { return true; });
  interrupt.EnterCaller();
  auto stream = FileStream::Open(file.path(), &interrupt);
  ASSERT_TRUE(stream.ok());
  std::array<uint8_t, 100> out;
  {
    FaultyCalls faults(InterruptedCalls(1, ~size_t{0}));
    const auto got = (*stream)->Read(out);
    EXPECT_EQ(got.status().code(), ErrorCode::kCancelled);
    EXPECT_EQ(faults.num_calls(), 1u);
  }
  EXPECT_EQ((*stream)->Read(out).status().code(), ErrorCode::kCancelled);
}

// The call fails and so do all that follow, as those of a broken disk do.
TEST(FaultsTest, AFailedReadComesAfterTheBytesBeforeIt) {
  ForEachFile([](const std::string& plain, const std::string& path, From from,
                 Compression compression) {
    size_t calls = 0;
    ASSERT_TRUE(ReadWith(ShortCalls(kMax), path, from, &calls).failure.ok());
    for (size_t first = 0; first < calls; ++first) {
      SCOPED_TRACE(first);
      size_t arrived = 0;
      const FaultyCalls::Rule failing = FailingFrom(first, EIO, kMax);
      const auto rule = [&](size_t call, size_t* size) {
        const int error = failing(call, size);
        if (error == 0) arrived += *size;
        return error;
      };
      const Outcome got = ReadWith(rule, path, from);
      EXPECT_EQ(got.failure.code(), ErrorCode::kIo) << got.failure.ToString();
      EXPECT_EQ(got.failure.message(), "cannot read: Input/output error");
      EXPECT_EQ(got.failure.info()->file,
                from == From::kPath ? path : "<stdin>");
      EXPECT_TRUE(plain.starts_with(got.bytes));
      // Nothing is read twice.
      if (compression == Compression::kNone) {
        EXPECT_EQ(got.bytes.size(), std::min(plain.size(), arrived));
      }
    }
  });
}

// One read fails, and would not if it were tried again, which is done where the
// compression is known by then; nothing is missing.
TEST(FaultsTest, AfterAFailureNoBytesAreMissing) {
  ForEachFile([](const std::string& plain, const std::string& path, From from,
                 Compression compression) {
    size_t calls = 0;
    ASSERT_TRUE(ReadWith(ShortCalls(kMax), path, from, &calls).failure.ok());
    for (size_t failing = 0; failing < calls; ++failing) {
      SCOPED_TRACE(failing);
      const auto rule = [failing](size_t call, size_t* size) {
        *size = std::min(*size, kMax);
        return call == failing ? EIO : 0;
      };
      const Outcome got = ReadWith(rule, path, from);
      EXPECT_TRUE(plain.starts_with(got.bytes));
      if (got.failure.ok()) {
        EXPECT_EQ(from, From::kPath);
        EXPECT_EQ(got.compression, compression);
        EXPECT_EQ(got.bytes.size(), plain.size());
        EXPECT_LT(failing, 16u);
      } else {
        EXPECT_EQ(got.failure.code(), ErrorCode::kIo);
      }
    }
  });
}

}  // namespace
}  // namespace headrace::source
