// Parts of files, as headrace/scan.py cuts them.

#include "headrace/parts.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/error.h"
#include "python/src/reader/input.h"
#include "python/src/reader/options.h"

namespace headrace::python {
namespace {

nb::list CutFile(const nb::bytes& path, uint64_t count,
                 const std::string& compression, const nb::object& opener) {
  const auto pending = std::make_shared<PendingException>();
  CutOptions options{.compression = CompressionFrom(compression)};
  if (!opener.is_none()) options.open_input = OpenByPython(opener, pending);
  const std::vector<std::string> paths = {{path.c_str(), path.size()}};
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
        part.range.begin,
        is_open ? nb::none() : nb::object(nb::int_(part.range.end))));
  }
  return ranges;
}

}  // namespace

void BindParts(nb::module_& m) {
  m.def("cut_file", &CutFile, nb::arg("path"), nb::arg("count"),
        nb::arg("compression"), nb::arg("opener").none());
}

}  // namespace headrace::python
