// Pages of made-up statistics. With HEADRACE_PAGES=FOLDER in the environment
// they are written there: tests/python/page opens them in browsers.

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "headrace/stats_report.h"
#include "src/stats/page/page_parts.h"
#include "tests/random/random_summary.h"

namespace headrace::testing {
namespace {

void Keep(std::string_view name, const std::string& page) {
  const char* const folder = std::getenv("HEADRACE_PAGES");
  if (folder == nullptr) return;
  std::ofstream file(std::string(folder).append("/").append(name),
                     std::ios::binary);
  file << page;
  ASSERT_TRUE(file.flush()) << folder;
}

size_t CountOf(std::string_view text, std::string_view page) {
  size_t count = 0;
  for (size_t at = 0; (at = page.find(text, at)) != page.npos; ++at) ++count;
  return count;
}

bool Has(std::string_view page, std::string_view text) {
  return page.find(text) != page.npos;
}

TEST(PageTest, APageIsOneFileWithAPolicy) {
  const std::string page = StatsPage(
      RandomSummary(1, {.features = 20, .records = 5000, .pictures = true}));
  Keep("single.html", page);
  EXPECT_TRUE(page.starts_with("<!doctype html>\n"));
  EXPECT_TRUE(Has(page, "<title>train-00000.tfrecord and 1 more</title>"));
  EXPECT_TRUE(Has(page, "default-src 'none'"));
  for (const std::string_view hash :
       {report::PageStyleHash(), report::PageScriptHash()}) {
    EXPECT_EQ(CountOf(std::string("'sha256-").append(hash), page), 1u);
  }
  // Nothing is fetched.
  for (const std::string_view address :
       {"http:", "https:", "src=\"", "@import", "url(", "<link"}) {
    const bool is_namespace = address == "http:";
    EXPECT_EQ(CountOf(address, page), is_namespace ? 1u : 0u) << address;
  }
}

TEST(PageTest, EachFeatureCanBeReadWithoutScript) {
  const StatsSummary stats = RandomSummary(2, {.features = 200});
  const std::string page = StatsPage(stats);
  for (const FeatureSummary& feature : stats.features) {
    EXPECT_EQ(CountOf("<tr><th>" + feature.name + "<td>", page), 1u);
  }
}

TEST(PageTest, AThousandFeaturesTakeHalfAMegabyte) {
  for (const bool hostile : {false, true}) {
    const std::string page = StatsPage(RandomSummary(1, {.features = 1000,
                                                         .records = 500,
                                                         .hostile = hostile,
                                                         .pictures = true}));
    EXPECT_LE(page.size(), 500'000u);
    if (!hostile) Keep("thousand.html", page);
  }
}

TEST(PageTest, EachFurtherFeatureTakesItsShare) {
  const std::string page =
      StatsPage(RandomSummary(1, {.features = 10'000, .records = 40}));
  Keep("ten_thousand.html", page);
  EXPECT_LE(page.size(), 5'000'000u);
}

TEST(PageTest, TwoDatasets) {
  const SummaryShape shape = {
      .features = 20, .records = 5000, .pictures = true};
  const StatsSummary first = RandomSummary(2, shape);
  const StatsSummary second = RandomSummary(3, shape);
  const std::string page =
      StatsPage(first, {.name = "<train>", .other_name = "eval"}, &second);
  Keep("compared.html", page);
  EXPECT_TRUE(Has(page, "<title>&lt;train&gt; beside eval</title>"));
  EXPECT_TRUE(Has(page, "<span class=\"side0\">&lt;train&gt;</span>"));
  EXPECT_TRUE(Has(page, "<small class=\"only side1\">only eval</small>"));
  EXPECT_TRUE(Has(page, "<div class=\"side1\">\u2013</div>"));
  const std::string titled =
      StatsPage(first, {.title = "Week 47 & 48"}, &second);
  EXPECT_TRUE(Has(titled, "<title>Week 47 &amp; 48</title>"));
  // Both have the same files; those without any are not known by name.
  EXPECT_EQ(CountOf("\"name\":\"train-00000.tfrecord and 1 more\"", titled),
            2u);
  const StatsSummary nothing;
  EXPECT_TRUE(Has(StatsPage(nothing, {}, &nothing), "this beside other"));
  // Paths lose their folders where names alone tell the two apart.
  EXPECT_TRUE(
      Has(StatsPage(nothing, {.name = "x/a", .other_name = "y/b"}, &nothing),
          "<title>a beside b</title>"));
  EXPECT_TRUE(
      Has(StatsPage(nothing, {.name = "x/a", .other_name = "y/a"}, &nothing),
          "<title>x/a beside y/a</title>"));
}

TEST(PageTest, HostileNamesAndValuesStayText) {
  const std::string page = StatsPage(
      RandomSummary(1, {.features = 60, .hostile = true, .pictures = true}));
  Keep("hostile.html", page);
  // The data and the script; style and policy.
  EXPECT_EQ(CountOf("<script", page), 2u);
  EXPECT_EQ(CountOf("</script", page), 2u);
  EXPECT_EQ(CountOf("<style", page), 1u);
  EXPECT_EQ(CountOf("<meta", page), 3u);
  EXPECT_FALSE(Has(page, "<img"));
  EXPECT_FALSE(Has(page, "<!--"));
  EXPECT_TRUE(Has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  for (const std::string_view unseen :
       {"\u2028", "\u2029", "\u202e", "\x1b", "\xff"}) {
    EXPECT_FALSE(Has(page, unseen));
  }
  EXPECT_TRUE(Has(page, "\\u202etxet\\u202c"));
}

TEST(PageTest, AFragmentFitsIntoADocument) {
  std::string document = "<!doctype html><title>Notebook</title>\n";
  for (const uint64_t seed : {1u, 2u}) {
    const std::string fragment =
        StatsPage(RandomSummary(seed, {.features = 20, .pictures = true}),
                  {.fragment = true});
    EXPECT_TRUE(fragment.starts_with("<div class=\"headrace-stats\">"));
    EXPECT_TRUE(fragment.ends_with("</div>\n"));
    for (const std::string_view tag :
         {"<html", "<head>", "<body", "<meta", "<title", "<main", " id="}) {
      EXPECT_FALSE(Has(fragment, tag)) << tag;
    }
    document += fragment;
  }
  Keep("notebook.html", document);
}

TEST(PageTest, EqualStatisticsGiveEqualPages) {
  const SummaryShape shape = {.features = 50, .hostile = true};
  EXPECT_EQ(StatsPage(RandomSummary(5, shape)),
            StatsPage(RandomSummary(5, shape)));
  const StatsSummary first = RandomSummary(5, shape);
  const StatsSummary second = RandomSummary(6, shape);
  EXPECT_EQ(StatsPage(first, {}, &second), StatsPage(first, {}, &second));
}

TEST(PageTest, NoRecords) {
  const std::string page = StatsPage(StatsSummary());
  Keep("empty.html", page);
  EXPECT_TRUE(Has(page, "<title>Statistics</title>"));
  EXPECT_TRUE(Has(page, "There are no records."));
}

TEST(PageTest, TextOfTheDataIsTextInHtmlAndInScripts) {
  std::string html;
  report::AppendHtml("<a href=\"x\" id='y'>&amp;", &html);
  EXPECT_EQ(html, "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
  std::string script;
  report::AppendScriptString("</script><!--\"\\", &script);
  EXPECT_EQ(script, R"("\u003c/script>\u003c!--\"\\")");
}

}  // namespace
}  // namespace headrace::testing
