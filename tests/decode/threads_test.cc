// What may be shared by threads: plans, and batches once they are made.

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "tests/naive/batch_columns.h"
#include "tests/random/random_example.h"
#include "tests/support/or_throw.h"

namespace headrace::testing {
namespace {

constexpr int kThreads = 4;

std::vector<std::string> SomeRecords() {
  RandomExample random(/*seed=*/61, {});
  std::vector<std::string> records;
  for (int i = 0; i < 200; ++i) records.push_back(random.Next());
  return records;
}

template <class Body>
void OnThreads(Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(body);
  for (std::thread& thread : threads) thread.join();
}

TEST(DecodeThreads, ShareAPlan) {
  const std::vector<std::string> bytes = SomeRecords();
  const std::vector<std::string_view> records(bytes.begin(), bytes.end());
  const auto plan = OrThrow(Plan::ForColumns(RandomExample::Columns()));
  const NaiveResult expected = NaiveDecode(records, RandomExample::Columns());
  OnThreads([&] {
    Decoder decoder(plan);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(Difference(expected, decoder.Decode(records)), "");
    }
  });
}

// Read by all, let go by whoever is last, while the decoder makes new ones.
TEST(DecodeThreads, ShareBatches) {
  const std::vector<std::string> bytes = SomeRecords();
  const std::vector<std::string_view> records(bytes.begin(), bytes.end());
  const auto plan = OrThrow(Plan::ForColumns(RandomExample::Columns()));
  const NaiveResult expected = NaiveDecode(records, RandomExample::Columns());
  auto decoder = std::make_unique<Decoder>(plan);
  for (int round = 0; round < 10; ++round) {
    auto batch = decoder->Decode(records);
    ASSERT_TRUE(batch.ok());
    std::vector<std::thread> readers;
    for (int i = 0; i < kThreads; ++i) {
      readers.emplace_back([&expected, mine = *batch] {
        EXPECT_EQ(Difference(expected, ToNaive(mine)), "");
      });
    }
    batch = Batch();
    const auto next = decoder->Decode(records);
    EXPECT_EQ(Difference(expected, next), "");
    // Batches that threads still hold may outlive the decoder.
    if (round == 9) decoder.reset();
    for (std::thread& reader : readers) reader.join();
  }
}

}  // namespace
}  // namespace headrace::testing
