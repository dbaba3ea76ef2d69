#include "headrace/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/process/faulty_calls.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  std::vector<std::string> Listing() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string Content(const std::string& name) const {
    return ContentOf(Path(name));
  }
  void Put(const std::string& name, const std::string& content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
  }
  mode_t Mode(const std::string& name) const {
    struct stat info;
    EXPECT_EQ(stat(Path(name).c_str(), &info), 0);
    return info.st_mode & 0777;
  }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

TEST_F(OutputFileTest, StaysInItsFolder) {
  fs::create_directories(Path("data/sub"));
  Put("precious", "mine");
  fs::create_symlink("../precious", Path("data/out"));
  fs::create_symlink(Path("new"), Path("data/made"));
  fs::create_symlink("../data/sub/inside", Path("data/in"));
  ASSERT_EQ(mkfifo(Path("data/pipe").c_str(), 0600), 0);
  for (const char* name : {"data/out", "data/made", "data/pipe"}) {
    EXPECT_THAT(OutputFile::Open(Path(name), {.stays_in_folder = true}),
                IsError(ErrorCode::kIo, {.file = Path(name)}));
  }
  for (const char* name : {"data/in", "data/other"}) {
    OutputFile file =
        OrThrow(OutputFile::Open(Path(name), {.stays_in_folder = true}));
    ASSERT_TRUE(file.Write("it").ok());
    ASSERT_TRUE(file.Close().ok());
    EXPECT_EQ(Content(name), "it");
  }
  EXPECT_EQ(Content("data/sub/inside"), "it");
  EXPECT_EQ(Content("precious"), "mine");
  EXPECT_FALSE(fs::exists(Path("new")));
}

TEST_F(OutputFileTest, HasItsNameOnlyWhenComplete) {
  OutputFile file = OrThrow(OutputFile::Open(Path("out")));
  EXPECT_EQ(file.name(), Path("out"));
  ASSERT_TRUE(file.Write("hello ").ok());
  ASSERT_TRUE(file.Flush().ok());
  ASSERT_TRUE(file.Write("world").ok());
  EXPECT_EQ(file.size(), 11u);
  EXPECT_FALSE(fs::exists(Path("out")));
  EXPECT_EQ(Listing().size(), 1u);
  EXPECT_EQ(Listing()[0][0], '.');
  ASSERT_TRUE(file.Close().ok());
  EXPECT_THAT(Listing(), ElementsAre("out"));
  EXPECT_EQ(Content("out"), "hello world");
  EXPECT_EQ(file.Close().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(file.Write("x").code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Content("out"), "hello world");
}

TEST_F(OutputFileTest, WithoutCloseNothingIsLeft) {
  {
    Result<OutputFile> file = OutputFile::Open(Path("out"));
    ASSERT_TRUE(file.ok() && file->Write("x").ok() && file->Flush().ok());
  }
  EXPECT_THAT(Listing(), IsEmpty());
}

TEST_F(OutputFileTest, WithoutCloseTheOldFileStays) {
  Put("out", "old");
  {
    Result<OutputFile> file = OutputFile::Open(Path("out"));
    ASSERT_TRUE(file.ok() && file->Write("new").ok() && file->Flush().ok());
    EXPECT_EQ(Content("out"), "old");
  }
  EXPECT_THAT(Listing(), ElementsAre("out"));
  EXPECT_EQ(Content("out"), "old");
}

TEST_F(OutputFileTest, FinishedItWaitsForItsName) {
  Put("out", "old");
  {
    OutputFile file = OrThrow(OutputFile::Open(Path("out")));
    EXPECT_TRUE(file.Write("new").ok());
    EXPECT_TRUE(file.Finish().ok());
    EXPECT_EQ(Content("out"), "old");
    EXPECT_EQ(file.Write("more").code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(file.Finish().code(), ErrorCode::kInvalidArgument);
    EXPECT_TRUE(file.Close().ok());
    EXPECT_EQ(Content("out"), "new");
    EXPECT_EQ(file.Finish().code(), ErrorCode::kInvalidArgument);
  }
  {
    OutputFile file = OrThrow(OutputFile::Open(Path("out")));
    EXPECT_TRUE(file.Finish().ok());
  }
  EXPECT_THAT(Listing(), ElementsAre("out"));
  EXPECT_EQ(Content("out"), "new");
}

TEST_F(OutputFileTest, MovesWithItsFile) {
  Result<OutputFile> first = OutputFile::Open(Path("first"));
  Result<OutputFile> second = OutputFile::Open(Path("second"));
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(first->Write("1").ok() && second->Write("2").ok());
  *second = *std::move(first);  // gives up the second file
  ASSERT_TRUE(second->Close().ok());
  EXPECT_THAT(Listing(), ElementsAre("first"));
}

TEST_F(OutputFileTest, SizesAroundTheBuffer) {
  for (size_t size : {0u, 1u, 15u, 16u, 17u, 31u, 32u, 33u, 1000u}) {
    OutputFile file =
        OrThrow(OutputFile::Open(Path("out"), {.buffer_bytes = 16}));
    std::string expected;
    for (int i = 0; i < 5; ++i) {
      const std::string piece(size, static_cast<char>('a' + i));
      expected += piece + "-";
      ASSERT_TRUE(file.Write(piece).ok());
      ASSERT_TRUE(file.Write("-").ok());
    }
    ASSERT_TRUE(file.Close().ok());
    EXPECT_EQ(Content("out"), expected);
  }
}

// The data before the name, and the folder after it: a name that outlives a
// power failure without its data would be worse than none.
TEST_F(OutputFileTest, SyncsWhenAsked) {
  for (const bool fsync : {false, true}) {
    std::vector<std::string> steps;
    const FaultyCalls calls(WholeCalls(), [&](std::string_view name, size_t) {
      steps.emplace_back(name);
      return 0;
    });
    Result<OutputFile> file = OutputFile::Open(Path("out"), {.fsync = fsync});
    ASSERT_TRUE(file.ok() && file->Write("x").ok());
    EXPECT_TRUE(file->Close().ok());
    EXPECT_EQ(Content("out"), "x");
    if (fsync) {
      EXPECT_THAT(steps, ElementsAre("fsync", "rename", "fsync"));
    } else {
      EXPECT_THAT(steps, ElementsAre("rename"));
    }
  }
}

TEST_F(OutputFileTest, AStepThatFails) {
  for (const size_t failing : {0u, 1u, 2u}) {
    Put("out", "old");
    const FaultyCalls calls(WholeCalls(),
                            [failing](std::string_view, size_t step) {
                              return step == failing ? EIO : 0;
                            });
    Result<OutputFile> file = OutputFile::Open(Path("out"), {.fsync = true});
    ASSERT_TRUE(file.ok() && file->Write("new").ok());
    EXPECT_THAT(file->Close(),
                IsError(ErrorCode::kIo,
                        {.file = Path("out"), .text = "Input/output error"}));
    EXPECT_THAT(Listing(), ElementsAre("out"));
    // The folder is synced when the file has its name already.
    EXPECT_EQ(Content("out"), failing < 2 ? "old" : "new");
  }
}

// Some file systems have no fsync of folders.
TEST_F(OutputFileTest, AFolderThatCannotBeSynced) {
  const FaultyCalls calls(WholeCalls(), [](std::string_view, size_t step) {
    return step == 2 ? EINVAL : 0;
  });
  Result<OutputFile> file = OutputFile::Open(Path("out"), {.fsync = true});
  ASSERT_TRUE(file.ok() && file->Write("x").ok());
  EXPECT_TRUE(file->Close().ok());
}

TEST_F(OutputFileTest, SignalsDuringAStepAreNoFailure) {
  const FaultyCalls calls(WholeCalls(), [](std::string_view name, size_t step) {
    return name == "fsync" && step % 3 != 2 ? EINTR : 0;
  });
  Result<OutputFile> file = OutputFile::Open(Path("out"), {.fsync = true});
  ASSERT_TRUE(file.ok() && file->Write("x").ok());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_EQ(Content("out"), "x");
}

TEST_F(OutputFileTest, PermissionsComeFromUmaskOrTheOldFile) {
  const mode_t umask_before = umask(027);
  EXPECT_TRUE(OutputFile::Open(Path("new"))->Close().ok());
  EXPECT_EQ(Mode("new"), 0640u);
  Put("old", "secret");
  for (const mode_t mode : {0600u, 0640u, 0604u, 0666u, 0755u}) {
    ASSERT_EQ(chmod(Path("old").c_str(), mode), 0);
    umask(mode % 2 == 0 ? 0 : 077);
    EXPECT_TRUE(OutputFile::Open(Path("old"))->Close().ok());
    EXPECT_EQ(Mode("old"), mode);
  }
  umask(umask_before);
}

TEST_F(OutputFileTest, ASymbolicLinkStaysOne) {
  fs::create_directory(Path("elsewhere"));
  Put("elsewhere/real", "old");
  fs::create_symlink("elsewhere/real", Path("link"));
  Result<OutputFile> file = OutputFile::Open(Path("link"));
  ASSERT_TRUE(file.ok() && file->Write("new").ok() && file->Close().ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Content("elsewhere/real"), "new");
}

TEST_F(OutputFileTest, ALinkToNothingYetStaysOne) {
  fs::create_directory(Path("elsewhere"));
  fs::create_symlink("second", Path("first"));
  fs::create_symlink("elsewhere/real", Path("second"));
  Result<OutputFile> file = OutputFile::Open(Path("first"), {.fsync = true});
  ASSERT_TRUE(file.ok() && file->Write("new").ok());
  EXPECT_FALSE(fs::exists(Path("elsewhere/real")));
  ASSERT_TRUE(file->Close().ok());
  EXPECT_TRUE(fs::is_symlink(Path("first")));
  EXPECT_TRUE(fs::is_symlink(Path("second")));
  EXPECT_EQ(Content("elsewhere/real"), "new");
}

TEST_F(OutputFileTest, LinksThatLeadNowhere) {
  fs::create_symlink("b", Path("a"));
  fs::create_symlink("a", Path("b"));
  fs::create_symlink("none/real", Path("c"));
  EXPECT_THAT(OutputFile::Open(Path("a")),
              IsError(ErrorCode::kIo, {.text = "symbolic links"}));
  EXPECT_EQ(OutputFile::Open(Path("c")).status().code(), ErrorCode::kNotFound);
  EXPECT_THAT(Listing(), ElementsAre("a", "b", "c"));
}

TEST_F(OutputFileTest, TemporaryFilesCanBeRemoved) {
  TemporaryFiles temporaries;
  const auto open = [&](const std::string& name) {
    OutputFileOptions options = {.temporaries = &temporaries};
    return OutputFile::Open(Path(name), options);
  };
  Put("old", "old");
  Result<OutputFile> first = open("first");
  Result<OutputFile> second = open("second");
  Result<OutputFile> third = open("third");
  Result<OutputFile> old = open("old");
  ASSERT_TRUE(first.ok() && second.ok() && third.ok() && old.ok());
  EXPECT_TRUE(second->Close().ok());
  { const OutputFile dropped = *std::move(third); }
  EXPECT_EQ(open("none/x").status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Listing().size(), 4u);
  temporaries.Remove();
  EXPECT_THAT(Listing(), ElementsAre("old", "second"));
  EXPECT_FALSE(old->Close().ok());
  EXPECT_FALSE(first->Close().ok());
  EXPECT_EQ(Content("old"), "old");
  temporaries.Remove();
  EXPECT_TRUE(open("last")->Close().ok());
  EXPECT_THAT(Listing(), ElementsAre("last", "old", "second"));
}

TEST_F(OutputFileTest, LongNames) {
  const std::string name(255, 'n');
  EXPECT_TRUE(OutputFile::Open(Path(name))->Close().ok());
  EXPECT_THAT(Listing(), ElementsAre(name));
}

TEST_F(OutputFileTest, RelativePaths) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_TRUE(OutputFile::Open("plain", {.fsync = true})->Close().ok());
  fs::current_path(before);
  EXPECT_THAT(Listing(), ElementsAre("plain"));
}

TEST_F(OutputFileTest, WhatCannotBeOpened) {
  Put("file", "");
  EXPECT_THAT(OutputFile::Open(Path("none/out")),
              IsError(ErrorCode::kNotFound, {.file = Path("none/out")}));
  EXPECT_EQ(OutputFile::Open(Path("file/out")).status().code(),
            ErrorCode::kNotFound);
  EXPECT_EQ(OutputFile::Open("").status().code(), ErrorCode::kNotFound);
  EXPECT_THAT(OutputFile::Open(folder_),
              IsError(ErrorCode::kIo, {.text = "directory"}));
}

TEST_F(OutputFileTest, DevicesAreWrittenInPlace) {
  Result<OutputFile> null = OutputFile::Open("/dev/null", {.fsync = true});
  ASSERT_TRUE(null.ok() && null->Write("x").ok());
  EXPECT_TRUE(null->Close().ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, AFullDevice) {
  OutputFile full = OrThrow(OutputFile::Open("/dev/full"));
  EXPECT_TRUE(full.Write("buffered").ok());
  EXPECT_THAT(full.Close(), IsError(ErrorCode::kIo, {.file = "/dev/full",
                                                     .text = "No space left"}));
  EXPECT_EQ(full.Write("x").code(), ErrorCode::kIo);
  EXPECT_EQ(full.Close().code(), ErrorCode::kIo);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(OutputFileTest, AFailedWriteLeavesNothing) {
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  Put("out", "old");
  OutputFile file = OrThrow(OutputFile::Open(Path("out")));
  struct rlimit small = before;
  small.rlim_cur = 100'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = file.Write(std::string(300'000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(status.code(), ErrorCode::kIo);
  EXPECT_EQ(file.Close().code(), ErrorCode::kIo);
  EXPECT_THAT(Listing(), ElementsAre("out"));
  EXPECT_EQ(Content("out"), "old");
}

TEST_F(OutputFileTest, APipeTakesItsTime) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  const std::string sent(1 << 20, 'p');
  std::string received;
  std::thread reader([&] { received = Content("fifo"); });
  OutputFile file = OrThrow(OutputFile::Open(Path("fifo")));
  EXPECT_TRUE(file.Write(sent).ok());
  EXPECT_TRUE(file.Close().ok());
  reader.join();
  EXPECT_EQ(received, sent);
  EXPECT_TRUE(fs::is_fifo(Path("fifo")));
}

// Standard output for as long as it lives.
class ScopedStdout {
 public:
  explicit ScopedStdout(int fd) {
    fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    dup2(fd, STDOUT_FILENO);
    close(fd);
  }
  ~ScopedStdout() {
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

TEST_F(OutputFileTest, StandardOutput) {
  {
    ScopedStdout redirect(
        open(Path("captured").c_str(), O_WRONLY | O_CREAT, 0600));
    OutputFile file = OrThrow(OutputFile::Open("-", {.fsync = true}));
    EXPECT_EQ(file.name(), "<stdout>");
    EXPECT_TRUE(file.Write("to stdout").ok());
    EXPECT_TRUE(file.Close().ok());
    EXPECT_EQ(write(STDOUT_FILENO, "!", 1), 1);  // still open
  }
  EXPECT_EQ(Content("captured"), "to stdout!");
}

TEST_F(OutputFileTest, AClosedPipeIsAnError) {
  const auto handler = signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  Status status;
  {
    ScopedStdout redirect(ends[1]);
    Result<OutputFile> file = OutputFile::Open("-");
    ASSERT_TRUE(file.ok() && file->Write("x").ok());
    status = file->Flush();
  }
  signal(SIGPIPE, handler);
  EXPECT_THAT(status, IsError(ErrorCode::kIo, {.text = "Broken pipe"}));
}

}  // namespace
}  // namespace headrace::testing
