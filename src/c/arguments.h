// What C gives and gets as bare pointers.

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

// Fails where `paths`, or one of the n paths, is null.
Result<std::vector<std::string>> PathsFrom(const char* const* paths, size_t n);

// Gives the text out as memory that headrace_text_free frees.
Status GiveText(std::string_view text, char** out);

// Gives a batch out, and its type unless `schema` is null. Both are empty after
// a failure.
Status GiveBatch(const Batch& batch, const Plan& plan,
                 const ArrowOptions& options, ArrowArray* array,
                 ArrowSchema* schema);

// Make a structure one that is released; nothing for null.
void Empty(ArrowArray* array);
void Empty(ArrowSchema* schema);

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_ARGUMENTS_H_
