// The titles of remarks.

#ifndef HEADRACE_SRC_STATS_REPORT_REMARKS_H_
#define HEADRACE_SRC_STATS_REPORT_REMARKS_H_

#include <string_view>

#include "headrace/stats_report.h"

namespace headrace {

// Returns the title of all remarks of a reason, for people.
std::string_view RemarkTitle(RemarkReason reason);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_REMARKS_H_
