// Tables are for people, in the form that Markdown takes.

#ifndef HEADRACE_BENCH_TABLE_H_
#define HEADRACE_BENCH_TABLE_H_

#include <string>
#include <vector>

namespace headrace::bench {

// Prints to standard output; the first row is the head. Rows have equal
// lengths.
void PrintMarkdown(const std::vector<std::vector<std::string>>& rows);

std::string Decimals(double value, int digits);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_TABLE_H_
