// These convert between the bare pointers of the C interface and C++ values.

#ifndef HEADRACE_SRC_C_ARGUMENTS_H_
#define HEADRACE_SRC_C_ARGUMENTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/status.h"

namespace headrace::c {

// Copies n paths. Fails if `paths`, or one of the n paths, is null.
Result<std::vector<std::string>> PathsFrom(const char* const* paths, size_t n);

// Sets *out to a copy of the text that headrace_text_free frees.
Status GiveText(std::string_view text, char** out);

// Exports a batch, and its type unless `schema` is null. Both are empty after a
// failure.
Status GiveBatch(const Batch& batch, const Plan& plan,
                 const ArrowOptions& options, ArrowArray* array,
                 ArrowSchema* schema);

// Set a structure to the released state; do nothing for null.
void Empty(ArrowArray* array);
void Empty(ArrowSchema* schema);

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_ARGUMENTS_H_
