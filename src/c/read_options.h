// The options of those who read, apart from what they decode (plan_options.h).

#ifndef HEADRACE_SRC_C_READ_OPTIONS_H_
#define HEADRACE_SRC_C_READ_OPTIONS_H_

#include "headrace/arrow.h"
#include "headrace/dataset.h"
#include "headrace/limits.h"
#include "headrace/reader.h"
#include "src/c/options.h"

namespace headrace::c {

// What is wrong is for Options::Finish to tell.
void TakeReadOptions(Options* options, ReadOptions* out);
void TakeDatasetOptions(Options* options, DatasetOptions* out);
void TakeLimits(Options* options, Limits* out);
void TakeArrowOptions(Options* options, ArrowOptions* out);

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_READ_OPTIONS_H_
