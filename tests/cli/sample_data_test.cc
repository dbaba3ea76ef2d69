// The pieces behind `headrace gen`.

#include <cstdint>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "headrace/message.h"
#include "src/sample/example_builder.h"
#include "src/sample/random.h"
#include "src/sample/shapes.h"

namespace headrace::sample {
namespace {

std::string Build(const Shape& shape, uint64_t index, uint64_t seed = 0) {
  Random random(seed, index);
  ExampleBuilder builder;
  shape.build(index, &random, &builder);
  return builder.Finish();
}

MessageType TypeOf(const Shape& shape, const std::string& payload) {
  if (std::string_view(shape.name) == "elwc") return MessageType::kElwc;
  return HasFeatureLists(payload) ? MessageType::kSequence
                                  : MessageType::kExample;
}

TEST(ExampleBuilder, WritesCanonicalBytes) {
  for (const Shape& shape : Shapes()) {
    for (uint64_t i = 0; i < 20; ++i) {
      const std::string payload = Build(shape, i);
      Result<Message> message = ParseMessage(payload, TypeOf(shape, payload));
      ASSERT_TRUE(message.ok()) << shape.name;
      Result<std::string> again = SerializeMessage(*message);
      ASSERT_TRUE(again.ok());
      EXPECT_EQ(*again, payload) << shape.name << " " << i;
    }
  }
}

TEST(ExampleBuilder, IsEmptyAfterFinish) {
  ExampleBuilder builder;
  builder.BeginSteps("k");
  builder.Int64("", 1);
  builder.EndSteps();
  builder.Unset("x");
  EXPECT_EQ(builder.num_features(), 1u);
  EXPECT_FALSE(builder.Finish().empty());
  EXPECT_TRUE(builder.Finish().empty());
}

TEST(Shapes, RecordsAreDistinct) {
  for (const Shape& shape : Shapes()) {
    std::set<std::string> seen;
    for (uint64_t i = 0; i < 200; ++i) seen.insert(Build(shape, i));
    EXPECT_EQ(seen.size(), 200u) << shape.name;
    EXPECT_NE(Build(shape, 1, 0), Build(shape, 1, 1)) << shape.name;
  }
}

TEST(Shapes, CriteoHasSixtySixFeatures) {
  std::set<std::string> keys;
  for (const Shape& shape : Shapes()) {
    if (shape.name != std::string("criteo")) continue;
    for (uint64_t i = 0; i < 100; ++i) {
      auto message = ParseMessage(Build(shape, i), MessageType::kExample);
      ASSERT_TRUE(message.ok());
      for (const auto& entry : message->features) keys.insert(entry.first);
    }
  }
  EXPECT_EQ(keys.size(), 66u);
}

// The numbers are part of what a seed promises: on any machine, forever.
TEST(Random, IsTheSameEverywhere) {
  Random random(42, 7);
  EXPECT_EQ(random.Next(), 11587843013060622055u);
  EXPECT_EQ(random.Below(1000), 251u);
  EXPECT_EQ(random.LogUniform(1'000'000), 7u);
  EXPECT_EQ(random.Bell(), -1.24663675f);
}

TEST(Random, StaysInItsBounds) {
  Random random(1, 2);
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_LT(random.Below(3), 3u);
    const uint64_t value = random.LogUniform(1000);
    EXPECT_GE(value, 1u);
    EXPECT_LE(value, 1000u);
    const float bell = random.Bell();
    EXPECT_LE(bell, 5.3f);
    EXPECT_GE(bell, -5.3f);
  }
}

}  // namespace
}  // namespace headrace::sample
