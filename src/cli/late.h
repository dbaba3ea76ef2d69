// Features that columns and data do not share: late ones, for which columns
// found from a sample have no place, and those of a plan that no record has.

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

// Which features of the plan no record had, so that every row has what it gives
// for them: a name may be misspelt. One line each, under --quiet too.
void ListAbsent(const ReadReport& report, const Console& console);

// A list of names.
std::string AbsentJson(const std::vector<AbsentFeature>& absent);

// A list of {"name","kind","rows"}.
std::string LateJson(const std::vector<LateFeature>& late);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_LATE_H_
