// The line of progress: its text, and threads that draw it and complain.

#include "src/cli/progress.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace headrace::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(ProgressText, HasShareRateAndTimeLeft) {
  EXPECT_EQ(ProgressText("count", 250'000'000, 0.25, 2),
            "count: 25%, 125.0 MB/s, 0:06 left");
  EXPECT_EQ(ProgressText("index", 6'000'000'000, 0.999, 2),
            "index: 99%, 3.0 GB/s, 0:00 left");
  EXPECT_EQ(ProgressText("index", 10, 1, 2),
            "index: 100%, 0.0 kB/s, 0:00 left");
  EXPECT_EQ(ProgressText("cat", 1'000'000, 0.01, 10),
            "cat: 1%, 100.0 kB/s, 16:30 left");
  EXPECT_EQ(ProgressText("cat", 1'000'000, 0.001, 10),
            "cat: 0%, 100.0 kB/s, 2:46:30 left");
}

TEST(ProgressText, HasTheAmountWhereTheTotalIsUnknown) {
  EXPECT_EQ(ProgressText("count", 1'300'000'000, std::nullopt, 10),
            "count: 1.3 GB, 130.0 MB/s");
  EXPECT_EQ(ProgressText("count", 0, std::nullopt, 1),
            "count: 0.0 kB, 0.0 kB/s");
  EXPECT_EQ(ProgressText("count", 999'949, std::nullopt, 1),
            "count: 999.9 kB, 999.9 kB/s");
  EXPECT_EQ(ProgressText("count", 999'950, std::nullopt, 1),
            "count: 1.0 MB, 1.0 MB/s");
  EXPECT_EQ(ProgressText("count", 5'000'000'000'000, std::nullopt, 1000),
            "count: 5000.0 GB, 5.0 GB/s");
}

TEST(ProgressText, TimesLeftAreBounded) {
  EXPECT_EQ(ProgressText("count", 0, 0, 2), "count: 0%, 0.0 kB/s");
  EXPECT_EQ(ProgressText("count", 1, 1e-300, 1e6),
            "count: 0%, 0.0 kB/s, 99:59:59 left");
}

TEST(SlowOpeningNote, NamesTheIndexAfterFiveSeconds) {
  EXPECT_EQ(SlowOpeningNote(0), "");
  EXPECT_EQ(SlowOpeningNote(4.99), "");
  EXPECT_EQ(SlowOpeningNote(61.4),
            "files were read for 61 seconds to find where records are; "
            "`headrace index FILE...` writes indexes, which make this "
            "unnecessary");
}

// Standard error is a terminal for as long as this lives.
class TerminalOnStderr {
 public:
  TerminalOnStderr() : before_(dup(STDERR_FILENO)) {
    setenv("TERM", "xterm", 1);
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_EQ(grantpt(master_), 0);
    EXPECT_EQ(unlockpt(master_), 0);
    const int terminal = open(ptsname(master_), O_RDWR | O_NOCTTY);
    EXPECT_EQ(dup2(terminal, STDERR_FILENO), STDERR_FILENO);
    close(terminal);
  }
  ~TerminalOnStderr() {
    Restore();
    close(master_);
  }

  // What was written; nothing more can be.
  std::string End() {
    Restore();
    std::string text;
    char piece[4096];
    ssize_t size = 0;
    while ((size = read(master_, piece, sizeof(piece))) > 0) {
      text.append(piece, static_cast<size_t>(size));
    }
    return text;
  }

 private:
  void Restore() {
    if (before_ < 0) return;
    EXPECT_EQ(dup2(before_, STDERR_FILENO), STDERR_FILENO);
    close(before_);
    before_ = -1;
  }

  int before_;
  int master_ = -1;
};

void ReplaceAll(const std::string& from, const std::string& to,
                std::string* text) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos;
       at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

TEST(Progress, ThreadsShareOneLine) {
  constexpr uint64_t kTotal = uint64_t{1} << 40;
  TerminalOnStderr terminal;
  {
    Progress progress("index", Console(/*quiet=*/false));
    std::atomic<uint64_t> done = 0;
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (std::chrono::steady_clock::now() < end) {
          progress.Update(done += uint64_t{1} << 20, kTotal);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        Complain("a message");
      });
    }
    for (std::thread& thread : threads) thread.join();
    progress.Update(done, kTotal);
  }
  std::string text = terminal.End();
  EXPECT_THAT(text, ContainsRegex("^\rindex: [0-9]+%, [0-9.]+ [kMG]B/s, "
                                  "[0-9:]+ left\x1b\\[K"));
  // A message begins where the line was erased, or behind another message.
  ReplaceAll("\r\n", "\n", &text);
  ReplaceAll("\r\x1b[Kheadrace: a message\n", "", &text);
  ReplaceAll("headrace: a message\n", "", &text);
  EXPECT_THAT(text, Not(HasSubstr("message")));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
}

TEST(Progress, TheLineIsErasedAtTheEnd) {
  TerminalOnStderr terminal;
  DrawLine("index: 1%");
  EraseLine();
  EraseLine();
  EXPECT_EQ(terminal.End(), "\rindex: 1%\x1b[K\r\x1b[K");
}

TEST(Progress, ALineOfManyColumnsIsCut) {
  TerminalOnStderr terminal;
  DrawLine(std::string(1000, 'x'));
  EraseLine();
  const std::string text = terminal.End();
  EXPECT_LT(text.size(), 140u);
  EXPECT_THAT(text, EndsWith("…\x1b[K\r\x1b[K"));
}

}  // namespace
}  // namespace headrace::cli
