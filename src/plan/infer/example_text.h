// An example value is shown beside what was counted of its feature.

#ifndef HEADRACE_SRC_PLAN_INFER_EXAMPLE_TEXT_H_
#define HEADRACE_SRC_PLAN_INFER_EXAMPLE_TEXT_H_

#include <string>

#include "headrace/message.h"

namespace headrace::infer {

// Gives the first value of the feature, which has one, as one JSON value; bytes
// are shortened.
std::string ExampleText(const Feature& feature);

}  // namespace headrace::infer

#endif  // HEADRACE_SRC_PLAN_INFER_EXAMPLE_TEXT_H_
