// Numbers as the tables and sentences of a page have them.

#ifndef HEADRACE_SRC_STATS_REPORT_FIGURES_H_
#define HEADRACE_SRC_STATS_REPORT_FIGURES_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::report {

std::string CountText(uint64_t count);  // "1,234,567"
std::string IntText(int64_t number);    // "-1,234"
std::string SizeText(uint64_t bytes);   // "4.12 MB", "128 B"
std::string NumberText(double number);  // "12,345", "0.001234", "1.2e-09"

// "99.7 %". Only all is "100 %", and only none is "0 %".
std::string ShareText(uint64_t part, uint64_t whole);

// "1 record", "2,000 records".
std::string Counted(uint64_t count, std::string_view noun);

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_REPORT_FIGURES_H_
