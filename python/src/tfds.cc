// headrace._core.TfdsFolder: the metadata of a TFDS folder; and StepPlan, which
// makes rows of the steps of episodes.

#include "headrace/tfds.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "headrace/steps.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/spec.h"

namespace headrace::python {
namespace {

struct PyTfdsFolder {
  tfds::Info info;
  tfds::FolderOptions options;
};

nb::list SelectSlices(const PyTfdsFolder& self, const std::string& split) {
  return ToList(Check(tfds::Select(self.info, split, self.options)),
                [](const tfds::Slice& slice) {
                  return nb::make_tuple(ToPath(slice.path), slice.skip,
                                        slice.take, slice.records);
                });
}

// Three numbers per step: batch, row, and number of the step.
using Places = nb::ndarray<const uint32_t, nb::shape<-1, 3>, nb::c_contig,
                           nb::device::cpu>;

struct PyStepPlan {
  StepPlan steps;
  SharedLayout layout;
};

PyStepPlan MakeSteps(const PyBatch& like, std::vector<std::string> steps,
                     std::vector<std::string> context, uint32_t window) {
  StepPlan plan =
      Check(StepPlan::Make(like.layout->plan, {.steps = std::move(steps),
                                               .context = std::move(context),
                                               .window = window}));
  auto layout = std::make_shared<BatchLayout>(plan.plan(), like.layout->arrow);
  return {std::move(plan), std::move(layout)};
}

nb::object StepsOfEpisodes(const PyStepPlan& self, const PyBatch& episodes) {
  auto lengths = std::make_unique<std::vector<uint64_t>>(
      Check(self.steps.Lengths(episodes.batch)));
  const ArrayView view{lengths->data(), DType::kUint64, {lengths->size()}};
  const nb::capsule owner(lengths.release(), [](void* held) noexcept {
    delete static_cast<std::vector<uint64_t>*>(held);
  });
  return ToNumpy(view, owner);
}

PyBatch TakeSteps(const PyStepPlan& self, const std::vector<PyBatch>& episodes,
                  const Places& places) {
  std::vector<Batch> batches;
  for (const PyBatch& batch : episodes) batches.push_back(batch.batch);
  auto taken = WithoutGil([&] {
    std::vector<StepRef> steps;
    steps.reserve(places.shape(0));
    const uint32_t* const numbers = places.data();
    for (size_t i = 0; i < 3 * places.shape(0); i += 3) {
      steps.push_back(
          {.batch = numbers[i], .row = numbers[i + 1], .step = numbers[i + 2]});
    }
    return self.steps.Take(batches, steps);
  });
  return {Check(std::move(taken)), self.layout};
}

}  // namespace

void BindTfds(nb::module_& m) {
  nb::class_<PyStepPlan>(m, "StepPlan", nb::is_final())
      .def_static("make", &MakeSteps, nb::arg("like"), nb::arg("steps"),
                  nb::arg("context"), nb::arg("window"))
      .def("lengths", &StepsOfEpisodes, nb::arg("episodes"))
      .def("take", &TakeSteps, nb::arg("episodes"), nb::arg("places"));
  nb::class_<PyTfdsFolder>(m, "TfdsFolder", nb::is_final())
      .def(
          "__init__",
          [](PyTfdsFolder* self, const nb::bytes& path, bool outside_files) {
            const tfds::FolderOptions options{.outside_files = outside_files};
            new (self) PyTfdsFolder{
                Check(tfds::OpenFolder(std::string(ViewOf(path)), options)),
                options};
          },
          nb::arg("path"), nb::arg("outside_files"))
      .def_prop_ro(
          "folder",
          [](const PyTfdsFolder& self) { return ToPath(self.info.folder); })
      .def("to_json",
           [](const PyTfdsFolder& self) {
             return ToText(tfds::ToJson(self.info));
           })
      .def("tree",
           [](const PyTfdsFolder& self) {
             return ToText(tfds::ToTree(self.info.features));
           })
      .def("select", &SelectSlices, nb::arg("split"))
      .def(
          "choose",
          [](const PyTfdsFolder& self,
             const std::vector<std::string>& patterns) {
            tfds::Columns columns = Check(tfds::Choose(self.info, patterns));
            const nb::object leaves = ToText(tfds::ToJson(columns));
            return nb::make_tuple(ToPythonSpec(std::move(columns.spec)),
                                  leaves);
          },
          nb::arg("patterns"));
}

}  // namespace headrace::python
