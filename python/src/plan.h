// The Python class Plan is a compiled spec, and decodes records that Python
// holds.

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

namespace headrace::python {

namespace nb = nanobind;

// Any thread may use it.
class PyPlan {
 public:
  explicit PyPlan(Plan plan);
  explicit PyPlan(SharedLayout layout) : layout_(std::move(layout)) {}

  const Plan& plan() const { return layout_->plan; }
  const SharedLayout& layout() const { return layout_; }

  // Releases the GIL to decode. Throws if that fails.
  PyBatch Decode(std::span<const std::string_view> records) const;

 private:
  // One decoder is kept, with its memory; a thread that finds it in use has one
  // of its own for the call.
  struct Kept {
    std::mutex mutex;
    std::optional<Decoder> decoder;
  };

  SharedLayout layout_;
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

// A Python object holds serialized messages: a list or tuple of bytes, a numpy
// array of objects, or an Arrow array of binary values. A TypeError says which
// item is none.
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
