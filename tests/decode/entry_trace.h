// Which ways the entries of records are taken.

#ifndef HEADRACE_TESTS_DECODE_ENTRY_TRACE_H_
#define HEADRACE_TESTS_DECODE_ENTRY_TRACE_H_

#include <string>
#include <vector>

#include "headrace/plan.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/entry_order.h"

namespace headrace::testing {

// Decodes the records as one block, which must succeed. Values of kind bytes
// are gone afterwards.
void DecodeInto(const Plan& plan, const std::vector<std::string>& records,
                decode::EntryOrder* order, column::ColumnSet* columns);
// Does so, and says how.
decode::EntryOrder::Trace TraceOf(const Plan& plan,
                                  const std::vector<std::string>& records);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_DECODE_ENTRY_TRACE_H_
