// Batches and what they hold, as Python sees them. Every object keeps the
// storage of its batch alive; the storage goes back to the reader's pool when
// the last of them, and the last array or capsule made of them, is gone.

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

// What the batches of one plan share. Made and destroyed with the GIL held.
struct BatchLayout {
  BatchLayout(Plan plan, ArrowOptions arrow);

  Plan plan;
  ArrowOptions arrow;
  nb::list names;  // of columns or tensors, features before feature lists
  // Name to index among the columns or tensors of the plan.
  nb::dict features;
  nb::dict feature_lists;
  // Both: where two have one name, it is that of the feature.
  nb::dict fields;
};

using SharedLayout = std::shared_ptr<const BatchLayout>;

struct PyBatch {
  Batch batch;
  SharedLayout layout;
};

// One column or tensor of a batch.
struct PyField {
  Batch batch;
  SharedLayout layout;
  size_t index = 0;  // among the columns or tensors of the plan

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
// A dense tensor of the plan, or one of the arrays that others consist of.
struct PyTensor : PyField {
  static constexpr size_t kNoField = ~size_t{0};
  ArrayView view = {};
  // Offsets, splits, sizes: what later reads of the batch believe. Nobody gets
  // memory of it that can be written to.
  bool is_structure = false;
};

// The Python object for a column or tensor of the batch.
nb::object WrapField(const PyBatch& batch, size_t index);
nb::object WrapTensor(const PyField& field);
// An array that the field's batch keeps alive, of values or of structure.
nb::object WrapValues(const PyField& field, ArrayView view);
nb::object WrapStructure(const PyField& field, ArrayView view);

// The name of a field; None of a part of one.
nb::object NameOf(const PyField& field);
std::vector<size_t> SizesOf(std::span<const int64_t> shape);
// As Python names it: float32 is what a "float" of a record is.
std::string TypeText(DType dtype);

// What a class shows of itself: this many rows at most, as one short line.
inline constexpr size_t kRowsShown = 4;
std::string Shortened(const nb::object& rows);

// The Arrow type of the batches, a struct.
nb::object LayoutSchema(const BatchLayout& layout);

// The Arrow type of a field, and the pair of capsules of type and array. A part
// of a tensor, which is no field, is an AttributeError.
nb::object FieldSchema(const PyField& self);
nb::object FieldToArrow(const PyField& self);

// __arrow_c_schema__ and __arrow_c_array__ of a class of fields. The type asked
// for is not looked at: the protocol lets a producer have its own.
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

// Columns or tensors by their names; those of features or of feature lists.
nb::dict FieldsOf(const PyBatch& batch, bool in_sequence);

void BindBatch(nb::module_& m);
void BindColumn(nb::module_& m);
void BindTensor(nb::module_& m);
void BindSparseAndRagged(nb::module_& m);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_BATCH_H_
