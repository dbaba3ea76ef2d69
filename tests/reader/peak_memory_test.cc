// How much memory reading takes: a process that only reads a file, batch by
// batch, stays under 64 MiB and the windows that a batch pins.

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/reader.h"
#include "tests/random/record_shapes.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

extern char** environ;

namespace headrace::testing {
namespace {

constexpr size_t kRows = 256;
constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kBesidesWindows = 64 * kMiB;

// What the process that reads is told: the shape, the file, the bound.
constexpr char kShape[] = "HEADRACE_PEAK_SHAPE";
constexpr char kFile[] = "HEADRACE_PEAK_FILE";
constexpr char kMax[] = "HEADRACE_PEAK_MOST";

// Memory that this process has had at once since it began; 0 where the system
// does not say.
uint64_t PeakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  return 0;
}

// The values of kind bytes point into the windows, so that a batch pins all
// that it lies across: each holds whole records in all but the longest of them
// at most. Two more are being read.
uint64_t WindowBytes(const ShapedFile& file, uint64_t file_bytes) {
  const uint64_t batch = file_bytes / file.num_records * kRows * 11 / 10;
  return (batch / (kMiB - file.largest_record) + 1 + 2) * kMiB;
}

uint64_t SizeOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  return static_cast<uint64_t>(file.tellg());
}

// Runs InAProcessOfItsOwn there, and returns its exit code.
int RunReader(const std::string& shape, const std::string& file,
              uint64_t most) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  variables.push_back(kShape + ("=" + shape));
  variables.push_back(kFile + ("=" + file));
  variables.push_back(kMax + ("=" + std::to_string(most)));
  std::vector<std::string> arguments = {
      "test", "--gtest_filter=PeakMemory.InAProcessOfItsOwn", "--gtest_brief=1",
      "--gtest_output="};
  const auto pointers = [](std::vector<std::string>* texts) {
    std::vector<char*> list;
    for (std::string& text : *texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  };
  pid_t child = 0;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr,
                  pointers(&arguments).data(),
                  pointers(&variables).data()) != 0) {
    return -1;
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// Only where OfEachShape starts it: memory of other tests would count.
TEST(PeakMemory, InAProcessOfItsOwn) {
  const char* const most = std::getenv(kMax);
  if (most == nullptr) GTEST_SKIP() << "started by OfEachShape";
  const Plan plan = ShapeNamed(std::getenv(kShape)).plan();
  auto reader =
      OrThrow(Reader::Open({std::getenv(kFile)}, plan,
                           {.message = plan.message(), .batch_size = kRows}));
  size_t rows = 0;
  while (const auto batch = reader.Next()) rows += batch->num_rows();
  ASSERT_THAT(reader.status(), IsOk());
  EXPECT_GT(rows, 0u);
  EXPECT_GT(PeakBytes(), 0u);
  EXPECT_LE(PeakBytes(), std::stoull(most));
}

TEST(PeakMemory, OfEachShape) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers take memory of their own";
  for (const RecordShape& shape : RecordShapes()) {
    SCOPED_TRACE(shape.name);
    const size_t batches = shape.name == "blobs" ? 8 : 40;
    const TemporaryFile file("");
    const ShapedFile shaped = WriteShape(shape, batches * kRows, file.path());
    const uint64_t most =
        kBesidesWindows + WindowBytes(shaped, SizeOf(file.path()));
    EXPECT_EQ(RunReader(shape.name, file.path(), most), 0);
  }
}

}  // namespace
}  // namespace headrace::testing
