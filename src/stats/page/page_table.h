// The parts of a page that can be read without script.

#ifndef HEADRACE_SRC_STATS_PAGE_PAGE_TABLE_H_
#define HEADRACE_SRC_STATS_PAGE_PAGE_TABLE_H_

#include <string>

#include "src/stats/page/page_rows.h"

namespace headrace::report {

// Appends the facts of each dataset: records, files, bytes, damage.
void AppendFacts(const PageContent& content, std::string* out);

// Appends what deserves attention, by reason; each reason names a few features.
void AppendRemarks(const PageContent& content, std::string* out);

// Appends a row for each feature. The script sorts the rows, and makes them
// open.
void AppendFeatureTable(const PageContent& content, const PageDetail& detail,
                        std::string* out);

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_PAGE_TABLE_H_
