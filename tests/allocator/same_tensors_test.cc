// Tensors in memory of an allocator equal those in the library's, for golden
// and random specs, and lie in their slabs as batch_allocator.h says.

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "nlohmann/json.hpp"
#include "src/base/json/json_text.h"
#include "tests/allocator/guard_allocator.h"
#include "tests/golden/golden.h"
#include "tests/golden/golden_tensors.h"
#include "tests/golden/vectors.h"
#include "tests/naive/batch_tensors.h"
#include "tests/random/random_tensors.h"
#include "tests/support/effort.h"

namespace headrace::testing {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;

// Returns what differs between decoding with and without an allocator. Adds to
// *num_slabs.
std::string Compare(const FeatureSpec& spec, const Strings& records,
                    OnRowError on_row_error, size_t* num_slabs) {
  const auto plan = Plan::Compile(spec);
  if (!plan.ok()) return "";
  const std::vector<std::string_view> views(records.begin(), records.end());
  DecodeOptions options{.on_row_error = on_row_error,
                        .on_absent = OnAbsent::kIgnore};
  const auto plain = Decoder(*plan, options).Decode(views);
  const auto allocator = std::make_shared<GuardAllocator>();
  options.allocator = allocator;
  std::string difference;
  {
    Decoder decoder(*plan, options);
    // The second batch is made in storage that the first one has used.
    for (int i = 0; i < 2 && difference.empty(); ++i) {
      const auto batch = decoder.Decode(views);
      if (batch.ok() != plain.ok()) return batch.status().ToString();
      if (!batch.ok()) {
        if (batch.status().ToString() == plain.status().ToString()) continue;
        return batch.status().ToString();
      }
      difference = allocator->Seal(*batch);
      // The oracle knows no jagged tensors.
      const bool is_known = std::ranges::none_of(
          batch->tensors(),
          [](const Tensor& t) { return t.kind == TensorKind::kJagged; });
      if (difference.empty() && is_known) {
        difference = Difference(TensorsOf(*plain), batch);
      }
      if (difference.empty() && BitsOf(*batch) != BitsOf(*plain)) {
        difference = "the arrays differ";
      }
    }
  }
  if (allocator->num_held() != 0) return "slabs are left";
  if (allocator->num_calls() > 4) return "more than two slabs a batch";
  *num_slabs += allocator->num_calls();
  return difference;
}

using ReadSpec = FeatureSpec (*)(const json& golden);
using ReadRecords = Strings (*)(const json& golden);

void CompareGolden(const char* file, ReadSpec read_spec,
                   ReadRecords read_records, size_t least_slabs) {
  const auto lines = ReadGoldenLines(VectorPath(file));
  ASSERT_TRUE(lines.has_value());
  size_t num_slabs = 0;
  for (size_t i = 0; i < lines->size(); i += kCaseStride) {
    const json golden = json::parse((*lines)[i]);
    if (!golden.contains("records")) continue;  // a spec that is refused
    for (const OnRowError on_row_error :
         {OnRowError::kFail, OnRowError::kSkip}) {
      ASSERT_EQ(Compare(read_spec(golden), read_records(golden), on_row_error,
                        &num_slabs),
                "")
          << file << " line " << i + 1;
    }
  }
  EXPECT_GE(num_slabs, least_slabs / kCaseStride);
}

Strings HexRecords(const json& golden) {
  return GoldenRecords(golden.at("records"));
}

TEST(SameTensors, GoldenTensors) {
  CompareGolden("tensors-catalogue.jsonl.gz", &GoldenSpec, &HexRecords, 1000);
  CompareGolden("tensors-random.jsonl.gz", &GoldenSpec, &HexRecords, 400);
}

TEST(SameTensors, GoldenLists) {
  CompareGolden("elwc.jsonl.gz", &GoldenListSpec, &HexRecords, 100);
}

TEST(SameTensors, GoldenGroups) {
  CompareGolden(
      "groups.jsonl.gz",
      [](const json& golden) {
        return *FeatureSpec::FromJson(golden.at("spec").dump());
      },
      [](const json& golden) {
        Strings records;
        for (const json& text : golden.at("records")) {
          records.push_back(*ParseBase64(text.get<std::string>()));
        }
        return records;
      },
      400);
}

TEST(SameTensors, RandomSpecs) {
  RandomTensors random(/*seed=*/96);
  size_t num_slabs = 0;
  const int specs = kInstrumented ? 60 : 600;
  for (int i = 0; i < specs; ++i) {
    const FeatureSpec spec = random.NextSpec(
        i % 2 == 0 ? MessageType::kExample : MessageType::kSequence);
    Strings records;
    for (int row = 0; row < 30; ++row) {
      records.push_back(random.NextRecord(spec));
    }
    ASSERT_EQ(Compare(spec, records, OnRowError::kSkip, &num_slabs), "")
        << "spec " << i;
  }
  EXPECT_GE(num_slabs, static_cast<size_t>(specs) * 2);
}

}  // namespace
}  // namespace headrace::testing
