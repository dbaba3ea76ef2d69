// Formats numbers for people, in messages, tables and pages.

#ifndef HEADRACE_SRC_BASE_TEXT_NUMBERS_H_
#define HEADRACE_SRC_BASE_TEXT_NUMBERS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace headrace {

std::string Grouped(uint64_t number);   // "1,234,567"
std::string IntText(int64_t number);    // "-1,234"
std::string NumberText(double number);  // "12,345", "1.639e+10", "0.001234"
std::string ByteSize(uint64_t bytes);   // "912 B", "1.5 KiB", "3.2 GiB"

// "1 record", "2,000 records".
std::string Counted(uint64_t count, std::string_view noun);

// Rounds to that number of digits after the point: "0.50".
std::string Decimal(double number, int digits);

// "89.5%". Only the whole is "100%", and only nothing is "0%": shares close to
// these are ">99.9%" and "<0.1%".
std::string ShareText(double share);
std::string ShareText(uint64_t part, uint64_t whole);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_NUMBERS_H_
