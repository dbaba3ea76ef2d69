// A caller may end a reader, wherever it reads or waits; until then nobody
// notices that it could.

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "headrace/reader.h"
#include "src/read/reader/parts.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

using std::chrono::milliseconds;

TEST(CancelTest, IsNeitherDamageNorARowError) {
  EXPECT_EQ(NameOf(ErrorCode::kCancelled), "cancelled");
  EXPECT_FALSE(IsDamage(ErrorCode::kCancelled));
  EXPECT_FALSE(IsRowError(ErrorCode::kCancelled));
}

// Counts its calls; true from call `until` on.
struct Asked {
  size_t calls = 0;
  size_t until = ~size_t{0};
  size_t on_other_threads = 0;
  std::thread::id caller = std::this_thread::get_id();

  std::function<bool()> function() {
    return [this] {
      on_other_threads += std::this_thread::get_id() != caller;
      return ++calls >= until;
    };
  }
};

TEST(CancelTest, EndsCuttingFiles) {
  const TemporaryFile file(RecordFile(IdRecords(0, 10)));
  const std::vector<std::string> paths(5, file.path());
  for (size_t until = 1; until <= 5; ++until) {
    Asked asked{.until = until};
    EXPECT_THAT(CutFiles(paths, 5, {.interrupted = asked.function()}),
                HasCode(ErrorCode::kCancelled));
    EXPECT_EQ(asked.calls, until);
    EXPECT_EQ(asked.on_other_threads, 0u);
  }
  Asked never;
  EXPECT_THAT(CutFiles(paths, 5, {.interrupted = never.function()}), IsOk());
}

std::string LargeFile(Compression compression) {
  return CompressedFile(IdRecords(0, 60000), compression);
}

TEST(CancelTest, IsAskedAboutOnceAWindowOnTheCallersThread) {
  const Plan plan = IdPlan();
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(LargeFile(compression));
    for (const bool mmap : {false, true}) {
      for (const size_t threads : {1u, 3u}) {
        Asked asked;
        auto reader = OrThrow(Reader::Open({file.path()}, plan,
                                           {.mmap = mmap,
                                            .threads = threads,
                                            .interrupted = asked.function()}));
        size_t rows = 0;
        while (auto batch = reader.Next()) rows += batch->num_rows();
        EXPECT_THAT(reader.status(), IsOk());
        EXPECT_EQ(rows, 60000u);
        EXPECT_EQ(asked.on_other_threads, 0u);
        EXPECT_LE(asked.calls, 40u);
        if (threads == 1) {
          EXPECT_GE(asked.calls, 5u);
        }
      }
    }
  }
}

TEST(CancelTest, EndsTheReaderForGood) {
  const Plan plan = IdPlan();
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(LargeFile(compression));
    for (const bool mmap : {false, true}) {
      for (size_t until = 1; until <= 4; ++until) {
        Asked asked{.until = until};
        auto reader = OrThrow(
            Reader::Open({file.path()}, plan,
                         {.mmap = mmap, .interrupted = asked.function()}));
        size_t rows = 0;
        while (auto batch = reader.Next()) rows += batch->num_rows();
        EXPECT_THAT(reader.status(), HasCode(ErrorCode::kCancelled));
        EXPECT_THAT(reader.Next(), HasCode(ErrorCode::kCancelled));
        EXPECT_EQ(rows % 256, 0u);
        EXPECT_LT(rows, 60000u);
        EXPECT_EQ(asked.calls, until);
      }
    }
  }
}

TEST(CancelTest, EndsSampling) {
  const TemporaryFile file(LargeFile(Compression::kNone));
  for (size_t until = 1; until <= 4; ++until) {
    Asked asked{.until = until};
    EXPECT_THAT(Reader::Open({file.path()},
                             {.sample = 0, .interrupted = asked.function()}),
                HasCode(ErrorCode::kCancelled));
  }
}

TEST(CancelTest, EndsPassingOver) {
  const Plan plan = IdPlan();
  const TemporaryFile file(LargeFile(Compression::kZstd));
  const Transcript whole = ReadAll({file.path()}, {}, &plan);
  Asked asked{.until = 3};
  const Transcript read = ReadAll(
      {file.path()},
      {.resume_after = whole.origins.back(), .interrupted = asked.function()},
      &plan);
  EXPECT_THAT(read.status, HasCode(ErrorCode::kCancelled));
}

// A pipe with some records in it that nobody closes.
class OpenPipe {
 public:
  OpenPipe() : name_("") {
    std::remove(name_.path().c_str());
    if (mkfifo(name_.path().c_str(), 0600) != 0) std::abort();
    descriptor_ = open(name_.path().c_str(), O_RDWR | O_CLOEXEC);
    const std::string bytes = RecordFile(IdRecords(0, 300));
    if (write(descriptor_, bytes.data(), bytes.size()) < 0) std::abort();
  }
  ~OpenPipe() { close(descriptor_); }
  const std::string& path() const { return name_.path(); }

 private:
  TemporaryFile name_;
  int descriptor_;
};

TEST(CancelTest, EndsWaitingForAPipe) {
  for (const size_t threads : {1u, 2u, 4u}) {
    const OpenPipe pipe;
    const auto end = std::chrono::steady_clock::now() + milliseconds(120);
    ReadOptions options{.batch_size = 50, .threads = threads};
    options.interrupted = [end] {
      return std::chrono::steady_clock::now() > end;
    };
    const Plan plan = IdPlan();
    EXPECT_THAT(ReadAll({pipe.path()}, options, &plan).status,
                HasCode(ErrorCode::kCancelled));
    EXPECT_THAT(ReadAll({pipe.path()}, options).status,
                HasCode(ErrorCode::kCancelled));
  }
}

// Reads of helpers do not return until they are let go.
class Gate {
 public:
  void Open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  void Pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    opened_.wait(lock, [this] { return is_open_; });
  }
  size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
  size_t waiting_ = 0;
};

class EndlessInput : public InputFile {
 public:
  EndlessInput(Gate* gate, std::thread::id caller)
      : gate_(*gate), caller_(caller), record_(FramedRecord("")) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    if (std::this_thread::get_id() != caller_) gate_.Pass();
    for (uint8_t& byte : out) {
      byte = static_cast<uint8_t>(record_[at_++ % record_.size()]);
    }
    return out.size();
  }

 private:
  Gate& gate_;
  const std::thread::id caller_;
  const std::string record_;
  size_t at_ = 0;
};

TEST(CancelTest, EndsWaitingForAnotherThread) {
  Gate gate;
  ReadOptions options{.batch_size = 64, .threads = 2};
  options.open_input = [&, caller =
                               std::this_thread::get_id()](const std::string&) {
    return Result<std::unique_ptr<InputFile>>(
        std::make_unique<EndlessInput>(&gate, caller));
  };
  options.interrupted = [&gate] { return gate.waiting() > 0; };
  {
    auto reader = OrThrow(Reader::Open({"endless"}, IdPlan(), options));
    while (reader.Next()) continue;
    EXPECT_THAT(reader.status(), HasCode(ErrorCode::kCancelled));
    EXPECT_EQ(gate.waiting(), 1u);
    gate.Open();
  }
}

// Opening a pipe that nobody writes waits until a signal comes.
TEST(CancelTest, EndsAfterASignal) {
  const TemporaryFile name("");
  std::remove(name.path().c_str());
  ASSERT_EQ(mkfifo(name.path().c_str(), 0600), 0);
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  std::atomic<bool> done = false;
  std::thread signals([&done, reading = pthread_self()] {
    while (!done) {
      std::this_thread::sleep_for(milliseconds(5));
      pthread_kill(reading, SIGUSR1);
    }
  });
  Asked asked{.until = 3};
  const Plan plan = IdPlan();
  const Transcript read =
      ReadAll({name.path()}, {.interrupted = asked.function()}, &plan);
  EXPECT_THAT(read.status, HasCode(ErrorCode::kCancelled));
  EXPECT_EQ(asked.calls, 3u);
  done = true;
  signals.join();
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace headrace::testing
