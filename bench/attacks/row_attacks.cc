// Rows have errors of their own, and the reader skips them. Each record is of
// the ordinary form except for what is wrong with it.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "bench/attacks/attack.h"
#include "bench/bench_data.h"
#include "bench/sides/headrace_side.h"
#include "headrace/feature_spec.h"
#include "headrace/reader.h"
#include "tests/support/example_builder.h"

namespace headrace::bench {
namespace {

using testing::ExampleBuilder;

constexpr size_t kFeatures = 66;

std::string NameOf(size_t i) { return "f" + std::to_string(100 + i); }

struct Skipping {
  explicit Skipping(std::string_view bytes) : file(bytes) {}

  AnonymousFile file;
  Result<Plan> plan = Status(ErrorCode::kInvalidArgument, "no plan");
};

Status ReadSkipping(const Skipping& skipping) {
  auto reader = Reader::Open({skipping.file.path()}, *skipping.plan,
                             {.on_row_error = OnRowError::kSkip});
  if (!reader.ok()) return reader.status();
  while (reader->Next()) {
  }
  return reader->status();
}

FeatureSpec FloatsSpec() {
  FeatureSpec spec;
  for (size_t i = 0; i < kFeatures; ++i) {
    spec.Add(NameOf(i), FixedLen(DType::kFloat));
  }
  return spec;
}

Work ReadingRows(const std::string& bad, size_t bad_in_ten, size_t bytes) {
  ExampleBuilder good;
  for (size_t i = 0; i < kFeatures; ++i) good.Floats(NameOf(i), {1.5f});
  std::string ten;
  for (size_t i = 0; i < 10; ++i) {
    AppendRecord(i < bad_in_ten ? bad : good.Build(), &ten);
  }
  const std::string file = Repeated(ten, bytes);
  auto skipping = std::make_shared<Skipping>(file);
  skipping->plan = Plan::Compile(FloatsSpec());
  if (!skipping->plan.ok()) {
    return {bytes, [skipping] { return skipping->plan.status(); }};
  }
  return {file.size(), [skipping] { return ReadSkipping(*skipping); }};
}

// Feature `which` of the record is another one than the spec asks for.
std::string RowWithout(size_t which, std::string_view content) {
  ExampleBuilder builder;
  for (size_t i = 0; i < kFeatures; ++i) {
    if (i != which) builder.Floats(NameOf(i), {1.5f});
    if (i == which && !content.empty()) builder.Feature(NameOf(i), content);
  }
  return builder.Build();
}

Work GoodRows(size_t bytes) { return ReadingRows("", 0, bytes); }

template <size_t kBadInTen>
Work RowsLackOne(size_t bytes) {
  return ReadingRows(RowWithout(kFeatures / 2, ""), kBadInTen, bytes);
}

Work RowsOfTwoValues(size_t bytes) {
  return ReadingRows(
      RowWithout(kFeatures / 2, testing::FloatFeature({1.5f, 2.5f})), 10,
      bytes);
}

Work RowsOfAnotherKind(size_t bytes) {
  return ReadingRows(RowWithout(kFeatures / 2, testing::Int64Feature({1})), 10,
                     bytes);
}

Work RowsMalformedLate(size_t bytes) {
  return ReadingRows(RowWithout(kFeatures - 1, "\x0a"), 10, bytes);
}

constexpr Attack kAttacks[] = {
    {"rows that lack a feature", "good rows", RowsLackOne<10>, GoodRows},
    {"one row in ten lacks a feature", "good rows", RowsLackOne<1>, GoodRows},
    {"rows of a wrong count", "good rows", RowsOfTwoValues, GoodRows},
    {"rows of a wrong kind", "good rows", RowsOfAnotherKind, GoodRows},
    {"malformed rows", "good rows", RowsMalformedLate, GoodRows},
};

}  // namespace

std::span<const Attack> RowAttacks() { return kAttacks; }

}  // namespace headrace::bench
