// Compressed files and their indexes without memory: every allocation fails
// once.

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/dataset.h"
#include "headrace/index.h"
#include "headrace/reader.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"
#include "tests/out_of_memory/every_allocation.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using compression::SeekFile;

// Each has a point inside, or several members.
std::vector<SeekFile> SmallFiles() {
  std::vector<SeekFile> files =
      compression::FewSeekFiles(compression::SomeRecords(1500));
  std::erase_if(files, [](const SeekFile& file) {
    return file.name == "bgzf" || file.name == "members";
  });
  return files;
}

// A file in a folder of its own, with its index beside it.
class IndexedFile {
 public:
  explicit IndexedFile(const SeekFile& file) {
    std::ofstream(path(), std::ios::binary) << file.stored;
    const auto index =
        Index::Build(path(), {.checkpoint_bytes = uint64_t{64} << 10});
    EXPECT_TRUE(index.ok() && index->Save(index_path()).ok());
  }
  std::string path() const { return folder_.path() + "/a"; }
  std::string index_path() const { return path() + ".hri"; }

 private:
  const TemporaryFolder folder_;
};

TEST(CompressedWithoutMemory, IndexIsMadeAndOpened) {
  for (const SeekFile& file : SmallFiles()) {
    const IndexedFile indexed(file);
    const std::string path = indexed.path();
    const std::string index_path = indexed.index_path();
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      const auto index = allocator->During([&] {
        return Index::Build(path, {.checkpoint_bytes = uint64_t{64} << 10});
      });
      return Outcome{
          .status = index.status(),
          .rest = index.ok() ? std::to_string(index->index_bytes()) : ""};
    });
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      const auto index =
          allocator->During([&] { return Index::Open(index_path); });
      return Outcome{
          .status = index.status(),
          .rest = index.ok() ? std::to_string(index->index_bytes()) : ""};
    });
  }
}

TEST(CompressedWithoutMemory, RowsAreTaken) {
  for (const SeekFile& file : SmallFiles()) {
    const IndexedFile indexed(file);
    const std::vector<std::string> paths = {indexed.path()};
    DatasetOptions options{.message = MessageType::kRaw,
                           .index = IndexUse::kRequired};
    const auto take = [&](FailingAllocator* allocator) {
      Outcome outcome;
      auto dataset =
          allocator->During([&] { return Dataset::Open(paths, options); });
      outcome.status = dataset.status();
      if (!dataset.ok()) return outcome;
      outcome.parts.push_back(std::to_string(dataset->size()));
      const std::vector<uint64_t> rows = {1400, 3, 700};
      const auto batch = allocator->During([&] { return dataset->Take(rows); });
      outcome.status = batch.status();
      if (!batch.ok()) return outcome;
      for (const std::string_view bytes : batch->columns()[0].bytes()) {
        outcome.parts.emplace_back(bytes);
      }
      return outcome;
    };
    FailEveryAllocation(Whose::kThisThread, take);
    // The file is opened by Take.
    const uint64_t size = Index::Open(indexed.index_path())->size();
    options.record_ranges = {{.begin = 5, .file_records = size}};
    FailEveryAllocation(Whose::kThisThread, take);
  }
}

TEST(CompressedWithoutMemory, APartIsRead) {
  for (const SeekFile& file : SmallFiles()) {
    const IndexedFile indexed(file);
    const std::vector<std::string> paths = {indexed.path()};
    ReadOptions options{.message = MessageType::kRaw, .batch_size = 4000};
    const auto read = [&](FailingAllocator* allocator) {
      if (options.write_index) std::remove(indexed.index_path().c_str());
      Outcome outcome;
      auto reader =
          allocator->During([&] { return Reader::Open(paths, options); });
      outcome.status = reader.status();
      while (outcome.status.ok()) {
        const auto batch = allocator->During([&] { return reader->Next(); });
        outcome.status = batch.status();
        if (!batch) break;
        for (const std::string_view bytes : batch->columns()[0].bytes()) {
          outcome.parts.emplace_back(bytes);
        }
      }
      return outcome;
    };
    options.record_ranges = {{.begin = 900, .end = 1000}};
    FailEveryAllocation(Whose::kThisThread, read);
    options.record_ranges = {};
    options.range = {.begin = 80'000, .end = 120'000};
    FailEveryAllocation(Whose::kThisThread, read);
    options.range = {};
    options.write_index = true;
    FailEveryAllocation(Whose::kThisThread, read);
  }
}

}  // namespace
}  // namespace headrace::testing
