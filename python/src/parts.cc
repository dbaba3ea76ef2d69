// headrace._core.cut_files: cuts files into parts for headrace.split.

#include "src/read/reader/parts.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/reader/input.h"
#include "python/src/reader/options.h"

namespace headrace::python {
namespace {

nb::list CutFilesIn(const std::vector<nb::bytes>& names, uint64_t count,
                    const nb::dict& given, const nb::object& opener) {
  const auto pending = std::make_shared<PendingException>();
  CutOptions options = OptionsFrom<CutOptions>(given);
  if (!opener.is_none()) options.open_input = OpenByPython(opener, pending);
  std::vector<std::string> paths;
  for (const nb::bytes& name : names) {
    paths.emplace_back(name.c_str(), name.size());
  }
  Status status;
  std::vector<FilePart> parts;
  {
    nb::gil_scoped_release release;
    auto cut = CutFiles(paths, count, options);
    status = cut.status();
    if (cut.ok()) parts = *std::move(cut);
  }
  pending->Check(status);
  nb::list ranges;
  for (const FilePart& part : parts) {
    const bool is_open = part.range.end == ~uint64_t{0};
    ranges.append(nb::make_tuple(
        ToPath(part.file), part.range.begin,
        is_open ? nb::none() : nb::object(nb::int_(part.range.end))));
  }
  return ranges;
}

}  // namespace

void BindParts(nb::module_& m) {
  m.def("cut_files", &CutFilesIn, nb::arg("paths"), nb::arg("count"),
        nb::arg("options"), nb::arg("opener").none());
}

}  // namespace headrace::python
