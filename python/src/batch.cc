#include "python/src/batch.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string_view>
#include <utility>

#include "python/src/arrow_capsule.h"
#include "python/src/error.h"
#include "python/src/reader_options.h"

namespace headrace::python {
namespace {

// ------------------------------------------------------------------ Columns

nb::object IntOffsets(const PyColumn& self, const int32_t* offsets,
                      size_t size) {
  if (offsets == nullptr) return nb::none();
  return WrapArray(self, {offsets, DType::kInt32, {size}});
}

nb::object ColumnOffsets(const PyColumn& self) {
  const Column& column = self.column();
  return IntOffsets(self, column.offsets, column.num_rows + 1);
}

nb::object StepOffsets(const PyColumn& self) {
  const Column& column = self.column();
  return IntOffsets(self, column.step_offsets, column.num_steps() + 1);
}

// True where a row is there; None where all are.
nb::object ColumnValidity(const PyColumn& self) {
  const Column& column = self.column();
  if (column.kind == Kind::kNull && !column.in_sequence) {
    return nb::module_::import_("numpy").attr("zeros")(column.num_rows, "bool");
  }
  if (!column.validity) return nb::none();
  return BitsToNumpy(column.validity, column.num_rows);
}

nb::object StepValidity(const PyColumn& self) {
  const Column& column = self.column();
  if (!column.in_sequence) return nb::none();
  if (column.kind == Kind::kNull) {
    return nb::module_::import_("numpy").attr("zeros")(column.num_steps(),
                                                       "bool");
  }
  if (!column.step_validity) return nb::none();
  return BitsToNumpy(column.step_validity, column.num_steps());
}

DType DTypeOf(Kind kind) {
  switch (kind) {
    case Kind::kBytes:
      return DType::kBytes;
    case Kind::kFloat:
      return DType::kFloat;
    case Kind::kInt64:
    case Kind::kNull:
      break;
  }
  return DType::kInt64;
}

nb::object ColumnValues(const PyColumn& self) {
  const Column& column = self.column();
  if (column.kind == Kind::kNull) return nb::none();
  return WrapArray(
      self, {column.values, DTypeOf(column.kind), {column.num_values()}});
}

// Of a column whose rows have one value each.
nb::object ColumnNumpy(nb::handle_t<PyColumn> object) {
  const auto& self = nb::cast<const PyColumn&>(object);
  const Column& column = self.column();
  bool single = column.kind != Kind::kNull && !column.in_sequence &&
                column.num_values() == column.num_rows;
  for (size_t row = 0; single && row < column.num_rows; ++row) {
    single = column.offsets[row + 1] == column.offsets[row] + 1;
  }
  if (!single) {
    const std::string text =
        "the rows of column " +
        std::string(nb::repr(ToText(column.name)).c_str()) +
        " do not have one value each; use .values and .offsets, .to_list(), "
        "or read with a spec";
    throw nb::value_error(text.c_str());
  }
  return ToNumpy({column.values, DTypeOf(column.kind), {column.num_rows}},
                 object);
}

nb::object ColumnArray(nb::handle_t<PyColumn> self, nb::object dtype,
                       nb::object copy) {
  const Kind kind = nb::cast<const PyColumn&>(self).column().kind;
  return AsArray(ColumnNumpy(self), DTypeOf(kind), dtype, copy);
}

nb::object ValueAt(const Column& column, size_t i) {
  switch (column.kind) {
    case Kind::kBytes:
      return ToBytes(column.bytes()[i]);
    case Kind::kFloat:
      return nb::float_(static_cast<double>(column.floats()[i]));
    case Kind::kInt64:
      return nb::int_(column.int64s()[i]);
    case Kind::kNull:
      break;
  }
  return nb::none();
}

nb::list ValuesBetween(const Column& column, int32_t begin, int32_t end) {
  nb::list list;
  for (int32_t i = begin; i < end; ++i) {
    list.append(ValueAt(column, static_cast<size_t>(i)));
  }
  return list;
}

nb::object RowToList(const Column& column, size_t row) {
  if (column.IsNull(row)) return nb::none();
  const int32_t begin = column.offsets[row];
  const int32_t end = column.offsets[row + 1];
  if (!column.in_sequence) return ValuesBetween(column, begin, end);
  nb::list steps;
  for (int32_t i = begin; i < end; ++i) {
    const auto step = static_cast<size_t>(i);
    if (column.IsNullStep(step)) {
      steps.append(nb::none());
    } else {
      steps.append(ValuesBetween(column, column.step_offsets[step],
                                 column.step_offsets[step + 1]));
    }
  }
  return steps;
}

nb::list ColumnToList(const PyColumn& self) {
  nb::list rows;
  for (size_t row = 0; row < self.column().num_rows; ++row) {
    rows.append(RowToList(self.column(), row));
  }
  return rows;
}

nb::object ColumnItem(const PyColumn& self, const nb::object& key) {
  if (nb::isinstance<nb::slice>(key)) {
    return nb::object(ColumnToList(self))[key];
  }
  if (!PyIndex_Check(key.ptr())) {
    throw nb::type_error("rows are numbered, or taken by a slice");
  }
  const auto size = static_cast<Py_ssize_t>(self.column().num_rows);
  Py_ssize_t row = PyNumber_AsSsize_t(key.ptr(), PyExc_IndexError);
  if (row == -1 && PyErr_Occurred()) throw nb::python_error();
  if (row < 0) row += size;
  if (row < 0 || row >= size) throw nb::index_error("no such row");
  return RowToList(self.column(), static_cast<size_t>(row));
}

std::string ColumnText(const PyColumn& self) {
  const Column& column = self.column();
  return std::string("Column(") + nb::repr(ToText(column.name)).c_str() +
         ", kind=" + std::string(KindName(column.kind)) +
         ", rows=" + std::to_string(column.num_rows) + ")";
}

constexpr const char* kColumnDoc =
    "The values of one feature as lists, null where a record lacks it.\n\n"
    "    >>> column = batch[\"tags\"]\n"
    "    >>> column[0]\n"
    "    [b'new', b'beta']\n"
    "    >>> column.values.numpy(), column.offsets.numpy()\n\n"
    "A view of the batch's memory, which it keeps alive. Arrow takes it\n"
    "(pyarrow.array(column)).";

constexpr const char* kBatchDoc =
    "Some consecutive records: a mapping of names to columns or tensors.\n\n"
    "    >>> for batch in headrace.open(path, spec=spec):\n"
    "    ...     batch[\"age\"].numpy(), batch.num_rows\n\n"
    "Of a SequenceExample, batch[name] looks in the context first. A batch\n"
    "is immutable, outlives its reader, may be read by any thread, and is an\n"
    "Arrow record batch (__arrow_c_array__). Its memory is used again when it\n"
    "and all that was made of it are gone.";

void BindColumn(nb::module_& m) {
  nb::class_<PyColumn> type(m, "Column", nb::is_final(), kColumnDoc);
  type.def_prop_ro(
          "name",
          [](const PyColumn& self) { return ToText(self.column().name); },
          "Of the feature.")
      .def_prop_ro(
          "kind",
          [](const PyColumn& self) {
            return std::string(KindName(self.column().kind));
          },
          "\"int64\", \"float\", \"bytes\", or \"null\" where no value is "
          "known.")
      .def_prop_ro(
          "in_sequence",
          [](const PyColumn& self) { return self.column().in_sequence; },
          "Whether it is a feature list.")
      .def_prop_ro(
          "null_count",
          [](const PyColumn& self) { return self.column().null_count; },
          "Rows without the feature.")
      .def_prop_ro("values", &ColumnValues,
                   "Tensor of all values, one row after another; None of kind "
                   "null.")
      .def_prop_ro("offsets", &ColumnOffsets,
                   "Tensor [rows + 1] int32: row r has values [offsets[r], "
                   "offsets[r + 1]), of a feature list steps. None where there "
                   "are none.")
      .def_prop_ro("validity", &ColumnValidity,
                   "A bool array [rows], False where the feature is absent; "
                   "None where all rows have it.")
      .def_prop_ro(
          "step_offsets", &StepOffsets,
          "Of a feature list: Tensor [steps + 1] int32 into the values.")
      .def_prop_ro("step_validity", &StepValidity,
                   "Of a feature list: as validity, for steps.")
      .def(
          "numpy", &ColumnNumpy,
          "The values as a read-only array [rows], without a copy, where every "
          "row has exactly one; otherwise a ValueError.")
      .def("__array__", &ColumnArray, nb::arg("dtype") = nb::none(),
           nb::arg("copy") = nb::none())
      .def("to_list", &ColumnToList,
           "The rows as lists of values, None where the feature is absent.")
      .def("__getitem__", &ColumnItem)
      .def("__len__",
           [](const PyColumn& self) { return self.column().num_rows; })
      .def("__repr__", &ColumnText);
  AddArrow(&type);
}

// ------------------------------------------------------------------ Batches

nb::object WrapField(const PyBatch& batch, size_t index) {
  PyField field{batch.batch, batch.layout, index};
  if (!batch.layout->plan.tensors().empty()) return WrapTensor(field);
  return nb::cast(PyColumn{std::move(field)});
}

// Features before feature lists of the same name.
std::optional<size_t> IndexOf(const PyBatch& self, nb::handle name) {
  const BatchLayout& layout = *self.layout;
  for (const nb::dict* dict : {&layout.features, &layout.feature_lists}) {
    PyObject* index = PyDict_GetItemWithError(dict->ptr(), name.ptr());
    if (index != nullptr) return nb::cast<size_t>(nb::handle(index));
    if (PyErr_Occurred()) throw nb::python_error();
  }
  return std::nullopt;
}

nb::object GetItem(const PyBatch& self, nb::handle name) {
  const std::optional<size_t> index = IndexOf(self, name);
  if (!index) {
    Raise(nb::module_::import_("headrace.errors")
              .attr("no_such_feature")(name, self.layout->names));
  }
  return WrapField(self, *index);
}

nb::list Items(const PyBatch& self) {
  nb::list items;
  for (size_t i = 0; i < nb::len(self.layout->names); ++i) {
    items.append(
        nb::make_tuple(nb::object(self.layout->names[i]), WrapField(self, i)));
  }
  return items;
}

nb::list Values(const PyBatch& self) {
  nb::list values;
  for (size_t i = 0; i < nb::len(self.layout->names); ++i) {
    values.append(WrapField(self, i));
  }
  return values;
}

nb::object Payloads(const PyBatch& self) {
  if (self.layout->plan.message() != MessageType::kRaw) {
    throw nb::type_error(
        "payloads are there when records are read with message=\"raw\"");
  }
  return ToBytesList(self.batch.columns()[0].bytes());
}

nb::dict Origins(nb::handle_t<PyBatch> object) {
  const auto& self = nb::cast<const PyBatch&>(object);
  const std::span<const RowOrigin> origins = self.batch.origins();
  // An array of nothing still needs an address to offset from.
  static constexpr RowOrigin kNone;
  const RowOrigin* first = origins.empty() ? &kNone : origins.data();
  constexpr auto kStride = static_cast<int64_t>(sizeof(RowOrigin));
  nb::dict fields;
  fields["record"] = StridedNumpy(&first->record, DType::kUint64,
                                  origins.size(), kStride / 8, object);
  fields["offset"] = StridedNumpy(&first->offset, DType::kUint64,
                                  origins.size(), kStride / 8, object);
  fields["file"] = StridedNumpy(&first->file, DType::kUint32, origins.size(),
                                kStride / 4, object);
  return fields;
}

nb::object BatchToArrow(const PyBatch& self, const nb::object&) {
  nb::object type = LayoutSchema(*self.layout);
  ArrowArray array;
  Status status;
  {
    nb::gil_scoped_release release;
    status = ExportBatch(self.batch, self.layout->arrow, &array);
  }
  Check(status);
  return nb::make_tuple(std::move(type), ArrayCapsule(&array));
}

std::string BatchText(const PyBatch& self) {
  return "Batch(rows=" + std::to_string(self.batch.num_rows()) +
         ", names=" + nb::repr(self.layout->names).c_str() + ")";
}

}  // namespace

BatchLayout::BatchLayout(Plan given_plan, ArrowOptions given_arrow)
    : plan(std::move(given_plan)), arrow(std::move(given_arrow)) {
  const auto add = [this](std::string_view name, bool in_sequence) {
    const nb::object text = ToText(name);
    (in_sequence ? feature_lists : features)[text] = nb::len(names);
    names.append(text);
  };
  for (const ColumnField& field : plan.columns()) {
    add(field.name, field.in_sequence);
  }
  for (const TensorField& field : plan.tensors()) {
    add(field.feature.name, field.in_sequence);
  }
}

nb::object LayoutSchema(const BatchLayout& layout) {
  ArrowSchema schema;
  Check(ExportSchema(layout.plan, layout.arrow, &schema));
  return SchemaCapsule(&schema);
}

nb::dict FieldsOf(const PyBatch& self, bool in_sequence) {
  const BatchLayout& layout = *self.layout;
  nb::dict fields;
  for (const auto& [name, index] :
       in_sequence ? layout.feature_lists : layout.features) {
    fields[name] = WrapField(self, nb::cast<size_t>(index));
  }
  return fields;
}

void BindBatch(nb::module_& m) {
  BindColumn(m);
  nb::class_<PyBatch>(m, "Batch", nb::is_final(), kBatchDoc)
      .def_prop_ro(
          "num_rows", [](const PyBatch& self) { return self.batch.num_rows(); },
          "Records.")
      .def_prop_ro(
          "message",
          [](const PyBatch& self) {
            return MessageName(self.layout->plan.message());
          },
          "\"example\", \"sequence\" or \"raw\".")
      .def_prop_ro(
          "context", [](const PyBatch& self) { return FieldsOf(self, false); },
          "A dict of those that are no feature lists.")
      .def_prop_ro(
          "sequence", [](const PyBatch& self) { return FieldsOf(self, true); },
          "A dict of the feature lists.")
      .def_prop_ro(
          "origins", &Origins,
          "Where the rows came from: a dict of arrays [rows], \"file\" "
          "(index into Reader.files), \"record\" (number in the file) "
          "and \"offset\" (byte in its uncompressed stream).")
      .def("payloads", &Payloads,
           "The records as a list of bytes, where they were read with "
           "message=\"raw\"; otherwise a TypeError.")
      .def("keys",
           [](const PyBatch& self) {
             return nb::list(nb::object(self.layout->names));
           })
      .def("values", &Values)
      .def("items", &Items)
      .def(
          "get",
          [](const PyBatch& self, nb::handle name, nb::object otherwise) {
            const std::optional<size_t> index = IndexOf(self, name);
            return index ? WrapField(self, *index) : otherwise;
          },
          nb::arg("name"), nb::arg("default") = nb::none(),
          "The column or tensor of that name, or `default`.")
      .def("__getitem__", &GetItem)
      .def("__contains__",
           [](const PyBatch& self, nb::handle name) {
             return IndexOf(self, name).has_value();
           })
      .def("__iter__",
           [](const PyBatch& self) { return nb::iter(self.layout->names); })
      .def("__len__",
           [](const PyBatch& self) { return nb::len(self.layout->names); })
      .def("__arrow_c_schema__",
           [](const PyBatch& self) { return LayoutSchema(*self.layout); })
      .def("__arrow_c_array__", &BatchToArrow,
           nb::arg("requested_schema") = nb::none())
      .def("__repr__", &BatchText);
}

}  // namespace headrace::python
