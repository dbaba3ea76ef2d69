// Features are made of Python's values.

#ifndef HEADRACE_PYTHON_SRC_FEATURE_MAKER_H_
#define HEADRACE_PYTHON_SRC_FEATURE_MAKER_H_

#include <nanobind/nanobind.h>

#include "headrace/feature_kinds.h"
#include "headrace/message.h"

namespace headrace::python {

namespace nb = nanobind;

// Makes an Example, or a SequenceExample if `lists` is a dict. An empty list
// has no values to tell its kind by, so its feature has none, unless `kinds`
// are those of a plan: then values become of the kind that their key has there,
// and one that cannot is a TypeError or ValueError. `kinds` may be null.
Message MakeMessage(const nb::dict& features, const nb::object& lists,
                    const FeatureKinds* kinds);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_FEATURE_MAKER_H_
