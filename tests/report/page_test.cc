// Pages of made-up statistics. With HEADRACE_PAGES=FOLDER in the environment
// the pages that tests look at are written there; tests/python/page opens these
// in browsers.

#include <cstdlib>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "headrace/stats_report.h"
#include "tests/random/random_summary.h"

namespace headrace::testing {
namespace {

// Keeps a page for a look at it.
void Keep(const std::string& page, const std::string& name) {
  const char* const folder = std::getenv("HEADRACE_PAGES");
  if (folder == nullptr) return;
  std::ofstream file(std::string(folder) + "/" + name + ".html",
                     std::ios::binary);
  file << page;
}

TEST(PageTest, Keeps) {
  const auto page = [](uint64_t seed, const SummaryShape& shape, const char* name) {
    const std::string text = StatsPage(RandomSummary(seed, shape));
    std::printf("%s %zu\n", name, text.size());
    Keep(text, name);
  };
  page(1, {.features=20, .records = 5000, .pictures = true}, "small");
  page(1, {.features=200}, "medium");
  page(1, {.features=1000, .records=1000, .pictures = true}, "thousand");
  page(1, {.features=10000}, "ten_thousand");
  page(1, {.features=60, .hostile = true, .pictures = true}, "hostile");
  const SummaryShape shape = {.features=20, .records = 5000, .pictures = true};
  StatsSummary a = RandomSummary(2, shape), b = RandomSummary(3, shape);
  Keep(StatsPage(a, {.name = "train", .other_name = "eval"}, &b), "compare");
  Keep("<!doctype html><title>x</title><h1>Notebook</h1>"+StatsPage(a, {.fragment = true})+"<p>and</p>"+StatsPage(b, {.fragment = true}),"fragments");
}

}  // namespace
}  // namespace headrace::testing
