// Fingerprints against a second writing of the algorithm, between guard pages.
// golden_test.cc has those of TensorFlow.

#include "src/plan/function/fingerprint.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/naive/naive_functions.h"
#include "tests/support/guarded_bytes.h"

namespace headrace::testing {
namespace {

TEST(Fingerprint, AgreesWithASecondWriting) {
  constexpr size_t kMaxSize = 400;
  std::mt19937_64 random(1);
  GuardedBytes guarded(kMaxSize);
  for (size_t size = 0; size <= kMaxSize; ++size) {
    for (int i = 0; i < 20; ++i) {
      std::string bytes(size, '\0');
      for (char& c : bytes) c = static_cast<char>(random());
      const uint64_t wanted = NaiveFingerprint64(bytes);
      ASSERT_EQ(function::Fingerprint64(guarded.PlaceAtEnd(bytes)), wanted)
          << size;
      ASSERT_EQ(function::Fingerprint64(guarded.PlaceAtStart(bytes)), wanted)
          << size;
    }
  }
}

TEST(Fingerprint, OfAnIntegerIsThatOfItsText) {
  std::mt19937_64 random(2);
  std::vector<int64_t> numbers = {0,
                                  -1,
                                  10,
                                  -10,
                                  std::numeric_limits<int64_t>::min(),
                                  std::numeric_limits<int64_t>::max()};
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(static_cast<int64_t>(random()) >> (i % 64));
  }
  for (const int64_t number : numbers) {
    ASSERT_EQ(function::Fingerprint64(number),
              NaiveFingerprint64(std::to_string(number)));
  }
}

TEST(Fingerprint, Buckets) {
  const std::vector<std::string_view> words = {"", "a", "TensorFlow"};
  const std::vector<int64_t> numbers = {-3, 0, 12};
  for (const uint64_t buckets :
       {uint64_t{1}, uint64_t{10}, (uint64_t{1} << 63) - 1}) {
    std::vector<int64_t> out(3);
    function::HashBuckets(words, buckets, out.data());
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(static_cast<uint64_t>(out[i]),
                NaiveFingerprint64(words[i]) % buckets);
    }
    function::HashBuckets(numbers, buckets, out.data());
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(static_cast<uint64_t>(out[i]),
                NaiveFingerprint64(std::to_string(numbers[i])) % buckets);
    }
  }
}

}  // namespace
}  // namespace headrace::testing
