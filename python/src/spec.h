// The Python class _core.FeatureSpec holds the features of a spec as the
// library does. Users see headrace.Spec, which holds Python features.

#ifndef HEADRACE_PYTHON_SRC_SPEC_H_
#define HEADRACE_PYTHON_SRC_SPEC_H_

#include <nanobind/nanobind.h>

#include "headrace/feature_spec.h"

namespace headrace::python {

namespace nb = nanobind;

// Returns a headrace.Spec. Throws BadSpecError for a feature that no Python
// class can hold.
nb::object ToPythonSpec(FeatureSpec spec);
// Returns a feature as its name, its layout and the arguments of its Python
// class.
nb::tuple ToTuple(const NamedFeature& feature);

void BindSpec(nb::module_& m);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_SPEC_H_
