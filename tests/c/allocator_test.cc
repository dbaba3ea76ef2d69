// headrace_allocator: memory of a C program for the tensors of batches.

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/c/c_calls.h"
#include "tests/support/example_builder.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr const char* kSpec =
    "{\"batch_size\": 4, \"threads\": 2, \"spec\": {\"features\": [{\"name\": "
    "\"i\", \"kind\": \"fixed_len\", \"dtype\": \"int64\", \"shape\": []}]}}";
constexpr const char* kSpecOfDataset =
    "{\"spec\": {\"features\": [{\"name\": \"i\", \"kind\": \"fixed_len\", "
    "\"dtype\": \"int64\", \"shape\": []}]}}";

std::string FileOfTen() {
  std::vector<std::string> records;
  for (int64_t i = 0; i < 10; ++i) {
    records.push_back(ExampleBuilder().Int64s("i", {i}).Build());
  }
  return RecordFile(records);
}

class CountingMemory {
 public:
  headrace_allocator functions() {
    return {.size = sizeof(headrace_allocator),
            .context = this,
            .allocate =
                [](void* context, size_t size, size_t alignment) {
                  return static_cast<CountingMemory*>(context)->Allocate(
                      size, alignment);
                },
            .free =
                [](void* context, void* data, size_t size) {
                  static_cast<CountingMemory*>(context)->Free(data, size);
                },
            .release =
                [](void* context) {
                  ++static_cast<CountingMemory*>(context)->num_released;
                }};
  }

  bool fails = false;
  int num_released = 0;
  size_t num_allocated() const { return num_allocated_; }
  size_t num_held() const { return held_.size(); }

 private:
  void* Allocate(size_t size, size_t alignment) {
    const std::lock_guard lock(mutex_);
    if (fails) return nullptr;
    void* const data = std::aligned_alloc(alignment, size);
    held_[data] = size;
    ++num_allocated_;
    return data;
  }
  void Free(void* data, size_t size) {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(held_.at(data), size);
    held_.erase(data);
    std::free(data);
  }

  std::mutex mutex_;
  std::map<void*, size_t> held_;
  size_t num_allocated_ = 0;
};

TEST(CAllocatorTest, GivesTheBatchesOfAReaderTheirMemory) {
  const TemporaryFile file(FileOfTen());
  CountingMemory memory;
  const headrace_allocator functions = memory.functions();
  CReader reader = Open(file.path(), kSpec);
  ASSERT_EQ(Call(headrace_reader_set_allocator, reader.get(), &functions), "");
  {
    Owned<ArrowArray> array;
    ASSERT_EQ(Call(headrace_next, reader.get(), &array,
                   static_cast<ArrowSchema*>(nullptr)),
              "");
    EXPECT_EQ(array->length, 4);
    EXPECT_NE(Call(headrace_reader_set_allocator, reader.get(), &functions)
                  .find("before the first rows"),
              std::string::npos);
    EXPECT_EQ(RestOf(reader).size(), 6u);
    reader.reset();
    EXPECT_EQ(memory.num_held(), 1u);
    EXPECT_EQ(memory.num_released, 0);
    const auto* const values =
        static_cast<const int64_t*>(array->children[0]->buffers[1]);
    EXPECT_EQ(values[3], 3);
  }
  EXPECT_EQ(memory.num_allocated(), 3u);
  EXPECT_EQ(memory.num_held(), 0u);
  EXPECT_EQ(memory.num_released, 1);
}

TEST(CAllocatorTest, GivesRowsOfADatasetTheirMemory) {
  const TemporaryFile file(FileOfTen());
  CountingMemory memory;
  const headrace_allocator functions = memory.functions();
  CDataset dataset = OpenDataset(file.path(), kSpecOfDataset);
  ASSERT_EQ(Call(headrace_dataset_set_allocator, dataset.get(), &functions),
            "");
  {
    const uint64_t rows[] = {7, 2};
    Owned<ArrowArray> array;
    ASSERT_EQ(Call(headrace_dataset_take, dataset.get(),
                   static_cast<const uint64_t*>(rows), size_t{2}, &array,
                   static_cast<ArrowSchema*>(nullptr)),
              "");
    EXPECT_EQ(memory.num_held(), 1u);
  }
  EXPECT_EQ(memory.num_held(), 0u);
  dataset.reset();
  EXPECT_EQ(memory.num_released, 1);
}

TEST(CAllocatorTest, NoMemoryEndsTheReader) {
  const TemporaryFile file(FileOfTen());
  CountingMemory memory;
  memory.fails = true;
  const headrace_allocator functions = memory.functions();
  CReader reader = Open(file.path(), kSpec);
  ASSERT_EQ(Call(headrace_reader_set_allocator, reader.get(), &functions), "");
  headrace_error* error = nullptr;
  Owned<ArrowArray> array;
  EXPECT_EQ(headrace_next(reader.get(), &array, nullptr, &error),
            HEADRACE_OUT_OF_MEMORY);
  EXPECT_NE(std::string(error->message).find("allocator has no memory"),
            std::string::npos)
      << error->message;
  headrace_error_free(error);
}

TEST(CAllocatorTest, WrongArgumentsAreRefusedAndReleaseNothing) {
  const TemporaryFile file(FileOfTen());
  CountingMemory memory;
  const headrace_allocator right = memory.functions();
  CReader columns = Open(file.path());
  CDataset rows = OpenDataset(file.path());
  EXPECT_NE(Call(headrace_reader_set_allocator, columns.get(), &right)
                .find("give a spec"),
            std::string::npos);
  EXPECT_NE(Call(headrace_dataset_set_allocator, rows.get(), &right)
                .find("give a spec"),
            std::string::npos);
  CReader reader = Open(file.path(), kSpec);
  headrace_allocator wrong = right;
  wrong.size = sizeof(wrong) + 8;
  EXPECT_NE(Call(headrace_reader_set_allocator, reader.get(), &wrong)
                .find("the size of the allocator is 48; it must be 40"),
            std::string::npos);
  wrong = right;
  wrong.allocate = nullptr;
  EXPECT_NE(Call(headrace_reader_set_allocator, reader.get(), &wrong), "");
  wrong = right;
  wrong.free = nullptr;
  EXPECT_NE(Call(headrace_reader_set_allocator, reader.get(), &wrong), "");
  EXPECT_NE(Call(headrace_reader_set_allocator, reader.get(),
                 static_cast<const headrace_allocator*>(nullptr)),
            "");
  EXPECT_NE(Call(headrace_reader_set_allocator,
                 static_cast<headrace_reader*>(nullptr), &right),
            "");
  EXPECT_NE(Call(headrace_dataset_set_allocator,
                 static_cast<headrace_dataset*>(nullptr), &right),
            "");
  EXPECT_EQ(memory.num_released, 0);
}

}  // namespace
}  // namespace headrace::testing
