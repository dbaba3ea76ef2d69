// The Python class _core.Plan: a compiled spec that decodes records that are in
// memory.

#ifndef HEADRACE_PYTHON_SRC_PLAN_H_
#define HEADRACE_PYTHON_SRC_PLAN_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "python/src/batch.h"
#include "python/src/reader/input.h"
#include "python/src/reader/warnings.h"

namespace headrace::python {

namespace nb = nanobind;

// A plan with its decoding options. Any thread may use it.
class PyPlan {
 public:
  explicit PyPlan(Plan plan);
  explicit PyPlan(SharedLayout layout) : layout_(std::move(layout)) {}

  const Plan& plan() const { return layout_->plan; }
  const SharedLayout& layout() const { return layout_; }

  // Returns a plan that decodes with these options of hr.open: bytes_as,
  // verify_unselected, on_absent and limits. With "refuses_other", as for a
  // reader, it is an error if the first records hold another message.
  // "knows_other" says that the user was already warned of another message.
  PyPlan With(const nb::dict& options) const;

  // Decodes records; releases the GIL during the call. Throws errors. Warns of
  // absent and late features.
  PyBatch Decode(std::span<const std::string_view> records) const;
  // Returns the report of the records decoded so far. `untold` gets the absent
  // features for which there was no warning yet.
  ReadReport Report(std::vector<AbsentFeature>* untold) const;

 private:
  // One decoder is kept, with its memory; a thread that finds it in use makes
  // another decoder for the call.
  struct Kept {
    std::mutex mutex;
    std::optional<Decoder> decoder;
    Teller teller;
  };

  Result<Batch> DecodeKept(std::span<const std::string_view> records,
                           ReadReport* fresh) const;

  SharedLayout layout_;
  DecodeOptions options_;
  // The exceptions of options_.allocator; null without one.
  std::shared_ptr<PendingException> pending_;
  bool refuses_other_ = false;
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

// Serialized messages of a Python object: a list or tuple of bytes, a numpy
// array of objects, or an Arrow array of binary values. Throws a TypeError that
// names an item that is not bytes.
class SerializedRecords {
 public:
  explicit SerializedRecords(const nb::object& object);

  std::span<const std::string_view> records() const { return records_; }

 private:
  void TakeSequence(const nb::object& object);
  void TakeArrow(const nb::object& object);

  nb::object owner_;
  std::shared_ptr<void> arrow_;
  std::vector<std::string_view> records_;
};

void BindPlan(nb::module_& m);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_PLAN_H_
