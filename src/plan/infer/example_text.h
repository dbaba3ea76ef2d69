// Writes the example value that is shown beside the counts of a feature.

#ifndef HEADRACE_SRC_PLAN_INFER_EXAMPLE_TEXT_H_
#define HEADRACE_SRC_PLAN_INFER_EXAMPLE_TEXT_H_

#include <string>

#include "headrace/message.h"

namespace headrace::infer {

// Returns the first value of a feature, which must have one, as text: a number,
// a string in quotes, or bytes in hexadecimal. Long values are shortened.
std::string ExampleText(const Feature& feature);

}  // namespace headrace::infer

#endif  // HEADRACE_SRC_PLAN_INFER_EXAMPLE_TEXT_H_
