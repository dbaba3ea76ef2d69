// Steps: batches whose rows are steps of episodes, or windows of steps.
//
// A record of RLDS is an episode: each feature of its steps is a ragged list,
// or a list of known length, and all these lists have the same length. Readers
// return batches of episodes. A StepPlan says which tensors of these batches
// become rows of steps:
//
//   auto steps = StepPlan::Make(reader.plan(), {.steps = {"steps/action"}});
//   if (!steps) return steps.status();
//   auto lengths = steps->Lengths(episodes);  // steps of each episode
//   auto batch = steps->Take({&episodes, 1}, {{{.row = 0, .step = 7}}});
//
// Any number of threads may use a StepPlan; copies share it.

#ifndef HEADRACE_STEPS_H_
#define HEADRACE_STEPS_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "headrace/batch.h"
#include "headrace/export.h"
#include "headrace/plan.h"
#include "headrace/status.h"

namespace headrace {

struct StepOptions {
  // The tensors whose rows are lists of steps: ragged ones, or dense ones of at
  // least two dimensions. At least one.
  std::vector<std::string> steps = {};
  // The tensors of an episode, dense or ragged, that are repeated for each of
  // its steps.
  std::vector<std::string> context = {};
  // The number of steps per row. 0: each row is one step, without a dimension
  // for steps.
  uint32_t window = 0;
};

// A step: its episode is row `row` of one of the batches.
struct StepRef {
  uint32_t batch = 0;
  uint32_t row = 0;
  uint32_t step = 0;

  bool operator==(const StepRef&) const = default;
};

class HEADRACE_EXPORT StepPlan {
 public:
  // kInvalidArgument for a name that is not a tensor of the plan, or for a
  // tensor that cannot be cut into steps: a sparse or padded one, or a feature
  // list.
  static Result<StepPlan> Make(const Plan& episodes,
                               const StepOptions& options);

  // The plan of the batches that Take makes: the tensors of `steps` in the
  // order given, then those of `context`. A list of items, [rows, steps] + item
  // in the plan of episodes, becomes one item per row, [rows] + item, or with a
  // window [rows, window] + item. Ragged dimensions inside items stay ragged.
  const Plan& plan() const HEADRACE_LIFETIME_BOUND;

  // Returns the number of steps of each episode of a batch, which must have the
  // plan given to Make. kWrongCount, with the record and two features, if two
  // features of an episode have different numbers of steps; with
  // FeatureConfig::group the reader already refuses such an episode.
  Result<std::vector<uint64_t>> Lengths(const Batch& episodes) const;

  // Makes a row of each step, or of each `window` steps: `steps` then has rows
  // times window entries. The context and the origin of a row are those of its
  // first step. kInvalidArgument for a batch, row or step that does not exist,
  // a number of steps that is not a multiple of the window, and tensors beyond
  // 2^31 values. Values of kind bytes are not copied, and neither are numbers
  // if all steps follow one another in one batch: the new batch keeps the
  // batches of episodes alive.
  Result<Batch> Take(std::span<const Batch> episodes,
                     std::span<const StepRef> steps) const;

 private:
  class Impl;
  explicit StepPlan(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_STEPS_H_
