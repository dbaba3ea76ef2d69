// The content of a page, which shows one dataset or compares two, and the parts
// in which the page is written.

#ifndef HEADRACE_SRC_STATS_PAGE_PAGE_PARTS_H_
#define HEADRACE_SRC_STATS_PAGE_PAGE_PARTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"

namespace headrace::report {

// A dataset of the page.
struct PageSide {
  const StatsSummary* stats = nullptr;
  std::string name = {};
  std::vector<Remark> remarks = {};
};

// Whether the remark is about the files rather than a feature. An empty name
// does not tell, since the name of a feature may be empty.
bool IsOfFiles(const Remark& remark);

struct PageRow {
  // The feature of each side; null if it lacks the feature.
  std::array<const FeatureSummary*, 2> features = {};
  double distance = 0;

  const FeatureSummary& any() const {
    return features[0] != nullptr ? *features[0] : *features[1];
  }
};

struct PageContent {
  std::string title = {};
  std::vector<PageSide> sides = {};
  std::vector<PageRow> rows = {};
};

// Returns the content of a page, which refers to the summaries. With `other`,
// the rows are in the order of CompareStats.
PageContent CollectPage(const StatsSummary& stats, const PageOptions& options,
                        const StatsSummary* other);

// Limits on what a page shows of each feature. Pages of many features show
// less.
struct PageDetail {
  size_t bins;
  size_t top;        // most frequent values
  size_t top_bytes;  // bytes of each of these
  size_t samples;
  size_t sample_bytes;  // bytes of each of these
  size_t pictures;      // bytes of all pictures
  bool shapes;          // histograms on a logarithmic scale, and of lengths
};

// From the most detail to the least: the first with which the page is small
// enough is used.
inline constexpr PageDetail kPageDetails[] = {
    {40, 20, 100, 8, 128, 200'000, true},
    {32, 10, 64, 4, 96, 100'000, true},
    {24, 10, 32, 2, 64, 50'000, true},
    {24, 5, 24, 1, 32, 0, true},
    {16, 3, 16, 0, 0, 0, false}};

// Whether the most frequent value is worth showing. If it occurs only once
// among several values, all values do.
bool HasFrequent(const BytesStats& bytes);

// Appends UTF-8 as HTML text, for elements and attributes.
void AppendHtml(std::string_view text, std::string* out);

// The following parts can be read without scripts.

// Appends the facts of each dataset: records, files, bytes, damage.
void AppendFacts(const PageContent& content, std::string* out);

// Appends what deserves attention, by reason; each reason names a few features.
void AppendRemarks(const PageContent& content, std::string* out);

// Appends a row for each feature. The script sorts the rows, and lets users
// open them.
void AppendFeatureTable(const PageContent& content, const PageDetail& detail,
                        std::string* out);

// Appends the data that the script draws: one JSON object without any "<". The
// head of page_data.cc describes its members.
void AppendPageData(const PageContent& content, const PageDetail& detail,
                    std::string* out);

// Appends UTF-8 as a JSON string that may be inside <script>: it has no "<".
void AppendScriptString(std::string_view text, std::string* out);

// The style and the script consist of the .css and .js files of src/stats/page.
// embed.py makes a source of them when headrace is built.

// The content of <style>, and its SHA-256 in base64 for the page's policy.
std::string_view PageStyle();
std::string_view PageStyleHash();

// The content of <script>, and its SHA-256.
std::string_view PageScript();
std::string_view PageScriptHash();

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_PAGE_PARTS_H_
