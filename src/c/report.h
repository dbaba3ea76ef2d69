// Writes a ReadReport as the JSON of docs/abi.md.

#ifndef HEADRACE_SRC_C_REPORT_H_
#define HEADRACE_SRC_C_REPORT_H_

#include <string>

#include "headrace/reader.h"

namespace headrace::c {

std::string ReportJson(const ReadReport& report);

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_REPORT_H_
