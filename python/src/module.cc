// headrace._core has the public C++ API as Python classes. Users import
// headrace/*.py.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "headrace/build_info.h"
#include "headrace/paths.h"
#include "headrace/reader.h"
#include "headrace/visible_text.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/plan.h"
#include "python/src/saved.h"
#include "python/src/spec.h"

namespace headrace::python {

void BindDataset(nb::module_& m);
void BindOrder(nb::module_& m);
void BindIndex(nb::module_& m);
void BindParts(nb::module_& m);
void BindReader(nb::module_& m);
void BindSchema(nb::module_& m);
void BindStats(nb::module_& m);
void BindSteps(nb::module_& m);
void BindTfds(nb::module_& m);
void BindWriter(nb::module_& m);

namespace {

nb::dict BuildInfoDict() {
  const BuildInfo info = GetBuildInfo();
  nb::dict dict;
  dict["version"] = info.version;
  dict["compiler"] = info.compiler;
  dict["targets"] = info.targets;
  dict["target"] = info.target;
  dict["crc"] = info.crc;
  dict["inflate"] = info.inflate;
  return dict;
}

nb::list PathsOf(const std::vector<nb::bytes>& patterns) {
  std::vector<std::string> texts;
  for (const nb::bytes& pattern : patterns) {
    texts.emplace_back(pattern.c_str(), pattern.size());
  }
  nb::list paths;
  for (const std::string& path : Check(ExpandPaths(texts))) {
    paths.append(ToPath(path));
  }
  return paths;
}

}  // namespace
}  // namespace headrace::python

NB_MODULE(_core, m) {
  using namespace headrace::python;
  using headrace::kAutoBatchSize;
  // Other libraries may keep arrays longer than the interpreter lives.
  nb::set_leak_warnings(false);
  BindTensor(m);
  BindSparseAndRagged(m);
  BindColumn(m);
  BindBatch(m);
  BindSaved(m);
  BindSpec(m);
  BindPlan(m);
  BindDataset(m);
  BindOrder(m);
  BindIndex(m);
  BindReader(m);
  BindParts(m);
  BindSchema(m);
  BindStats(m);
  BindSteps(m);
  BindTfds(m);
  BindWriter(m);
  m.attr("AUTO_BATCH_SIZE") = kAutoBatchSize;
  m.def("build_info", &BuildInfoDict);
  m.def("expand_paths", &PathsOf);
  m.def("has_tfrecord_name", &headrace::HasTfrecordName);
  m.def("is_visible", &headrace::IsVisible, nb::arg("code_point"));
}
