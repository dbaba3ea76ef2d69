// Messages about a reading: late features, for which columns found from a
// sample have no place; absent features, which are in a plan but in no record;
// and other notices. Also single findings, and errors as JSON.

#ifndef HEADRACE_SRC_CLI_PROCESS_READING_REPORT_H_
#define HEADRACE_SRC_CLI_PROCESS_READING_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/notice.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/process/console.h"

namespace headrace::cli {

// Lists on standard error which features were left out, and of how many rows.
// Under --quiet this is one line: the user did not ask for this loss.
void ListLate(const ReadReport& report, const Console& console);

// Writes the notices to standard error, one line each, even under --quiet:
// another message, feature lists that were left out, features of the plan that
// no record had.
void ListNotices(const ReadReport& report, const Console& console);
void Tell(const Notice& notice, const Console& console);

std::string AbsentJson(const std::vector<AbsentFeature>& absent);

// Returns a list of {"kind","text"}.
std::string NoticesJson(const ReadReport& report);

// Returns a list of {"name","kind","rows"}.
std::string LateJson(const std::vector<LateFeature>& late);

// Return a finding of `headrace validate` as one line, without a line feed.
// `end` is the end of a damaged region that begins at the offset of `finding`;
// kUnknown for other findings. `count` is the number of records of a file that
// had the same finding; kUnknown for a single record.
std::string FindingJson(const ErrorInfo& finding, uint64_t end,
                        uint64_t count = kUnknown);
std::string FindingText(const ErrorInfo& finding, uint64_t end);

// Returns an object with the class, the place and the message, for JSON that
// already names the file.
std::string ErrorJson(const ErrorInfo& error);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PROCESS_READING_REPORT_H_
