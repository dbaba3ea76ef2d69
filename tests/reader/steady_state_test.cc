// Steady state takes no memory: the windows and the batches of a reader go
// back to their pools and serve again, and their pages stay.

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/reader.h"
#include "src/base/pin.h"
#include "src/source/block_pool.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/record_shapes.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr size_t kBatchRows = 256;

// Over all steady batches: pages that the kernel moves meanwhile (compaction,
// balancing between nodes) are faulted in again. One a batch would be more.
constexpr long kFaultsOfKernel = 4;

// Pages that this thread touched for the first time.
long PageFaults() {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

// How many batches are read. The records repeat after 20 batches at the latest
// (see WriteShape), and none of a later round is larger than those before. At
// first the caller keeps some batches, so that the pools have seen more in use
// than there ever is later: how many windows a batch lies across depends on
// where they begin.
struct Course {
  size_t held_each = 2;
  size_t holding = 10;
  size_t warm = 40;
  size_t steady = 40;
  size_t stretches = 1;  // of so many steady ones

  size_t batches() const { return holding + warm + stretches * steady; }
};

Course CourseOf(const RecordShape& shape) {
  const bool is_large = shape.name == "blobs";
  return is_large ? Course{.holding = 3, .warm = 4, .steady = 5} : Course{};
}

struct Cost {
  size_t allocations = 0;  // of all threads
  long own_faults = 0;
};

Reader OpenPlan(const Plan& plan, const std::string& path,
                ReadOptions options) {
  options.message = plan.message();
  options.batch_size = kBatchRows;
  return *Reader::Open({path}, plan, options);
}

Reader OpenShape(const RecordShape& shape, const std::string& path,
                 const ReadOptions& options) {
  return OpenPlan(shape.plan(), path, options);
}

// Of the steady batches together, in the stretch that took least; each is let
// go before the next.
Cost SteadyCost(const Course& course, Reader* reader) {
  std::deque<Batch> held;
  for (size_t i = 0; i < course.holding; ++i) {
    held.push_back(*reader->Next());
    if (held.size() > course.held_each) held.pop_front();
  }
  held.clear();
  for (size_t i = 0; i < course.warm; ++i) {
    EXPECT_THAT(reader->Next(), IsOk());
  }
  Cost least;
  for (size_t stretch = 0; stretch < course.stretches; ++stretch) {
    const size_t all = AllocationCount();
    const long faults = PageFaults();
    size_t rows = 0;
    for (size_t i = 0; i < course.steady; ++i)
      rows += (*reader->Next()).num_rows();
    const Cost cost{.allocations = AllocationCount() - all,
                    .own_faults = PageFaults() - faults};
    EXPECT_EQ(rows, course.steady * kBatchRows);
    if (stretch == 0 || cost.allocations < least.allocations) least = cost;
  }
  return least;
}

TEST(SteadyState, OneThreadTakesNothing) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers count nothing";
  for (const RecordShape& shape : RecordShapes()) {
    SCOPED_TRACE(shape.name);
    const Course course = CourseOf(shape);
    const TemporaryFile file("");
    WriteShape(shape, course.batches() * kBatchRows, file.path());
    Reader reader = OpenShape(shape, file.path(), {});
    const Cost cost = SteadyCost(course, &reader);
    EXPECT_EQ(cost.allocations, 0u);
    EXPECT_LE(cost.own_faults, kFaultsOfKernel);
  }
}

// Which thread takes which batch, and how many of them wait for the caller, is
// the scheduler's affair, so that a batch of the pool may be used, and grow,
// for the first time late. What each batch took would be taken in every
// stretch.
TEST(SteadyState, ThreadsTakeNextToNothing) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers count nothing";
  for (const RecordShape& shape : RecordShapes()) {
    SCOPED_TRACE(shape.name);
    Course course = CourseOf(shape);
    course.held_each = 5;
    // As short as the records allow, which repeat: the scheduler leaves some of
    // them alone on a busy machine.
    const size_t steady = 4 * course.steady;
    course.steady = std::min(course.steady, size_t{20});
    course.stretches = steady / course.steady;
    constexpr size_t kFew = 10;
    const TemporaryFile file("");
    WriteShape(shape, course.batches() * kBatchRows, file.path());
    Reader reader = OpenShape(shape, file.path(), {.threads = 2});
    const Cost cost = SteadyCost(course, &reader);
    EXPECT_LE(cost.allocations, kFew);
  }
}

TEST(SteadyState, RawRecordsTakeNothing) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers count nothing";
  const RecordShape& shape = ShapeNamed("ragged");
  const Course course = CourseOf(shape);
  const TemporaryFile file("");
  WriteShape(shape, course.batches() * kBatchRows, file.path());
  Reader reader = OpenPlan(Plan::ForRaw(), file.path(), {});
  EXPECT_EQ(SteadyCost(course, &reader).allocations, 0u);
}

// Takes so many blocks at once, and gives all back.
void UseBlocks(source::BlockPool* pool, size_t capacity, size_t count) {
  std::vector<Pin> pins;
  for (size_t i = 0; i < count; ++i) pins.push_back(pool->Take(capacity)->pin);
}

TEST(SteadyState, BlocksOfALargeBatchAreKeptWhileThereAreLargeBatches) {
  if (!AllocationsAreCounted()) GTEST_SKIP() << "nothing is counted";
  constexpr size_t kCapacity = 4096;
  constexpr size_t kLarge = 100;
  const auto pool = std::make_shared<source::BlockPool>(kCapacity);
  UseBlocks(pool.get(), kCapacity, kLarge);
  const auto allocations = [&](size_t count) {
    const size_t before = AllocationCount();
    UseBlocks(pool.get(), kCapacity, count);
    return AllocationCount() - before;
  };
  const size_t of_pins = allocations(kLarge);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(allocations(kLarge), of_pins);
  for (size_t i = 0; i < 6 * kLarge; ++i) UseBlocks(pool.get(), kCapacity, 1);
  EXPECT_GE(allocations(kLarge), of_pins + kLarge / 2);
}

}  // namespace
}  // namespace headrace::testing
