// StatsPage writes statistics as an HTML page; docs/design/stats.md, "Page",
// describes its parts.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/stats_report.h"
#include "src/base/text/display_text.h"
#include "src/base/text/numbers.h"
#include "src/stats/page/page_parts.h"
#include "src/stats/report/distance.h"

namespace headrace {
namespace report {
namespace {

std::string_view WithoutFolder(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// Returns the names of the files, or `otherwise` if they are not known.
std::string TitleOf(const StatsSummary& stats, std::string_view otherwise) {
  if (stats.files.empty()) return std::string(otherwise);
  std::string title = Printable(WithoutFolder(stats.files.front().name));
  if (stats.files.size() > 1) {
    title += " and " + Grouped(stats.files.size() - 1) + " more";
  }
  return title;
}

std::vector<PageRow> RowsOf(const StatsSummary& stats) {
  std::vector<PageRow> rows;
  for (const FeatureSummary& feature : stats.features) {
    rows.push_back({.features = {&feature, nullptr}});
  }
  return rows;
}

std::vector<PageRow> RowsOf(const StatsSummary& first,
                            const StatsSummary& second) {
  std::vector<PageRow> rows;
  for (const ComparedFeature& feature : CompareFeatures(first, second)) {
    rows.push_back({.features = {feature.first, feature.second},
                    .distance = feature.difference.distance()});
  }
  return rows;
}

// Names both sides. Paths are too long for column heads, so folders are left
// out unless only they differ.
void NameSides(const PageOptions& options, std::vector<PageSide>* sides) {
  std::string_view name = options.name;
  std::string_view other_name = options.other_name;
  if (WithoutFolder(name) != WithoutFolder(other_name)) {
    name = WithoutFolder(name);
    other_name = WithoutFolder(other_name);
  }
  PageSide& first = sides->front();
  PageSide& second = sides->back();
  first.name = name.empty() ? TitleOf(*first.stats, "this") : Printable(name);
  second.name = other_name.empty() ? TitleOf(*second.stats, "other")
                                   : Printable(other_name);
}

// Maximum bytes of a page of up to kFeatures features with short names, for
// each dataset. Each further feature may add kPageSize / kFeatures bytes.
constexpr size_t kPageSize = 500'000;
constexpr size_t kFeatures = 1000;

size_t LargestPage(const PageContent& content) {
  const size_t features = std::max(content.rows.size(), kFeatures);
  return kPageSize / kFeatures * features * content.sides.size();
}

// Appends the page's policy: nothing is fetched, sent or framed, and only the
// page's own script runs.
void AppendPolicy(std::string* out) {
  out->append(
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
         "'none'; base-uri 'none'; form-action 'none'; img-src data:; "
         "style-src 'sha256-")
      .append(PageStyleHash())
      .append("'; script-src 'sha256-")
      .append(PageScriptHash())
      .append("'\">\n");
}

void AppendHead(std::string_view title, std::string* out) {
  out->append(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
  AppendPolicy(out);
  out->append(
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>");
  AppendHtml(title, out);
  out->append("</title>\n");
}

void AppendBody(const PageContent& content, const PageDetail& detail,
                std::string_view heading, std::string* out) {
  const auto open = [&](std::string_view text) {
    out->append("<").append(heading).append(">");
    AppendHtml(text, out);
    out->append("</").append(heading).append(">\n");
  };
  out->append("<div class=\"head\">");
  open(content.title);
  AppendFacts(content, out);
  out->append("</div>\n<section class=\"remarks\"><h2>Deserves attention</h2>");
  AppendRemarks(content, out);
  out->append("</section>\n<section class=\"features\"><h2>Features</h2>\n");
  AppendFeatureTable(content, detail, out);
  out->append("</section>\n<script type=\"application/json\">");
  AppendPageData(content, detail, out);
  out->append("</script>\n<script>").append(PageScript()).append("</script>\n");
}

std::string WritePage(const PageContent& content, const PageDetail& detail,
                      bool fragment) {
  std::string page;
  const std::string style =
      std::string("<style>").append(PageStyle()).append("</style>\n");
  const std::string_view element = fragment ? "div" : "main";
  if (!fragment) {
    AppendHead(content.title, &page);
    page.append(style).append("<body class=\"headrace-page\">\n");
  }
  page.append("<").append(element).append(" class=\"headrace-stats\">\n");
  if (fragment) page.append(style);
  AppendBody(content, detail, fragment ? "h2" : "h1", &page);
  page.append("</").append(element).append(">\n");
  if (!fragment) page.append("</body>\n</html>\n");
  return page;
}

}  // namespace

bool IsOfFiles(const Remark& remark) {
  return remark.reason <= RemarkReason::kNoRecords;
}

PageContent CollectPage(const StatsSummary& stats, const PageOptions& options,
                        const StatsSummary* other) {
  PageContent content;
  content.title = Printable(options.title);
  content.sides.push_back({&stats, "", FindRemarks(stats)});
  if (other == nullptr) {
    if (content.title.empty()) content.title = TitleOf(stats, "Statistics");
    content.rows = RowsOf(stats);
    return content;
  }
  content.sides.push_back({other, "", FindRemarks(*other)});
  NameSides(options, &content.sides);
  if (content.title.empty()) {
    content.title = content.sides[0].name + " beside " + content.sides[1].name;
  }
  content.rows = RowsOf(stats, *other);
  return content;
}

}  // namespace report

std::string StatsPage(const StatsSummary& stats, const PageOptions& options,
                      const StatsSummary* other) {
  const report::PageContent content =
      report::CollectPage(stats, options, other);
  std::string page;
  for (const report::PageDetail& detail : report::kPageDetails) {
    page = report::WritePage(content, detail, options.fragment);
    if (page.size() <= report::LargestPage(content)) break;
  }
  return page;
}

}  // namespace headrace
