// headrace._core.StepPlan: makes rows of the steps of episodes.

#include "headrace/steps.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/plan.h"

namespace headrace::python {
namespace {

// Three numbers per step: batch, row, and number of the step.
using Places = nb::ndarray<const uint32_t, nb::shape<-1, 3>, nb::c_contig,
                           nb::device::cpu>;

class PyStepPlan {
 public:
  PyStepPlan(StepPlan steps, ArrowOptions arrow)
      : steps_(std::move(steps)),
        layout_(
            std::make_shared<BatchLayout>(steps_.plan(), std::move(arrow))) {}

  const StepPlan& steps() const { return steps_; }
  const SharedLayout& layout() const { return layout_; }

 private:
  StepPlan steps_;
  SharedLayout layout_;
};

PyStepPlan MakeSteps(const PyBatch& like, std::vector<std::string> steps,
                     std::vector<std::string> context, uint32_t window) {
  return PyStepPlan(
      Check(StepPlan::Make(like.layout->plan, {.steps = std::move(steps),
                                               .context = std::move(context),
                                               .window = window})),
      like.layout->arrow);
}

nb::object StepsOfEpisodes(const PyStepPlan& self, const PyBatch& episodes) {
  auto lengths = std::make_unique<std::vector<uint64_t>>(
      Check(self.steps().Lengths(episodes.batch)));
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
  std::optional<Result<Batch>> batch;
  {
    const nb::gil_scoped_release release;
    std::vector<StepRef> steps;
    steps.reserve(places.shape(0));
    const uint32_t* const numbers = places.data();
    for (size_t i = 0; i < 3 * places.shape(0); i += 3) {
      steps.push_back(
          {.batch = numbers[i], .row = numbers[i + 1], .step = numbers[i + 2]});
    }
    batch = self.steps().Take(batches, steps);
  }
  return {Check(*std::move(batch)), self.layout()};
}

}  // namespace

void BindSteps(nb::module_& m) {
  nb::class_<PyStepPlan>(m, "StepPlan", nb::is_final())
      .def_static("make", &MakeSteps, nb::arg("like"), nb::arg("steps"),
                  nb::arg("context"), nb::arg("window"))
      .def("lengths", &StepsOfEpisodes, nb::arg("episodes"))
      .def("take", &TakeSteps, nb::arg("episodes"), nb::arg("places"));
}

}  // namespace headrace::python
