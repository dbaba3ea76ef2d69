#include "src/stats/page/page_rows.h"

#include <map>
#include <utility>

#include "src/base/text/numbers.h"
#include "src/stats/report/display_text.h"

namespace headrace::report {
namespace {

using FeatureKey = std::pair<bool, std::string_view>;
using FeatureTable = std::map<FeatureKey, const FeatureSummary*>;

FeatureTable TableOf(const StatsSummary& stats) {
  FeatureTable table;
  for (const FeatureSummary& feature : stats.features) {
    table[{feature.in_sequence, feature.name}] = &feature;
  }
  return table;
}

const FeatureSummary* FeatureOf(const FeatureTable& table,
                                const FeatureKey& key) {
  const auto found = table.find(key);
  return found == table.end() ? nullptr : found->second;
}

std::string_view WithoutFolder(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// Returns the names of the files, if they are known.
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
    rows.push_back({feature.name, feature.in_sequence, {&feature, nullptr}});
  }
  return rows;
}

std::vector<PageRow> RowsOf(const StatsSummary& first,
                            const StatsSummary& second) {
  const FeatureTable in_first = TableOf(first);
  const FeatureTable in_second = TableOf(second);
  std::vector<PageRow> rows;
  for (const FeatureDifference& difference : CompareStats(first, second)) {
    const FeatureKey key = {difference.in_sequence, difference.name};
    PageRow row;
    row.in_sequence = difference.in_sequence;
    row.features = {FeatureOf(in_first, key), FeatureOf(in_second, key)};
    row.name = row.any().name;
    row.distance = difference.distance();
    rows.push_back(row);
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

}  // namespace headrace::report
