// The Python class _core.FeatureSpec has features as the library has them.
// Users know headrace.Spec, which is made of Python's features.

#ifndef HEADRACE_PYTHON_SRC_SPEC_H_
#define HEADRACE_PYTHON_SRC_SPEC_H_

#include <nanobind/nanobind.h>

#include "headrace/feature_spec.h"

namespace headrace::python {

namespace nb = nanobind;

// Throws BadSpecError where Python has no such feature.
nb::object ToPythonSpec(FeatureSpec spec);
// The feature is a tuple of its name, its layout and the arguments of the class
// that Python has for it.
nb::tuple ToTuple(const NamedFeature& feature);

void BindSpec(nb::module_& m);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_SPEC_H_
