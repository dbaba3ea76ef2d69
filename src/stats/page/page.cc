// StatsPage writes statistics as an HTML page; docs/design/stats.md, "Page",
// describes its parts.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "headrace/stats_report.h"
#include "src/stats/page/page_assets.h"
#include "src/stats/page/page_data.h"
#include "src/stats/page/page_rows.h"
#include "src/stats/page/page_table.h"
#include "src/stats/report/display_text.h"

namespace headrace {
namespace {

using report::PageContent;
using report::PageDetail;

// Maximum bytes of a page of up to kFeatures features with short names. Each
// further feature may add its share.
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
      .append(report::PageStyleHash())
      .append("'; script-src 'sha256-")
      .append(report::PageScriptHash())
      .append("'\">\n");
}

void AppendHead(std::string_view title, std::string* out) {
  out->append(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
  AppendPolicy(out);
  out->append(
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>");
  report::AppendHtml(title, out);
  out->append("</title>\n");
}

void AppendBody(const PageContent& content, const PageDetail& detail,
                std::string_view heading, std::string* out) {
  const auto open = [&](std::string_view text) {
    out->append("<").append(heading).append(">");
    report::AppendHtml(text, out);
    out->append("</").append(heading).append(">\n");
  };
  out->append("<div class=\"head\">");
  open(content.title);
  report::AppendFacts(content, out);
  out->append("</div>\n<section class=\"remarks\"><h2>Deserves attention</h2>");
  report::AppendRemarks(content, out);
  out->append("</section>\n<section class=\"features\"><h2>Features</h2>\n");
  report::AppendFeatureTable(content, detail, out);
  out->append("</section>\n<script type=\"application/json\">");
  report::AppendPageData(content, detail, out);
  out->append("</script>\n<script>")
      .append(report::PageScript())
      .append("</script>\n");
}

std::string WritePage(const PageContent& content, const PageDetail& detail,
                      bool fragment) {
  std::string page;
  const std::string style =
      std::string("<style>").append(report::PageStyle()).append("</style>\n");
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

std::string StatsPage(const StatsSummary& stats, const PageOptions& options,
                      const StatsSummary* other) {
  const PageContent content = report::CollectPage(stats, options, other);
  std::string page;
  for (const PageDetail& detail : report::kPageDetails) {
    page = WritePage(content, detail, options.fragment);
    if (page.size() <= LargestPage(content)) break;
  }
  return page;
}

}  // namespace headrace
