
#ifndef HEADRACE_FUZZ_DECODE_CHECK_H_
#define HEADRACE_FUZZ_DECODE_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/rows_input.h"
#include "headrace/plan.h"
#include "headrace/types.h"

namespace headrace::fuzzing {

// Compares with the naive decoder: every SIMD target, padded and not, strict
// and not, failing and skipping (then the batch must be the one without the bad
// rows); and what the batch exports must be valid Arrow. The input's choices
// make the plan, which is for `message`.
void CheckDecode(const RowsInput& input, MessageType message);

// Requires that what the batch of all good rows exports is valid Arrow.
void CheckArrow(const Plan& plan, const std::vector<std::string>& rows);

// The same for rows of this spec alone.
void CheckSpec(const FeatureSpec& spec, const std::vector<std::string>& rows);

// The columns are some of the keys of random messages, now and then of another
// kind or none.
std::vector<ColumnField> RandomColumns(MessageType message, uint64_t seed);

// Makes choices for a plan, and records for it.
std::string NewRows(MessageType message, Random* random);

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_DECODE_CHECK_H_
