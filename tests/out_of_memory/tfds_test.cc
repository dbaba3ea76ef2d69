// Folders of TFDS without memory.

#include "headrace/tfds.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/golden/vectors.h"
#include "tests/out_of_memory/every_allocation.h"

namespace headrace::testing {
namespace {

class TfdsWithoutMemory : public ::testing::TestWithParam<const char*> {
 protected:
  std::string folder() const {
    return VectorPath("tfds/" + std::string(GetParam()) + "/1.0.0");
  }
};

INSTANTIATE_TEST_SUITE_P(Folders, TfdsWithoutMemory,
                         ::testing::Values("labelled", "robot", "old_features",
                                           "renamed", "nested_static"));

TEST_P(TfdsWithoutMemory, Opened) {
  const std::string path = folder();
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    const auto info = allocator->During([&] { return tfds::OpenFolder(path); });
    return Outcome{.status = info.status(),
                   .rest = info.ok() ? ToJson(*info) : ""};
  });
}

TEST_P(TfdsWithoutMemory, Selected) {
  const auto info = tfds::OpenFolder(folder());
  ASSERT_TRUE(info.ok());
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    const auto slices =
        allocator->During([&] { return Select(*info, "train[1:]+all"); });
    Outcome outcome = {.status = slices.status()};
    if (!slices.ok()) return outcome;
    for (const tfds::Slice& slice : *slices) {
      outcome.rest += slice.path + " " + std::to_string(slice.skip) + "\n";
    }
    return outcome;
  });
}

TEST_P(TfdsWithoutMemory, Chosen) {
  const auto info = tfds::OpenFolder(folder());
  ASSERT_TRUE(info.ok());
  for (const std::string pattern : {"*", "nothing"}) {
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      const auto columns = allocator->During([&] {
        return Choose(*info, {&pattern, 1});
      });
      return Outcome{.status = columns.status(),
                     .rest = columns.ok() ? ToJson(*columns) : ""};
    });
  }
}

TEST(TfdsMistakesWithoutMemory, Parsed) {
  for (const char* const features :
       {"[1, {\"a\": [2]}]", "{\"type\": \"Text\", \"content\": \"{\"}"}) {
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      const auto info = allocator->During(
          [&] { return tfds::ParseInfo("{\"name\": \"d\"}", features); });
      return Outcome{.status = info.status()};
    });
  }
}

}  // namespace
}  // namespace headrace::testing
