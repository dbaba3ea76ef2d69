// The Python class Column: a feature's values as lists, without a spec.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "python/src/array_methods.h"
#include "python/src/batch.h"

namespace headrace::python {
namespace {

nb::object IntOffsets(const PyColumn& self, const int32_t* offsets,
                      size_t size) {
  if (offsets == nullptr) return nb::none();
  return WrapStructure(self, {offsets, DType::kInt32, {size}});
}

nb::object ColumnOffsets(const PyColumn& self) {
  const Column& column = self.column();
  return IntOffsets(self, column.offsets, column.num_rows + 1);
}

nb::object StepOffsets(const PyColumn& self) {
  const Column& column = self.column();
  return IntOffsets(self, column.step_offsets, column.num_steps() + 1);
}

// Returns a bool array that is True where a bit is set. If `is_null`, all of it
// is False; otherwise, if `bits` is null, returns None.
nb::object Validity(const uint8_t* bits, size_t size, bool is_null) {
  if (is_null) {
    return nb::module_::import_("numpy").attr("zeros")(size, "bool");
  }
  return bits != nullptr ? BitsToNumpy(bits, size) : nb::none();
}

nb::object ColumnValidity(const PyColumn& self) {
  const Column& column = self.column();
  return Validity(column.validity, column.num_rows,
                  column.kind == Kind::kNull && !column.in_sequence);
}

nb::object StepValidity(const PyColumn& self) {
  const Column& column = self.column();
  if (!column.in_sequence) return nb::none();
  return Validity(column.step_validity, column.num_steps(),
                  column.kind == Kind::kNull);
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
  return WrapValues(
      self, {column.values, DTypeOf(column.kind), {column.num_values()}});
}

// Returns the values if every row of the column has one; otherwise throws.
nb::object ColumnNumpy(nb::handle_t<PyColumn> object) {
  const auto& self = nb::cast<const PyColumn&>(object);
  const Column& column = self.column();
  bool single = column.kind != Kind::kNull && !column.in_sequence &&
                column.num_values() == column.num_rows;
  for (size_t row = 0; single && row < column.num_rows; ++row) {
    single = column.offsets[row + 1] == column.offsets[row] + 1;
  }
  if (!single) {
    Raise(PyExc_ValueError,
          "the rows of column " +
              std::string(nb::repr(ToText(column.name)).c_str()) +
              " do not have one value each; use .values and .offsets, "
              ".tolist(), or read with a spec");
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

constexpr size_t kAll = ~size_t{0};

// Returns a list of at most `most` values.
nb::list ValuesBetween(const Column& column, int32_t begin, int32_t end,
                       size_t most) {
  nb::list list;
  for (int32_t i = begin; i < end && nb::len(list) < most; ++i) {
    list.append(ValueAt(column, static_cast<size_t>(i)));
  }
  return list;
}

// Returns a row as a list, or a list of steps, with at most `most` values each.
nb::object RowToList(const Column& column, size_t row, size_t most = kAll) {
  if (column.IsNull(row)) return nb::none();
  const int32_t begin = column.offsets[row];
  const int32_t end = column.offsets[row + 1];
  if (!column.in_sequence) return ValuesBetween(column, begin, end, most);
  nb::list steps;
  for (int32_t i = begin; i < end && nb::len(steps) < most; ++i) {
    const auto step = static_cast<size_t>(i);
    if (column.IsNullStep(step)) {
      steps.append(nb::none());
    } else {
      steps.append(ValuesBetween(column, column.step_offsets[step],
                                 column.step_offsets[step + 1], most));
    }
  }
  return steps;
}

nb::list ColumnHead(const PyColumn& self, size_t rows, size_t most) {
  nb::list list;
  for (size_t row = 0; row < std::min(self.column().num_rows, rows); ++row) {
    list.append(RowToList(self.column(), row, most));
  }
  return list;
}

nb::list ColumnToList(const PyColumn& self) {
  return ColumnHead(self, self.column().num_rows, kAll);
}

std::string ColumnText(const PyColumn& self) {
  const Column& column = self.column();
  return "Column(" + Quoted(ToText(column.name)) + ", " +
         Shortened(ColumnHead(self, kRowsShown, kRowsShown)) +
         ", kind=" + std::string(KindName(column.kind)) +
         ", rows=" + std::to_string(column.num_rows) + ")";
}

constexpr const char* kNoComparison =
    "a Column cannot be compared and has no truth value, since its rows are "
    "lists; use .numpy(), if each row has one value, .values, .tolist() or "
    "len()";

constexpr const char* kColumnDoc =
    "The values of one feature as lists, null where a record lacks it.\n\n"
    "    >>> column = batch[\"tags\"]\n"
    "    >>> column[0]\n"
    "    [b'new', b'beta']\n"
    "    >>> column.values.numpy(), column.offsets.numpy()\n\n"
    "Rows are indexed by number or by a slice, like a list. A column is a\n"
    "view of the batch's memory, which it keeps alive. Arrow accepts it\n"
    "(pyarrow.array(column)), and so does numpy if every row has one value.";

}  // namespace

void BindColumn(nb::module_& m) {
  nb::class_<PyColumn> type(m, "Column", nb::is_final(), kColumnDoc);
  type.def_prop_ro(
          "kind",
          [](const PyColumn& self) {
            return std::string(KindName(self.column().kind));
          },
          "\"int64\", \"float\", \"bytes\", or \"null\" if no value is "
          "known.")
      .def_prop_ro(
          "in_sequence",
          [](const PyColumn& self) { return self.column().in_sequence; },
          "Whether the column is a feature list.")
      .def_prop_ro(
          "null_count",
          [](const PyColumn& self) { return self.column().null_count; },
          "Number of rows without the feature.")
      .def_prop_ro("values", &ColumnValues,
                   "Tensor of all values, one row after another; None for kind "
                   "null.")
      .def_prop_ro("offsets", &ColumnOffsets,
                   "Tensor [rows + 1] int32: row r has values (steps, for a "
                   "feature list) [offsets[r], offsets[r + 1]). None if the "
                   "column has no offsets.")
      .def_prop_ro("validity", &ColumnValidity,
                   "A bool array [rows], False where the feature is absent; "
                   "None if all rows have it.")
      .def_prop_ro(
          "step_offsets", &StepOffsets,
          "For a feature list: Tensor [steps + 1] int32 into the values.")
      .def_prop_ro("step_validity", &StepValidity,
                   "For a feature list: like validity, for steps.")
      .def("numpy", &ColumnNumpy,
           "Returns the values as a read-only array [rows], without a copy, if "
           "every row has exactly one; otherwise raises ValueError.")
      .def("__array__", &ColumnArray, nb::arg("dtype") = nb::none(),
           nb::arg("copy") = nb::none())
      .def("tolist", &ColumnToList,
           "Returns the rows as lists of values, None where the feature is "
           "absent.")
      .def("to_list", &ColumnToList, "The same as tolist.")
      .def("_head", &ColumnHead, nb::arg("rows"), nb::arg("most"))
      .def("__repr__", &ColumnText);
  AddRows(&type, [](nb::handle_t<PyColumn> self, size_t row) {
    return RowToList(nb::cast<const PyColumn&>(self).column(), row);
  });
  RefuseComparisons(&type, kNoComparison);
  AddField(&type);
}

}  // namespace headrace::python
