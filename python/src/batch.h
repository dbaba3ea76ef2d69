// Python's objects of a batch keep its storage alive. It goes back to the
// reader's pool when the last of them, and the last array or capsule made of
// them, is gone.

#ifndef HEADRACE_PYTHON_SRC_BATCH_H_
#define HEADRACE_PYTHON_SRC_BATCH_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/batch.h"
#include "headrace/plan.h"
#include "python/src/ndarray.h"

namespace headrace::python {

namespace nb = nanobind;

// Batches of one plan share this. It is made and destroyed with the GIL held.
struct BatchLayout {
  BatchLayout(Plan plan, ArrowOptions arrow);

  Plan plan;
  ArrowOptions arrow;
  nb::list names;  // columns or tensors; features come before feature lists
  // Names map to indices among the columns or tensors of the plan.
  nb::dict features;
  nb::dict feature_lists;
  // This has both; of two with one name it is that of the feature.
  nb::dict fields;
};

using SharedLayout = std::shared_ptr<const BatchLayout>;

struct PyBatch {
  Batch batch;
  SharedLayout layout;
};

struct PyField {
  Batch batch;
  SharedLayout layout;
  size_t index = 0;  // of the column or tensor in its plan

  size_t num_rows() const { return batch.num_rows(); }
};

struct PyColumn : PyField {
  const Column& column() const { return batch.columns()[index]; }
};
struct PySparse : PyField {
  const Tensor& tensor() const { return batch.tensors()[index]; }
};
struct PyRagged : PyField {
  const Tensor& tensor() const { return batch.tensors()[index]; }
};
// It is a dense tensor of the plan, or one of the arrays of other tensors.
struct PyTensor : PyField {
  static constexpr size_t kNoField = ~size_t{0};
  ArrayView view = {};
  // Offsets, splits and sizes are believed by later reads of the batch, so
  // nobody gets memory of them that can be written to.
  bool is_structure = false;
};

nb::object WrapField(const PyBatch& batch, size_t index);
nb::object WrapTensor(const PyField& field);
// The field's batch keeps the array alive, which has values or structure.
nb::object WrapValues(const PyField& field, ArrayView view);
nb::object WrapStructure(const PyField& field, ArrayView view);

// A part of a field has None as its name.
nb::object NameOf(const PyField& field);
std::vector<size_t> SizesOf(std::span<const int64_t> shape);
// Python calls a "float" of a record float32.
std::string TypeText(DType dtype);

// A class shows at most so many rows of itself, in one short line.
inline constexpr size_t kRowsShown = 4;
std::string Shortened(const nb::object& rows);

// The Arrow type of the batches is a struct.
nb::object LayoutSchema(const BatchLayout& layout);
// Warns, before they become Arrow, of those that are bfloat16 here and numbers
// of 16 bits there.
void WarnOfBits(std::span<const TensorField> fields);

// A field gives its Arrow type, and capsules of type and array. A part of a
// tensor is no field and raises an AttributeError.
nb::object FieldSchema(const PyField& self);
nb::object FieldToArrow(const PyField& self);

// These are __arrow_c_schema__ and __arrow_c_array__ of a class of fields. The
// type asked for is ignored: the protocol lets a producer have its own.
template <class Class>
void AddArrow(Class* type) {
  using Field = typename Class::Type;
  type->def("__arrow_c_schema__",
            [](const Field& self) { return FieldSchema(self); });
  type->def(
      "__arrow_c_array__",
      [](const Field& self, const nb::object& /*requested_schema*/) {
        return FieldToArrow(self);
      },
      nb::arg("requested_schema") = nb::none());
}

// This is _repr_html_, by a function of headrace/notebook.py. A class also has
// `_head(rows, most)` for it: the first rows, whose lists have at most `most`
// items.
template <class Class>
void AddNotebook(Class* type, const char* function) {
  using Self = typename Class::Type;
  type->def("_repr_html_", [function](nb::handle_t<Self> self) {
    return nb::module_::import_("headrace.notebook").attr(function)(self);
  });
}

// Columns or tensors of features, or of feature lists, by name.
nb::dict FieldsOf(const PyBatch& batch, bool in_sequence);
// All that the Mapping has.
nb::dict AllFieldsOf(const PyBatch& batch);

void BindBatch(nb::module_& m);
void BindColumn(nb::module_& m);
void BindTensor(nb::module_& m);
void BindSparseAndRagged(nb::module_& m);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_BATCH_H_
