// headrace._core.Dataset: records by number, for any number of threads.

#include "headrace/dataset.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/plan.h"
#include "python/src/reader/input.h"
#include "python/src/reader/options.h"
#include "python/src/reader/teller.h"
#include "python/src/reader/warnings.h"
#include "python/src/row_maker.h"

namespace headrace::python {
namespace {

using Numbers =
    nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Idle copies of a dataset. Each call uses its own copy, with its own open
// files. The GIL guards the list, or, without a GIL, the lock of the Python
// object.
struct Copies {
  const pid_t process = getpid();
  std::vector<std::unique_ptr<Dataset>> free = {};
};

class PyDataset {
 public:
  PyDataset(Dataset dataset, ArrowOptions arrow,
            std::shared_ptr<PendingException> pending)
      : dataset_(std::move(dataset)),
        layout_(
            std::make_shared<BatchLayout>(dataset_.plan(), std::move(arrow))),
        rows_(layout_),
        pending_(std::move(pending)) {}
  PyDataset(PyDataset&&) = default;
  ~PyDataset() {
    // Files that Python opened may be unusable after a fork, and cannot even be
    // closed: the copies are leaked.
    if (copies_ && copies_->process != getpid()) {
      static_cast<void>(new std::shared_ptr<Copies>(std::move(copies_)));
    }
  }

  const Dataset& dataset() const { return dataset_; }
  const SharedLayout& layout() const { return layout_; }
  const RowMaker& rows() const { return rows_; }

  // Reads rows; releases the GIL meanwhile. Throws errors.
  Batch Take(std::span<const uint64_t> rows, const TakeOptions& options) {
    const std::shared_ptr<Copies> copies = CopiesHere();
    std::unique_ptr<Dataset> copy;
    if (copies->free.empty()) {
      copy = std::make_unique<Dataset>(dataset_);
    } else {
      copy = std::move(copies->free.back());
      copies->free.pop_back();
    }
    std::optional<Result<Batch>> batch;
    {
      const nb::gil_scoped_release release;
      batch = copy->Take(rows, options);
    }
    copies->free.push_back(std::move(copy));
    pending_->Check(batch->status());
    Tell();
    return **std::move(batch);
  }

  std::vector<LateFeature> late() const { return Check(dataset_.Late()); }
  ReadReport report() const { return Check(dataset_.Report()); }
  // Returns the absent features for which there was no warning yet.
  std::vector<AbsentFeature> untold() const { return teller_.Untold(report()); }
  PyDataset With(const Plan& plan) const {
    ArrowOptions arrow = layout_->arrow;
    return PyDataset(Check(dataset_.With(plan)), std::move(arrow), pending_);
  }

 private:
  // Warns of new late or absent features. A report is a copy, so it is made
  // only for new late features, or after 1, 2, 4, 8 and so on calls.
  void Tell() {
    const bool has_late = !knows_late_ && dataset_.num_late() > 0;
    const bool has_lists = !knows_lists_ && dataset_.num_lists_left_out() > 0;
    knows_late_ |= has_late;
    knows_lists_ |= has_lists;
    ++num_takes_;
    if (!has_late && !has_lists && !std::has_single_bit(num_takes_)) return;
    const ReadReport report = Check(dataset_.Report());
    if (!teller_.HasTold(report)) WarnOf(teller_.Take(report));
  }

  // Returns the copies of this process: a forked child cannot use the files of
  // its parent, but has its table of records.
  const std::shared_ptr<Copies>& CopiesHere() {
    if (copies_->process != getpid()) {
      static_cast<void>(new std::shared_ptr<Copies>(std::move(copies_)));
      copies_ = std::make_shared<Copies>();
    }
    return copies_;
  }

  Dataset dataset_;  // never read from, so it has no open file
  SharedLayout layout_;
  RowMaker rows_;
  std::shared_ptr<PendingException> pending_;
  std::shared_ptr<Copies> copies_ = std::make_shared<Copies>();
  uint64_t num_takes_ = 0;
  bool knows_late_ = false;
  bool knows_lists_ = false;
  Teller teller_;
};

PyDataset OpenDataset(const std::vector<nb::bytes>& paths, const PyPlan* plan,
                      const nb::dict& options, const nb::object& opener,
                      const nb::object& progress) {
  const auto pending = std::make_shared<PendingException>();
  DatasetOptions dataset_options = OptionsFrom<DatasetOptions>(options);
  std::vector<std::string> names;
  for (const nb::bytes& path : paths) {
    names.emplace_back(path.c_str(), path.size());
  }
  if (!opener.is_none()) {
    dataset_options.open_input = OpenByPython(opener, pending);
  }
  // Called only while this function runs: Take walks no headers.
  dataset_options.progress = [pending, call = progress.ptr()](uint64_t done,
                                                              uint64_t size) {
    const nb::gil_scoped_acquire gil;
    try {
      return nb::cast<bool>(nb::handle(call)(done, size));
    } catch (nb::python_error& error) {
      pending->KeepUrgent(std::move(error));
      return true;
    }
  };
  std::optional<Result<Dataset>> dataset;
  {
    const nb::gil_scoped_release release;
    dataset = plan ? Dataset::Open(names, plan->plan(), dataset_options)
                   : Dataset::Open(names, dataset_options);
  }
  pending->Check(dataset->status());
  Dataset opened = **std::move(dataset);
  ArrowOptions arrow = OptionsFrom<ArrowOptions>(options);
  arrow.files = opened.files();
  return PyDataset(std::move(opened), std::move(arrow), pending);
}

std::span<const uint64_t> SpanOf(const Numbers& numbers) {
  return {numbers.data(), numbers.size()};
}

PyBatch TakeRows(PyDataset& self, const Numbers& rows, uint64_t block,
                 uint64_t kept, const std::optional<Numbers>& lanes) {
  const TakeOptions options = {
      .block = block,
      .kept = kept,
      .lanes = lanes ? SpanOf(*lanes) : std::span<const uint64_t>()};
  return {self.Take(SpanOf(rows), options), self.layout()};
}

nb::list DictsOf(PyDataset& self, const Numbers& rows) {
  const Batch batch = self.Take(SpanOf(rows), {});
  nb::list dicts;
  for (size_t row = 0; row < batch.num_rows(); ++row) {
    dicts.append(self.rows().Make(batch, row));
  }
  return dicts;
}

// Returns a row number; a negative `key` counts from the end.
uint64_t RowFrom(const PyDataset& self, nb::handle key) {
  const uint64_t size = self.dataset().size();
  int overflow = 0;
  const nb::object number = nb::steal(PyNumber_Index(key.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  long long row = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (row == -1 && PyErr_Occurred()) throw nb::python_error();
  // A dataset has fewer than 2^63 rows, since each takes 16 bytes.
  if (overflow == 0 && row < 0) row += static_cast<long long>(size);
  if (overflow != 0 || row < 0 || static_cast<uint64_t>(row) >= size) {
    Raise(nb::module_::import_("headrace.arguments")
              .attr("no_such_row")(number, size));
  }
  return static_cast<uint64_t>(row);
}

nb::object RowDict(PyDataset& self, nb::handle key) {
  const uint64_t row = RowFrom(self, key);
  return self.rows().Make(self.Take({&row, 1}, {}), 0);
}

// Returns (number of the file, number of the record in it, offset).
nb::tuple OriginOf(const PyDataset& self, nb::handle key) {
  const RowOrigin origin = Check(self.dataset().Origin(RowFrom(self, key)));
  return nb::make_tuple(origin.file, origin.record, origin.offset);
}

nb::list FilesOf(const PyDataset& self) {
  nb::list files;
  for (const std::string& file : self.dataset().files()) {
    files.append(ToPath(file));
  }
  return files;
}

}  // namespace

void BindDataset(nb::module_& m) {
  nb::class_<PyDataset>(m, "Dataset")
      .def(
          "__init__",
          [](PyDataset* self, const std::vector<nb::bytes>& paths,
             const PyPlan* plan, const nb::dict& options,
             const nb::object& opener, const nb::object& progress) {
            new (self)
                PyDataset(OpenDataset(paths, plan, options, opener, progress));
          },
          nb::arg("paths"), nb::arg("plan").none(), nb::arg("options"),
          nb::arg("opener").none(), nb::arg("progress"))
      .def(
          "with_plan",
          [](const PyDataset& self, const PyPlan& plan) {
            return self.With(plan.plan());
          },
          nb::arg("plan"))
      .def("take", &TakeRows, nb::arg("rows"), nb::arg("block") = 0,
           nb::arg("kept") = 1, nb::arg("lanes") = nb::none(), nb::lock_self())
      .def("dicts", &DictsOf, nb::arg("rows"), nb::lock_self())
      .def("row", &RowDict, nb::arg("row"), nb::lock_self())
      .def("origin", &OriginOf, nb::arg("row"))
      .def_prop_ro("files", &FilesOf)
      .def_prop_ro("plan",
                   [](const PyDataset& self) { return PyPlan(self.layout()); })
      .def_prop_ro(
          "late",
          [](const PyDataset& self) { return LateFeatures(self.late()); })
      .def_prop_ro("absent",
                   [](const PyDataset& self) {
                     return AbsentFeatures(self.report().absent);
                   })
      .def_prop_ro(
          "untold",
          [](const PyDataset& self) { return AbsentFeatures(self.untold()); })
      .def_prop_ro("num_lists_left_out",
                   [](const PyDataset& self) {
                     return self.report().num_lists_left_out;
                   })
      .def_prop_ro(
          "num_late",
          [](const PyDataset& self) { return self.dataset().num_late(); })
      .def_prop_ro(
          "fingerprint",
          [](const PyDataset& self) { return self.dataset().fingerprint(); })
      .def("__len__", [](const PyDataset& self) {
        return static_cast<size_t>(self.dataset().size());
      });
}

}  // namespace headrace::python
