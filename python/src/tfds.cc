// headrace._core.TfdsFolder: the metadata of a TFDS folder.

#include "headrace/tfds.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/spec.h"

namespace headrace::python {
namespace {

class PyTfdsFolder {
 public:
  PyTfdsFolder(tfds::Info info, const tfds::FolderOptions& options)
      : info_(std::move(info)), options_(options) {}

  const tfds::Info& info() const { return info_; }
  const tfds::FolderOptions& options() const { return options_; }

 private:
  tfds::Info info_;
  tfds::FolderOptions options_;
};

nb::list SelectSlices(const PyTfdsFolder& self, const std::string& split) {
  nb::list slices;
  for (const tfds::Slice& slice :
       Check(tfds::Select(self.info(), split, self.options()))) {
    slices.append(nb::make_tuple(ToPath(slice.path), slice.skip, slice.take,
                                 slice.records));
  }
  return slices;
}

}  // namespace

void BindTfds(nb::module_& m) {
  nb::class_<PyTfdsFolder>(m, "TfdsFolder", nb::is_final())
      .def(
          "__init__",
          [](PyTfdsFolder* self, const nb::bytes& path, bool outside_files) {
            const tfds::FolderOptions options{.outside_files = outside_files};
            new (self) PyTfdsFolder(
                Check(tfds::OpenFolder({path.c_str(), path.size()}, options)),
                options);
          },
          nb::arg("path"), nb::arg("outside_files"))
      .def_prop_ro(
          "folder",
          [](const PyTfdsFolder& self) { return ToPath(self.info().folder); })
      .def("to_json",
           [](const PyTfdsFolder& self) {
             return ToText(tfds::ToJson(self.info()));
           })
      .def("tree",
           [](const PyTfdsFolder& self) {
             return ToText(tfds::ToTree(self.info().features));
           })
      .def("select", &SelectSlices, nb::arg("split"))
      .def(
          "choose",
          [](const PyTfdsFolder& self,
             const std::vector<std::string>& patterns) {
            tfds::Columns columns = Check(tfds::Choose(self.info(), patterns));
            const nb::object leaves = ToText(tfds::ToJson(columns));
            return nb::make_tuple(ToPythonSpec(std::move(columns.spec)),
                                  leaves);
          },
          nb::arg("patterns"));
}

}  // namespace headrace::python
