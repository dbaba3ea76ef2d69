// The data that the script of a page draws, as compact JSON.

#ifndef HEADRACE_SRC_STATS_PAGE_PAGE_DATA_H_
#define HEADRACE_SRC_STATS_PAGE_PAGE_DATA_H_

#include <string>

#include "src/stats/page/page_rows.h"

namespace headrace::report {

// Appends one JSON object without any "<". The head of page_data.cc describes
// its members.
void AppendPageData(const PageContent& content, const PageDetail& detail,
                    std::string* out);

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_PAGE_DATA_H_
