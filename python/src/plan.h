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
#include "python/src/reader/teller.h"

namespace headrace::python {

namespace nb = nanobind;

// Any thread may use it.
class PyPlan {
 public:
  explicit PyPlan(Plan plan);
  explicit PyPlan(SharedLayout layout) : layout_(std::move(layout)) {}

  const Plan& plan() const { return layout_->plan; }
  const SharedLayout& layout() const { return layout_; }

  // A plan that decodes with these options of hr.open: bytes_as,
  // verify_unselected, on_absent and limits. With "refuses_other" first records
  // of another message are an error, as they are of a reader; with
  // "knows_other" the user was told of them.
  PyPlan With(const nb::dict& options) const;

  // Releases the GIL to decode. Throws if that fails. Warns of what the records
  // lack or hold besides.
  PyBatch Decode(std::span<const std::string_view> records) const;
  // What the records decoded so far showed.
  // `untold` gets the absent features of which there was no warning.
  ReadReport Report(std::vector<AbsentFeature>* untold) const;

 private:
  // One decoder is kept, with its memory; a thread that finds it in use has one
  // of its own for the call.
  struct Kept {
    std::mutex mutex;
    std::optional<Decoder> decoder;
    Teller teller;
  };

  Result<Batch> DecodeKept(std::span<const std::string_view> records,
                           ReadReport* fresh) const;

  SharedLayout layout_;
  DecodeOptions options_;
  bool refuses_other_ = false;
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
