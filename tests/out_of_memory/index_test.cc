// Indexes without memory: every allocation fails once.

#include "headrace/index.h"

#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/out_of_memory/every_allocation.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

std::string TextOf(const Result<Index>& index) {
  if (!index.ok()) return "";
  std::vector<uint64_t> records(static_cast<size_t>(index->size()));
  std::iota(records.begin(), records.end(), uint64_t{0});
  std::vector<RecordPlace> places(records.size());
  EXPECT_TRUE(index->Find(records, places).ok());
  std::string text;
  for (const RecordPlace& place : places) {
    text += std::to_string(place.offset) + " ";
  }
  return text;
}

const std::vector<std::string> kPayloads(300, "some bytes");

TEST(IndexWithoutMemory, IsMade) {
  const TemporaryFile intact(RecordFile(kPayloads));
  const TemporaryFile cut(DamagedFile(kPayloads).CutTo(7000).bytes());
  const TemporaryFile gzip("\x1f\x8b\x08 is compressed");
  for (const std::string& path : {intact.path(), cut.path(), gzip.path()}) {
    for (const bool verify : {false, true}) {
      FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
        const auto index = allocator->During(
            [&] { return Index::Build(path, {.verify = verify}); });
        return Outcome{.status = index.status(), .rest = TextOf(index)};
      });
    }
  }
}

TEST(IndexWithoutMemory, IsSavedAndOpened) {
  const TemporaryFile file(RecordFile(kPayloads));
  const TemporaryFile other(RecordFile({"other"}));
  const TemporaryFolder folder;
  const Index index = *Index::Build(file.path());
  for (const bool text : {false, true}) {
    const std::string path = folder.path() + (text ? "/x.idx" : "/x.hri");
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      return Outcome{.status = allocator->During([&] {
        return text ? index.SaveText(path) : index.Save(path);
      })};
    });
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      const auto opened = allocator->During([&] { return Index::Open(path); });
      return Outcome{.status = opened.status(), .rest = TextOf(opened)};
    });
  }
  for (const std::string& path : {file.path(), other.path()}) {
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      return Outcome{
          .status = allocator->During([&] { return index.CheckIsOf(path); })};
    });
  }
  const TemporaryFile bad("no index");
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    return Outcome{.status = allocator->During(
                       [&] { return Index::Open(bad.path()).status(); })};
  });
}

}  // namespace
}  // namespace headrace::testing
