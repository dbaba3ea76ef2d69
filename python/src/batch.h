// The Python objects of a batch: the batch, its columns and its tensors. They
// keep the batch's storage alive. The storage goes back to the reader's pool
// when the last of these objects, and of the arrays and capsules made from
// them, is gone. All of these objects can be pickled.

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

// The data that all batches of a plan share. The GIL must be held when it is
// made and destroyed.
struct BatchLayout {
  BatchLayout(Plan plan, ArrowOptions arrow);

  Plan plan;
  ArrowOptions arrow;
  nb::list names;  // columns or tensors; features precede feature lists
  // Names map to indices among the columns or tensors of the plan.
  nb::dict features;
  nb::dict feature_lists;
  // Features and feature lists; the feature if both have the same name.
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
struct PyJagged : PyField {
  const Tensor& tensor() const { return batch.tensors()[index]; }
};
// A dense tensor of the plan, or one of the arrays of another tensor.
struct PyTensor : PyField {
  static constexpr size_t kNoField = ~size_t{0};
  ArrayView view = {};
  // Offsets, splits or sizes. Later reads of the batch trust them, so their
  // memory is never exposed as writable.
  bool is_structure = false;
};

nb::object WrapField(const PyBatch& batch, size_t index);
nb::object WrapTensor(const PyField& field);
// Return a Tensor of values, or of structure (see PyTensor::is_structure). The
// field's batch keeps the array alive.
nb::object WrapValues(const PyField& field, ArrayView view);
nb::object WrapStructure(const PyField& field, ArrayView view);

// Returns the name of a field, or None for a part of a field.
nb::object NameOf(const PyField& field);
std::vector<size_t> SizesOf(std::span<const int64_t> shape);
// Returns the name of the type in Python: float32 for "float" of a record.
std::string TypeText(DType dtype);

// Maximum number of rows that a repr shows, in one short line.
inline constexpr size_t kRowsShown = 4;
std::string Shortened(const nb::object& rows);

// Returns a capsule of the Arrow type of the batches, a struct.
nb::object LayoutSchema(const BatchLayout& layout);
// Warns of bfloat16 tensors, whose bits become uint16 in Arrow. Called before
// tensors become Arrow.
void WarnOfBits(std::span<const TensorField> fields);

// Return a capsule of the Arrow type of a field, and capsules of type and
// array. A part of a tensor is not a field and raises an AttributeError.
nb::object FieldSchema(const PyField& self);
nb::object FieldToArrow(const PyField& self);

// Return the result of __reduce__ for a batch, a field, or a part of a field.
nb::object Reduce(const PyBatch& batch);
nb::object Reduce(const PyField& field);
nb::object Reduce(const PyTensor& tensor);

// Adds _repr_html_, which calls a function of headrace/notebook.py. The class
// also needs `_head(rows, most)`: the first rows, with at most `most` items in
// each list.
template <class Class>
void AddNotebook(Class* type, const char* function) {
  using Self = typename Class::Type;
  type->def("_repr_html_", [function](nb::handle_t<Self> self) {
    return nb::module_::import_("headrace.notebook").attr(function)(self);
  });
}

// Adds pickling and shallow copies. The classes are immutable, so a shallow
// copy is the object itself.
template <class Class>
void AddPickling(Class* type) {
  using Self = typename Class::Type;
  type->def("__reduce__", [](const Self& self) { return Reduce(self); })
      .def("__copy__",
           [](nb::handle_t<Self> self) { return nb::borrow(self); });
}

// Adds the members that all classes of fields have: a name, Arrow, pickling and
// a table for notebooks. The type that a consumer of Arrow requests is ignored:
// the protocol lets a producer use its own.
template <class Class>
void AddField(Class* type, const char* name_doc = "Name of the feature.") {
  using Field = typename Class::Type;
  type->def_prop_ro(
          "name", [](const Field& self) { return NameOf(self); }, name_doc)
      .def("__arrow_c_schema__",
           [](const Field& self) { return FieldSchema(self); })
      .def(
          "__arrow_c_array__",
          [](const Field& self, const nb::object& /*requested_schema*/) {
            return FieldToArrow(self);
          },
          nb::arg("requested_schema") = nb::none());
  AddNotebook(type, "field_html");
  AddPickling(type);
}

// Returns the columns or tensors by name; `numbers` is a dict of the batch's
// layout.
nb::dict FieldsOf(const PyBatch& batch, const nb::dict& numbers);

void BindBatch(nb::module_& m);
void BindColumn(nb::module_& m);
void BindTensors(nb::module_& m);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_BATCH_H_
