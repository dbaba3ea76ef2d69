// Makes features from Python values.

#ifndef HEADRACE_PYTHON_SRC_FEATURE_MAKER_H_
#define HEADRACE_PYTHON_SRC_FEATURE_MAKER_H_

#include <nanobind/nanobind.h>

#include "headrace/feature_kinds.h"
#include "headrace/message.h"

namespace headrace::python {

namespace nb = nanobind;

// Makes an Example, or a SequenceExample if `lists` is a dict. If `kinds` are
// those of a plan, values are converted to the kind of their key, and a value
// that cannot be converted raises TypeError or ValueError. Otherwise an empty
// list has no kind. `kinds` may be null.
Message MakeMessage(const nb::dict& features, const nb::object& lists,
                    const FeatureKinds* kinds);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_FEATURE_MAKER_H_
