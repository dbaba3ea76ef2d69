// Late features have no place in columns found from a sample; absent ones are
// in a plan and in no record.

#ifndef HEADRACE_SRC_CLI_LATE_H_
#define HEADRACE_SRC_CLI_LATE_H_

#include <string>
#include <vector>

#include "headrace/reader.h"
#include "src/cli/console.h"

namespace headrace::cli {

// Says on standard error which features were left out, of how many rows. Under
// --quiet this is one line: nobody asked for this loss.
void ListLate(const ReadReport& report, const Console& console);

// Names features of the plan that no record had, one line each, also under
// --quiet: a name may be misspelt.
void ListAbsent(const ReadReport& report, const Console& console);

std::string AbsentJson(const std::vector<AbsentFeature>& absent);

// The list has {"name","kind","rows"}.
std::string LateJson(const std::vector<LateFeature>& late);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_LATE_H_
