// headrace._core.build_index: writes the index of a file.

#include "headrace/index.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>

#include "python/src/error.h"
#include "python/src/reader/input.h"

namespace headrace::python {
namespace {

// The GIL must not be held.
Status BuildAndSave(const std::string& path, const std::string& index_path,
                    const IndexOptions& options) {
  Result<Index> index = Index::Build(path, options);
  return index.ok() ? index->Save(index_path, {.stays_in_folder = true})
                    : index.status();
}

// `progress` gets the bytes done and in all, and returns whether to stop.
void BuildIndex(const nb::bytes& path, const nb::bytes& index_path, bool verify,
                uint64_t checkpoint_bytes, size_t threads,
                const nb::object& opener, const nb::object& progress) {
  const auto pending = std::make_shared<PendingException>();
  IndexOptions options{.verify = verify,
                       .checkpoint_bytes = checkpoint_bytes,
                       .threads = threads};
  if (!opener.is_none()) options.open_input = OpenByPython(opener, pending);
  options.progress = [&pending, &progress](uint64_t done, uint64_t size) {
    const nb::gil_scoped_acquire gil;
    try {
      return nb::cast<bool>(progress(done, size));
    } catch (nb::python_error& error) {
      pending->KeepUrgent(std::move(error));
      return true;
    }
  };
  Status status;
  {
    const nb::gil_scoped_release release;
    status = BuildAndSave({path.c_str(), path.size()},
                          {index_path.c_str(), index_path.size()}, options);
  }
  pending->Check(status);
}

}  // namespace

void BindIndex(nb::module_& m) {
  m.def("build_index", &BuildIndex, nb::arg("path"), nb::arg("index_path"),
        nb::arg("verify"), nb::arg("checkpoint_bytes"), nb::arg("threads"),
        nb::arg("opener").none(), nb::arg("progress"));
}

}  // namespace headrace::python
