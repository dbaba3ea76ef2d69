// libprotobuf judges the two forms of a DatasetFeatureStatisticsList.

#ifndef HEADRACE_TESTS_NAIVE_STATISTICS_ORACLE_H_
#define HEADRACE_TESTS_NAIVE_STATISTICS_ORACLE_H_

#include <string>

namespace headrace::testing {

// Says what is wrong: libprotobuf does not read a form, it does not know a
// field, the two differ, or it would write other bytes. Empty if all is well.
std::string StatisticsDifference(const std::string& bytes,
                                 const std::string& text);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_STATISTICS_ORACLE_H_
