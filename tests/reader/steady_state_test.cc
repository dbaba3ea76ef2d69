// Steady state takes no memory: the windows and the batches of a reader go
// back to their pools and serve again, and their pages stay. All is counted in
// calls of this process: what its neighbours do changes none.

#include <sys/resource.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/reader.h"
#include "src/base/memory/memory_pool.h"
#include "src/base/memory/pin.h"
#include "src/input/source/block_pool.h"
#include "tests/process/allocation_counter.h"
#include "tests/random/record_shapes.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

constexpr size_t kBatchRows = 256;

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

  size_t batches() const { return holding + warm + steady; }
};

Course CourseOf(const RecordShape& shape) {
  // The windows of a second batch that is kept would be too many later, and be
  // given back in the steady part.
  return shape.name == "blobs" ? Course{.holding = 1, .warm = 6, .steady = 5}
                               : Course{};
}

// Reads a file of one course `times` times over.
Reader OpenPlan(const Plan& plan, const std::string& path, size_t times = 1,
                size_t threads = 1) {
  return *Reader::Open(std::vector<std::string>(times, path), plan,
                       {.message = plan.message(),
                        .batch_size = kBatchRows,
                        .threads = threads});
}

// Calls of all threads that take memory or give pages back.
size_t MemoryCalls() { return AllocationCount() + PageReturnCount(); }

void ReadUntilWarm(const Course& course, Reader* reader) {
  std::deque<Batch> held;
  for (size_t i = 0; i < course.holding; ++i) {
    held.push_back(*reader->Next());
    if (held.size() > course.held_each) held.pop_front();
  }
  held.clear();
  for (size_t i = 0; i < course.warm; ++i) {
    EXPECT_THAT(reader->Next(), IsOk());
  }
}

// What the next `batches` take together; each is let go before the next.
size_t CallsOf(size_t batches, Reader* reader) {
  const size_t before = MemoryCalls();
  size_t rows = 0;
  for (size_t i = 0; i < batches; ++i) rows += (*reader->Next()).num_rows();
  const size_t calls = MemoryCalls() - before;
  EXPECT_EQ(rows, batches * kBatchRows);
  return calls;
}

TEST(SteadyState, OneThreadTakesNothing) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers count nothing";
  for (const RecordShape& shape : RecordShapes()) {
    SCOPED_TRACE(shape.name);
    const Course course = CourseOf(shape);
    const TemporaryFile file("");
    WriteShape(shape, course.batches() * kBatchRows, file.path());
    Reader reader = OpenPlan(shape.plan(), file.path());
    ReadUntilWarm(course, &reader);
    EXPECT_EQ(CallsOf(course.steady, &reader), 0u);
  }
}

// Which thread takes which batch, and how many of them wait for the caller, is
// the scheduler's affair, so that a batch of the pool may be used, and grow,
// for the first time late. There are few of them, and each grows a few times
// only: among many stretches one takes next to nothing, whatever the scheduler
// does. What each batch took would be taken in every stretch.
TEST(SteadyState, ThreadsTakeNextToNothing) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers count nothing";
  constexpr size_t kFew = 10;
  constexpr size_t kFiles = 20;
  for (const RecordShape& shape : RecordShapes()) {
    SCOPED_TRACE(shape.name);
    Course course = CourseOf(shape);
    course.held_each = 5;
    const TemporaryFile file("");
    WriteShape(shape, course.batches() * kBatchRows, file.path());
    Reader reader = OpenPlan(shape.plan(), file.path(), kFiles, 2);
    ReadUntilWarm(course, &reader);
    const size_t stretch = course.steady > 20 ? 20 : course.steady;
    size_t left = kFiles * course.batches() - course.holding - course.warm;
    size_t calls = kFew + 1;
    for (; calls > kFew && left >= stretch; left -= stretch) {
      calls = CallsOf(stretch, &reader);
    }
    EXPECT_LE(calls, kFew);
  }
}

// Lists of 1 to 8 Examples, as tensors of every layout that is filled up.
TEST(SteadyState, ListsTakeNothing) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers count nothing";
  const auto example = [](Random* random) {
    return ExampleBuilder()
        .Int64s("id", {random->Int64()})
        .Floats("score", std::vector<float>(random->Below(4), 1.5f))
        .Build();
  };
  const RecordShape shape{"lists", {}, [example](Random* random) {
                            std::string list;
                            for (size_t i = 1 + random->Below(8); i > 0; --i) {
                              list += LenField(1, example(random));
                            }
                            return list + LenField(2, example(random));
                          }};
  const FeatureSpec spec =
      FeatureSpec(MessageType::kElwc)
          .Add("id", FixedLen(DType::kInt64))
          .AddToExamples("id", FixedLen(DType::kInt64).Default(0))
          .AddToExamples("score", VarLen(DType::kFloat))
          .SetLists({.list_size = 6,
                     .size_feature_name = "size",
                     .mask_feature_name = "mask"});
  const auto plan = Plan::Compile(spec);
  ASSERT_THAT(plan, IsOk());
  const Course course;
  const TemporaryFile file("");
  WriteShape(shape, course.batches() * kBatchRows, file.path());
  Reader reader = OpenPlan(*plan, file.path());
  ReadUntilWarm(course, &reader);
  EXPECT_EQ(CallsOf(course.steady, &reader), 0u);
}

TEST(SteadyState, RawRecordsTakeNothing) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers count nothing";
  const RecordShape& shape = ShapeNamed("ragged");
  const Course course = CourseOf(shape);
  const TemporaryFile file("");
  WriteShape(shape, course.batches() * kBatchRows, file.path());
  Reader reader = OpenPlan(Plan::ForRaw(), file.path());
  ReadUntilWarm(course, &reader);
  EXPECT_EQ(CallsOf(course.steady, &reader), 0u);
}

// Page faults while a reader of its own reads the file.
size_t FaultsOfAReader(const Plan& plan, const std::string& path) {
  const auto faults = [] {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<size_t>(usage.ru_minflt);
  };
  const size_t before = faults();
  Reader reader = OpenPlan(plan, path);
  while (reader.Next()) {
  }
  return faults() - before;
}

// Blobs are pinned; floats are copied into arenas.
TEST(SteadyState, TheNextReaderTouchesNoNewMemory) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers take memory of their own";
  for (const char* const name : {"blobs", "floats"}) {
    SCOPED_TRACE(name);
    const RecordShape& shape = ShapeNamed(name);
    const TemporaryFile file("");
    WriteShape(shape, 3 * kBatchRows, file.path());
    MemoryPool::OfProcess().Clear();
    const size_t first = FaultsOfAReader(shape.plan(), file.path());
    FaultsOfAReader(shape.plan(), file.path());
    EXPECT_LE(5 * FaultsOfAReader(shape.plan(), file.path()), first);
  }
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
