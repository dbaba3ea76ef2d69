// Files, pipes, standard input, mappings.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "src/base/interrupt.h"
#include "src/input/source/file_stream.h"
#include "src/input/source/source.h"
#include "tests/compression/stored.h"
#include "tests/support/compressions.h"
#include "tests/support/effort.h"
#include "tests/support/or_throw.h"
#include "tests/support/temporary_file.h"

namespace headrace::source {
namespace {

using compression::Compress;
using compression::Outcome;
using compression::ReadAll;
using compression::SomeRecords;
using testing::kCompressions;
using testing::OrThrow;
using testing::TemporaryFile;

Outcome ReadFile(const std::string& path, const SourceOptions& options,
                 size_t kept = 0) {
  auto source = OpenFile(path, options);
  if (!source.ok()) return Outcome{.bytes = "", .failure = source.status()};
  return ReadAll(source->get(), kept);
}

// Standard input comes from elsewhere as long as this lives.
class StandardInput {
 public:
  explicit StandardInput(int descriptor) : saved_(dup(STDIN_FILENO)) {
    dup2(descriptor, STDIN_FILENO);
    close(descriptor);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    if (saved_ >= 0) {
      dup2(saved_, STDIN_FILENO);
      close(saved_);
    } else {
      close(STDIN_FILENO);
    }
  }

 private:
  int saved_;
};

// What standard input gives when `bytes` come through a pipe in pieces.
Outcome ReadPipe(const std::string& bytes, size_t piece,
                 const SourceOptions& options, bool nonblocking = false) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  if (nonblocking) fcntl(ends[0], F_SETFL, O_NONBLOCK);
  StandardInput input(ends[0]);
  std::thread writer([&bytes, piece, out = ends[1]] {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t got =
          write(out, bytes.data() + at, std::min(piece, bytes.size() - at));
      if (got < 0) break;
      at += static_cast<size_t>(got);
    }
    close(out);
  });
  const Outcome outcome = ReadFile("-", options);
  writer.join();
  return outcome;
}

void ExpectShrank(const Status& failure, size_t expected, size_t found) {
  EXPECT_EQ(failure.code(), ErrorCode::kIo);
  EXPECT_EQ(failure.message(), "shrank while it was read, expected " +
                                   std::to_string(expected) + " bytes, found " +
                                   std::to_string(found));
}

TEST(FileTest, PlainAndCompressed) {
  const std::string plain = SomeRecords(2000);
  for (Compression compression : kCompressions) {
    const TemporaryFile file(Compress(compression, plain));
    for (bool mmap : {false, true}) {
      for (size_t window : {100u, 1u << 20}) {
        const Outcome got =
            ReadFile(file.path(), {.mmap = mmap, .window_bytes = window}, 50);
        EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
        EXPECT_EQ(got.compression, compression);
        EXPECT_TRUE(got.bytes == plain);
      }
    }
  }
}

TEST(FileTest, SizesAroundPagesAndWindows) {
  for (size_t size : {0u, 1u, 4095u, 4096u, 4097u, 8192u, 65536u}) {
    const std::string plain(size, 'x');
    const TemporaryFile file(plain);
    for (bool mmap : {false, true}) {
      for (size_t window : {1000u, 4096u, 1u << 20}) {
        EXPECT_TRUE(
            ReadFile(file.path(), {.mmap = mmap, .window_bytes = window}, 10)
                .bytes == plain);
      }
    }
  }
}

TEST(FileTest, NamesTheFileInEveryError) {
  const std::string nothing = ::testing::TempDir() + "no-such-file";
  Outcome got = ReadFile(nothing, {});
  EXPECT_EQ(got.failure.code(), ErrorCode::kNotFound);
  EXPECT_EQ(got.failure.info()->file, nothing);
  EXPECT_EQ(got.failure.message(), "cannot open: No such file or directory");

  got = ReadFile(::testing::TempDir(), {});
  EXPECT_EQ(got.failure.code(), ErrorCode::kIo);
  EXPECT_EQ(got.failure.info()->file, ::testing::TempDir());
  EXPECT_EQ(got.failure.message(), "is a directory");

  const TemporaryFile file("text");
  for (const std::string& path : {std::string(), file.path() + "/below"}) {
    EXPECT_EQ(ReadFile(path, {}).failure.code(), ErrorCode::kNotFound);
  }
  const std::string zero = file.path() + std::string("\0x", 2);
  EXPECT_EQ(ReadFile(zero, {}).failure.code(), ErrorCode::kInvalidArgument);

  ASSERT_EQ(chmod(file.path().c_str(), 0), 0);
  // Root may read everything: be nobody for a moment.
  const bool is_root = geteuid() == 0;
  ASSERT_TRUE(!is_root || seteuid(65534) == 0);
  got = ReadFile(file.path(), {});
  ASSERT_TRUE(!is_root || seteuid(0) == 0);
  EXPECT_EQ(got.failure.code(), ErrorCode::kIo);
  EXPECT_EQ(got.failure.message(), "cannot open: Permission denied");
}

TEST(FileTest, SizesKnownAndUnknown) {
  const TemporaryFile file(std::string(5000, 'x'));
  const auto source = OrThrow(OpenFile(file.path(), {}));
  EXPECT_EQ(source->stored_size(), 5000u);
  EXPECT_EQ(source->name(), file.path());
  EXPECT_TRUE(ReadAll(source.get()).failure.ok());
  EXPECT_EQ(source->stored_position(), 5000u);
  // Its size is 0 until it is read.
  EXPECT_FALSE(ReadFile("/proc/self/status", {}).bytes.empty());
  EXPECT_FALSE(ReadFile("/proc/self/status",
                        {.compression = Compression::kNone, .mmap = true})
                   .bytes.empty());
}

// A writer may still be at work: what is there when it is read counts. What was
// there when the file was opened has to be.
TEST(FileTest, GrowsAndShrinksWhileRead) {
  const TemporaryFile file(std::string(10000, 'x'));
  const auto source = OrThrow(OpenFile(file.path(), {.window_bytes = 1000}));
  ASSERT_TRUE(source->Next(0, 1).ok());
  ASSERT_EQ(truncate(file.path().c_str(), 20000), 0);
  uint64_t from = 1000;
  for (int i = 0; i < 12; ++i) {
    auto got = OrThrow(source->Next(from, 1));
    EXPECT_EQ(got.tail, Tail::kMore);
    from = got.end();
  }
  ASSERT_EQ(truncate(file.path().c_str(), 13000), 0);
  auto got = OrThrow(source->Next(from, 1));
  EXPECT_EQ(got.tail, Tail::kEnd);
  EXPECT_EQ(got.size, 0u);
}

TEST(FileTest, ShrinkingIsAFailure) {
  for (const Compression compression : kCompressions) {
    const std::string plain = SomeRecords(2000);
    const std::string stored = Compress(compression, plain);
    for (const size_t left :
         {size_t{0}, stored.size() / 2, stored.size() - 1}) {
      const TemporaryFile file(stored);
      const auto source = OrThrow(OpenFile(
          file.path(), {.compression = compression, .window_bytes = 1000}));
      ASSERT_EQ(truncate(file.path().c_str(), static_cast<off_t>(left)), 0);
      const Outcome got = ReadAll(source.get());
      EXPECT_TRUE(plain.starts_with(got.bytes));
      ExpectShrank(got.failure, stored.size(), left);
      EXPECT_EQ(got.failure.info()->file, file.path());
    }
  }
}

// Then what is there is less than what was read.
TEST(FileTest, ShrinksBelowWhatWasRead) {
  const TemporaryFile file(std::string(10000, 'x'));
  const auto source = OrThrow(OpenFile(
      file.path(), {.compression = Compression::kNone, .window_bytes = 5000}));
  ASSERT_EQ(source->Next(0, 1)->size, 5000u);
  ASSERT_EQ(truncate(file.path().c_str(), 3000), 0);
  const auto rest = OrThrow(source->Next(5000, 1));
  EXPECT_EQ(rest.tail, Tail::kFailed);
  ExpectShrank(source->failure(), 10000, 3000);
}

// A stream of a file that grows after it has ended stays at its end.
TEST(FileTest, TheEndIsFinal) {
  const TemporaryFile file("some bytes");
  auto stream = OrThrow(FileStream::Open(file.path()));
  std::array<uint8_t, 100> out;
  EXPECT_EQ(*stream->Read(out), 10u);
  EXPECT_EQ(*stream->Read(out), 0u);
  std::ofstream(file.path(), std::ios::app) << "and more";
  EXPECT_EQ(*stream->Read(out), 0u);
  EXPECT_TRUE(stream->SeekTo(10));
  EXPECT_EQ(*stream->Read(out), 8u);
}

// Signals come, after which no call is restarted, as long as this lives.
class Signals {
 public:
  Signals() {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGIO, &action, &before_[0]);
    sigaction(SIGALRM, &action, &before_[1]);
    const itimerval timer = {{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    const itimerval timer = {};
    setitimer(ITIMER_REAL, &timer, nullptr);
    sigaction(SIGIO, &before_[0], nullptr);
    sigaction(SIGALRM, &before_[1], nullptr);
  }

 private:
  struct sigaction before_[2];
};

// While it lives, whoever opens the file waits, for a process that holds a
// lease is asked (by SIGIO) to let go of it first.
class Leased {
 public:
  explicit Leased(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDWR)),
        is_held_(fcntl(descriptor_, F_SETLEASE, F_WRLCK) == 0) {}
  ~Leased() { close(descriptor_); }
  bool is_held() const { return is_held_; }
  void LetGo() { fcntl(descriptor_, F_SETLEASE, F_UNLCK); }

 private:
  const Signals signals_;
  const int descriptor_;
  const bool is_held_;
};

TEST(FileTest, WaitsForALease) {
  const TemporaryFile file("some bytes");
  Leased leased(file.path());
  if (!leased.is_held()) GTEST_SKIP() << "no leases here";
  int asked = 0;
  Interrupt interrupt([&] {
    if (++asked == 3) leased.LetGo();
    return false;
  });
  interrupt.EnterCaller();
  auto stream = OrThrow(FileStream::Open(file.path(), &interrupt));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(stream->size(), 10u);
}

TEST(FileTest, WaitsForALeaseUntilItIsInterrupted) {
  const TemporaryFile file("some bytes");
  const Leased leased(file.path());
  if (!leased.is_held()) GTEST_SKIP() << "no leases here";
  int asked = 0;
  Interrupt interrupt([&asked] { return ++asked == 3; });
  interrupt.EnterCaller();
  const Status status = FileStream::Open(file.path(), &interrupt).status();
  EXPECT_EQ(status.code(), ErrorCode::kCancelled);
  EXPECT_EQ(status.info()->file, file.path());
  EXPECT_EQ(asked, 3);
}

TEST(MmapTest, ShrinkingBetweenWindowsIsAFailure) {
  for (size_t left : {0u, 5000u, 8192u}) {
    const TemporaryFile file(std::string(100000, 'x'));
    const auto source =
        *OpenFile(file.path(), {.mmap = true, .window_bytes = 4096});
    auto got = source->Next(0, 1);
    ASSERT_TRUE(got.ok());
    ASSERT_EQ(truncate(file.path().c_str(), static_cast<off_t>(left)), 0);
    unsigned sum = 0;
    got = source->Next(4096, 1);
    for (int i = 0; i < 10 && got.ok() && got->tail == Tail::kMore; ++i) {
      got = source->Next(got->end(), 1);
    }
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(got->tail, Tail::kFailed);
    // Slack is there even where the file now ends with a page.
    for (size_t i = 0; i < kSlack; ++i) sum += got->data[got->size + i];
    EXPECT_EQ(sum, 0u);
    ExpectShrank(source->failure(), 100000, left);
    EXPECT_EQ(source->failure().info()->file, file.path());
  }
}

// True where this byte belongs to the mapping of `path`, or to pages of zeros.
// Behind a mapping that is too short some other one begins, as a rule.
bool IsFileOrZeros(const uint8_t* byte, const std::string& path) {
  const auto address = reinterpret_cast<uintptr_t>(byte);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const uintptr_t begin = std::stoull(line, nullptr, 16);
    const uintptr_t end =
        std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    if (address < begin || address >= end) continue;
    std::string permissions, offset, device, inode, name;
    std::istringstream(line.substr(line.find(' '))) >> permissions >> offset >>
        device >> inode >> name;
    return name == path ||
           (permissions == "r--p" && inode == "0" && name.empty());
  }
  return false;
}

TEST(MmapTest, SlackIsThereWhereverTheFileEnds) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (const size_t pages : {1u, 2u, 5u}) {
    for (const size_t missing :
         {size_t{0}, size_t{1}, kSlack - 1, kSlack, kSlack + 1, page - 1}) {
      const size_t size = pages * page - missing;
      const TemporaryFile file(std::string(size, 'x'));
      const auto source = OrThrow(OpenFile(file.path(), {.mmap = true}));
      const auto got = OrThrow(source->Next(0, 1));
      ASSERT_EQ(got.size, size);
      for (const size_t at : {size_t{0}, kSlack - 1}) {
        ASSERT_TRUE(IsFileOrZeros(got.data + size + at, file.path())) << size;
      }
      // A file that shrank gets a page of zeros behind it.
      ASSERT_EQ(truncate(file.path().c_str(), static_cast<off_t>(size - 1)), 0);
      const auto less = OrThrow(source->Next(0, 1));
      ASSERT_EQ(less.size, size - 1);
      for (size_t i = 0; i < kSlack; ++i) {
        ASSERT_EQ(less.data[size - 1 + i], 0) << size;
      }
    }
  }
}

// What the library cannot prevent, and why mapping has to be asked for.
TEST(MmapDeathTest, ShrinkingUnderAWindowEndsTheProcess) {
  if (testing::kInstrumented) GTEST_SKIP() << "sanitizers catch the signal";
  const TemporaryFile file(std::string(100000, 'x'));
  const auto source = OrThrow(OpenFile(file.path(), {.mmap = true}));
  auto got = OrThrow(source->Next(0, 1));
  ASSERT_EQ(truncate(file.path().c_str(), 5000), 0);
  EXPECT_EQ(got.data[6000], 0);  // the rest of the last page: zeros, silently
  const volatile uint8_t* const gone = got.data + 50000;
  EXPECT_EXIT(exit(*gone), ::testing::KilledBySignal(SIGBUS), "");
}

TEST(MmapTest, WindowsAreThePages) {
  const TemporaryFile file(SomeRecords(1000));
  auto source =
      OrThrow(OpenFile(file.path(), {.mmap = true, .window_bytes = 10000}));
  auto first = source->Next(0, 1);
  auto second = source->Next(9000, 1);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(second->data, first->data + 9000);  // nothing was copied
  const uint8_t before = second->data[0];
  source.reset();
  EXPECT_EQ(first->data[9000], before);  // still mapped
}

TEST(StandardInputTest, PipesInPieces) {
  const std::string plain = SomeRecords(100);
  for (Compression compression : kCompressions) {
    const std::string stored = Compress(compression, plain);
    for (size_t piece : {1u, 1000u, 1u << 20}) {
      // Nothing is mapped here.
      const Outcome got = ReadPipe(stored, piece, {.mmap = true});
      EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
      EXPECT_EQ(got.compression, compression);
      EXPECT_TRUE(got.bytes == plain);
    }
  }
}

TEST(StandardInputTest, ShortAndUnknownBytesAreReplayed) {
  for (size_t size : {0u, 1u, 11u, 12u, 13u, 4095u, 4096u, 4097u, 70000u}) {
    const std::string bytes(size, 'x');
    const Outcome got = ReadPipe(bytes, 1 << 20, {});
    EXPECT_TRUE(got.failure.ok());
    EXPECT_EQ(got.compression, Compression::kNone);
    EXPECT_TRUE(got.bytes == bytes);
  }
}

TEST(StandardInputTest, NonBlocking) {
  const std::string plain = SomeRecords(500);
  EXPECT_TRUE(ReadPipe(plain, 100, {}, true).bytes == plain);
}

TEST(StandardInputTest, RegularFileFromWhereItStands) {
  const std::string plain = SomeRecords(10);
  const TemporaryFile file("a line before\n" + plain);
  const int descriptor = open(file.path().c_str(), O_RDONLY);
  ASSERT_EQ(lseek(descriptor, 14, SEEK_SET), 14);
  StandardInput input(descriptor);
  const auto source = OrThrow(OpenFile("-", {}));
  EXPECT_EQ(source->name(), "<stdin>");
  EXPECT_EQ(source->stored_size(), plain.size());
  EXPECT_TRUE(ReadAll(source.get()).bytes == plain);
}

TEST(StandardInputTest, RegularFileThatShrinks) {
  const TemporaryFile file(std::string(10000, 'x'));
  StandardInput input(open(file.path().c_str(), O_RDONLY));
  const auto source =
      *OpenFile("-", {.compression = Compression::kNone, .window_bytes = 1000});
  ASSERT_TRUE(source->Next(0, 1).ok());
  ASSERT_EQ(truncate(file.path().c_str(), 4000), 0);
  const Outcome got = ReadAll(source.get());
  EXPECT_EQ(got.bytes.size(), 4000u);
  ExpectShrank(got.failure, 10000, 4000);
}

TEST(StandardInputTest, ErrorsNameIt) {
  StandardInput input(open(::testing::TempDir().c_str(), O_RDONLY));
  const Outcome got = ReadFile("-", {});
  EXPECT_EQ(got.failure.code(), ErrorCode::kIo);
  EXPECT_EQ(got.failure.info()->file, "<stdin>");
}

// They cut reads short; nothing may be lost by them.
TEST(StandardInputTest, SignalsAreRetried) {
  const Signals signals;
  const std::string plain = SomeRecords(50);
  EXPECT_TRUE(ReadPipe(plain, 50, {}).bytes == plain);
}

// Where waiting is refused (here, because the process may have no descriptors)
// the bytes are there all the same.
TEST(StandardInputTest, PollsThatFail) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "bytes", 5), 5);
  StandardInput input(ends[0]);
  int asked = 0;
  Interrupt interrupt([&asked] { return ++asked > 3; });
  interrupt.EnterCaller();
  auto stream = OrThrow(FileStream::Open("-", &interrupt));
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  std::array<uint8_t, 100> out;
  const auto got = stream->Read(out);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  close(ends[1]);
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(*got, 5u);
}

TEST(FifoTest, NamedPipe) {
  const std::string path =
      ::testing::TempDir() + "headrace_fifo_" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string plain = SomeRecords(100);
  std::thread writer([&] {
    const int out = open(path.c_str(), O_WRONLY);
    EXPECT_EQ(write(out, plain.data(), plain.size()),
              static_cast<ssize_t>(plain.size()));
    close(out);
  });
  const Outcome got = ReadFile(path, {});
  writer.join();
  unlink(path.c_str());
  EXPECT_TRUE(got.bytes == plain);
}

}  // namespace
}  // namespace headrace::source
