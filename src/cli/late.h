// Late features: what columns found from a sample have no place for.

#ifndef HEADRACE_SRC_CLI_LATE_H_
#define HEADRACE_SRC_CLI_LATE_H_

#include <string>
#include <vector>

#include "headrace/reader.h"
#include "src/cli/console.h"

namespace headrace::cli {

// Says on standard error which features were left out, and of how many rows.
// Under --quiet in one line: nobody asked for this loss.
void ListLate(const ReadReport& report, const Console& console);

// A list of {"name","kind","rows"}.
std::string LateJson(const std::vector<LateFeature>& late);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_LATE_H_
