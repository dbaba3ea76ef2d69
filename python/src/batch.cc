// The Python class Batch: a Mapping of names to columns or tensors, and an
// Arrow record batch. Also copies and pickles batches, columns and tensors.

#include "python/src/batch.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "python/src/array_methods.h"
#include "python/src/arrow_capsule.h"
#include "python/src/error.h"
#include "python/src/reader/allocator.h"
#include "src/read/batch/batch_copy.h"

namespace headrace::python {
namespace {

constexpr const char* kBatchDoc =
    "Some consecutive records: a Mapping of names to columns or tensors.\n\n"
    "    >>> for batch in headrace.open(path, spec=spec):\n"
    "    ...     batch[\"age\"].numpy(), batch.num_rows\n\n"
    "len(batch) counts the names, batch.num_rows the records. For\n"
    "SequenceExamples, features of the context come first, followed by the\n"
    "feature lists whose names no feature has; `sequence` has all feature\n"
    "lists. For lists of Examples `sequence` has the features of the\n"
    "Examples. A batch is immutable, outlives its reader, may be read by any\n"
    "thread, and is an Arrow record batch (__arrow_c_array__). Its memory is\n"
    "reused once the batch and everything made from it are gone.";

constexpr const char* kNoArray =
    "a Batch is not an array; use one of its columns or tensors, to_pydict(), "
    "to_pandas() or pyarrow.record_batch(batch)";

std::optional<size_t> IndexOf(const PyBatch& self, nb::handle name) {
  PyObject* index =
      PyDict_GetItemWithError(self.layout->fields.ptr(), name.ptr());
  if (index != nullptr) return nb::cast<size_t>(nb::handle(index));
  if (PyErr_Occurred()) throw nb::python_error();
  return std::nullopt;
}

nb::object GetItem(const PyBatch& self, nb::handle name) {
  // Arrays, such as masks of rows, have no hash.
  const std::optional<size_t> index =
      nb::isinstance<nb::str>(name) ? IndexOf(self, name) : std::nullopt;
  if (!index) {
    Raise(nb::module_::import_("headrace.arguments")
              .attr("no_such_feature")(name, self.layout->names));
  }
  return WrapField(self, *index);
}

nb::object Payloads(const PyBatch& self) {
  if (self.layout->plan.message() != MessageType::kRaw) {
    throw nb::type_error(
        "a batch has payloads only if records are read with message=\"raw\"");
  }
  return ToBytesList(self.batch.columns()[0].bytes());
}

nb::dict Origins(nb::handle_t<PyBatch> object) {
  const auto& self = nb::cast<const PyBatch&>(object);
  const std::span<const RowOrigin> origins = self.batch.origins();
  // An empty array still needs an address to offset from.
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
  Check(WithoutGil(
      [&] { return ExportBatch(self.batch, self.layout->arrow, &array); }));
  return nb::make_tuple(std::move(type), ArrayCapsule(&array));
}

// Refuses to compare batches: no caller wants to know whether they are the same
// object, and their arrays have to be compared one by one.
nb::object EqualsBatch(const PyBatch& /*self*/, const nb::object& other) {
  if (nb::isinstance<PyBatch>(other) || nb::isinstance<nb::dict>(other)) {
    throw nb::type_error(
        "a Batch cannot be compared; use its columns or tensors, or "
        "pyarrow.record_batch() of both");
  }
  return nb::borrow(Py_NotImplemented);
}

std::vector<size_t> AllFields(const Plan& plan) {
  std::vector<size_t> fields(plan.columns().size() + plan.tensors().size());
  std::iota(fields.begin(), fields.end(), size_t{0});
  return fields;
}

// Returns the numbers of the fields with these names, in the order of the plan:
// features, then feature lists.
std::vector<size_t> NumbersOf(const PyBatch& batch, const nb::object& names) {
  if (nb::isinstance<nb::str>(names)) {
    RaiseWrongType("names", "a list of str", names);
  }
  const BatchLayout& layout = *batch.layout;
  std::vector<size_t> fields;
  for (const nb::handle name : nb::iter(names)) {
    if (!layout.fields.contains(name)) {
      Raise(nb::module_::import_("headrace.arguments")
                .attr("no_such_feature")(name, layout.names));
    }
    fields.push_back(nb::cast<size_t>(nb::object(layout.fields[name])));
  }
  // Features have lower numbers than feature lists.
  std::sort(fields.begin(), fields.end());
  fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
  return fields;
}

// Returns the result of __reduce__. The loader is a Python function, since
// nanobind's functions cannot be pickled.
nb::object Loader(const char* name, nb::object arguments) {
  return nb::make_tuple(nb::module_::import_("headrace.plain").attr(name),
                        std::move(arguments));
}

nb::object Saved(const char* loader, const Batch& batch,
                 const BatchLayout& layout, const std::vector<size_t>& fields) {
  const std::string saved =
      Check(WithoutGil([&] { return SaveBatch(batch, fields); }));
  return Loader(loader, nb::make_tuple(ToBytes(saved),
                                       static_cast<int>(layout.arrow.bytes_as),
                                       ToList(layout.arrow.files, &ToBytes)));
}

PyBatch LoadWhole(const nb::bytes& saved, int bytes_as,
                  const std::vector<nb::bytes>& files) {
  if (bytes_as < 0 || bytes_as > static_cast<int>(BytesAs::kString)) {
    throw nb::value_error("bytes_as is not one of the known values");
  }
  const std::string_view text = ViewOf(saved);
  Batch batch = Check(WithoutGil([text] { return LoadBatch(text); }));
  ArrowOptions arrow{.bytes_as = static_cast<BytesAs>(bytes_as),
                     .files = StringsOf(files)};
  auto layout = std::make_shared<BatchLayout>(*PlanOf(batch), std::move(arrow));
  return {std::move(batch), std::move(layout)};
}

nb::object LoadField(const nb::bytes& saved, int bytes_as,
                     const std::vector<nb::bytes>& files) {
  return WrapField(LoadWhole(saved, bytes_as, files), 0);
}

nb::object LoadPart(const nb::bytes& saved, bool is_structure) {
  const PyBatch batch = LoadWhole(saved, 0, {});
  const Tensor& tensor = batch.batch.tensors()[0];
  const ArrayView view{tensor.values, tensor.dtype, SizesOf(tensor.shape)};
  const PyField field{batch.batch, batch.layout};
  return is_structure ? WrapStructure(field, view) : WrapValues(field, view);
}

// Implements Batch.copy; `names` is a list of names, or None.
PyBatch CopyOf(const PyBatch& batch, const nb::object& names) {
  if (names.is_none()) {
    return {Check(WithoutGil([&] { return CopyBatch(batch.batch); })),
            batch.layout};
  }
  const std::vector<size_t> numbers = NumbersOf(batch, names);
  Batch copy =
      Check(WithoutGil([&] { return CopyBatch(batch.batch, numbers); }));
  auto layout =
      std::make_shared<BatchLayout>(*PlanOf(copy), batch.layout->arrow);
  return {std::move(copy), std::move(layout)};
}

}  // namespace

nb::object WrapField(const PyBatch& batch, size_t index) {
  PyField field{batch.batch, batch.layout, index};
  if (!batch.layout->plan.tensors().empty()) return WrapTensor(field);
  return nb::cast(PyColumn{std::move(field)});
}

BatchLayout::BatchLayout(Plan given_plan, ArrowOptions given_arrow)
    : plan(std::move(given_plan)), arrow(std::move(given_arrow)) {
  const auto add = [this](std::string_view name, bool in_sequence) {
    const nb::object text = ToText(name);
    (in_sequence ? feature_lists : features)[text] = nb::len(names);
    if (!fields.contains(text)) fields[text] = nb::len(names);
    names.append(text);
  };
  for (const ColumnField& field : plan.columns()) {
    add(field.name, field.in_sequence);
  }
  for (const TensorField& field : plan.tensors()) {
    add(field.feature.name, field.in_sequence);
  }
}

void WarnOfBits(std::span<const TensorField> fields) {
  nb::list names;
  for (const TensorField& field : fields) {
    if (field.feature.config.as != DType::kBfloat16) continue;
    names.append(ToText(field.feature.name));
  }
  if (nb::len(names) == 0) return;
  nb::module_::import_("headrace.warnings").attr("warn_of_bits")(names);
}

nb::object LayoutSchema(const BatchLayout& layout) {
  WarnOfBits(layout.plan.tensors());
  ArrowSchema schema;
  Check(ExportSchema(layout.plan, layout.arrow, &schema));
  return SchemaCapsule(&schema);
}

nb::dict FieldsOf(const PyBatch& batch, const nb::dict& numbers) {
  nb::dict fields;
  for (const auto& [name, number] : numbers) {
    fields[name] = WrapField(batch, nb::cast<size_t>(number));
  }
  return fields;
}

nb::object Reduce(const PyBatch& batch) {
  return Saved("load_batch", batch.batch, *batch.layout,
               AllFields(batch.layout->plan));
}

nb::object Reduce(const PyField& field) {
  return Saved("load_field", field.batch, *field.layout, {field.index});
}

nb::object Reduce(const PyTensor& tensor) {
  if (tensor.index != PyTensor::kNoField) {
    return Reduce(static_cast<const PyField&>(tensor));
  }
  const ArrayView& view = tensor.view;
  const std::vector<int64_t> shape(view.shape.begin(), view.shape.end());
  const std::string saved = Check(SaveValues(view.dtype, shape, view.data));
  return Loader("load_part",
                nb::make_tuple(ToBytes(saved), tensor.is_structure));
}

namespace {

// Adds the methods of a Mapping; keys, values and items are those of a dict.
template <class Class>
void AddMapping(Class* type) {
  type->def("keys",
            [](const PyBatch& self) {
              return self.layout->fields.attr("keys")();
            })
      .def("values",
           [](const PyBatch& self) {
             return FieldsOf(self, self.layout->fields).attr("values")();
           })
      .def("items",
           [](const PyBatch& self) {
             return FieldsOf(self, self.layout->fields).attr("items")();
           })
      .def(
          "get",
          [](const PyBatch& self, nb::handle name, nb::object otherwise) {
            const std::optional<size_t> index = IndexOf(self, name);
            return index ? WrapField(self, *index) : otherwise;
          },
          nb::arg("name"), nb::arg("default") = nb::none(),
          "Returns the column or tensor of that name, or `default`.")
      .def("__getitem__", &GetItem, nb::arg("name").none())
      .def("__contains__",
           [](const PyBatch& self, nb::handle name) {
             return IndexOf(self, name).has_value();
           })
      .def("__iter__",
           [](const PyBatch& self) { return nb::iter(self.layout->fields); })
      .def("__len__",
           [](const PyBatch& self) { return nb::len(self.layout->fields); })
      .def("__eq__", &EqualsBatch, nb::arg("other").none())
      .def("_ipython_key_completions_", [](const PyBatch& self) {
        return nb::list(nb::object(self.layout->fields));
      });
  type->attr("__hash__") = nb::none();
  nb::module_::import_("collections.abc")
      .attr("Mapping")
      .attr("register")(*type);
}

// Adds the conversions of headrace/plain.py.
template <class Class>
void AddPlain(Class* type) {
  const auto add = [type](const char* name, const char* doc) {
    type->def(
        name,
        [name](nb::handle_t<PyBatch> self) {
          return nb::module_::import_("headrace.plain").attr(name)(self);
        },
        doc);
  };
  add("to_pydict",
      "Returns a dict of tolist() of each column or tensor. Raises ValueError "
      "if a feature and a feature list have the same name.");
  add("to_pylist",
      "Returns a list of the rows as dicts, with the values of to_pydict.");
  add("to_pandas",
      "Returns a pandas.DataFrame: a dense tensor of one value per row is a "
      "column of its type, anything else a column of the values of to_pydict. "
      "Needs pandas.");
}

}  // namespace

void BindBatch(nb::module_& m) {
  nb::class_<PyBatch> type(m, "Batch", nb::is_final(), kBatchDoc);
  type.def_prop_ro(
          "num_rows", [](const PyBatch& self) { return self.batch.num_rows(); },
          "Number of records.")
      .def_prop_ro(
          "message",
          [](const PyBatch& self) {
            return NameOf(self.layout->plan.message());
          },
          "\"example\", \"sequence\" or \"raw\".")
      .def_prop_ro(
          "context",
          [](const PyBatch& self) {
            return FieldsOf(self, self.layout->features);
          },
          "A dict of the columns or tensors that are not feature lists.")
      .def_prop_ro(
          "sequence",
          [](const PyBatch& self) {
            return FieldsOf(self, self.layout->feature_lists);
          },
          "A dict of the feature lists.")
      .def_prop_ro(
          "origins", &Origins,
          "Where the rows are from: a dict of arrays [rows], \"file\" "
          "(index into Reader.files), \"record\" (number in the file, from 0; "
          "2**64 - 1 if a part of a file is read and no index says how "
          "many records precede it) and \"offset\" (byte in its "
          "uncompressed stream).")
      .def("payloads", &Payloads,
           "Returns the records as a list of bytes, if they were read with "
           "message=\"raw\"; otherwise raises TypeError.")
      .def("copy", &CopyOf, nb::arg("names") = nb::none(),
           "Returns a batch of the same rows in its own memory, which keeps "
           "neither the input nor this batch alive: all of it, or the columns "
           "or tensors in a list of names. Raises KeyError for a name that is "
           "not in the batch.")
      .def(
          "_slabs", [](const PyBatch& self) { return SlabObjects(self.batch); },
          "Returns a list of (object of the allocator, address, size).")
      .def("__deepcopy__",
           [](const PyBatch& self, const nb::object& /*memo*/) {
             return CopyOf(self, nb::none());
           })
      .def("__arrow_c_schema__",
           [](const PyBatch& self) { return LayoutSchema(*self.layout); })
      .def("__arrow_c_array__", &BatchToArrow,
           nb::arg("requested_schema") = nb::none())
      .def("__repr__", [](nb::handle_t<PyBatch> self) {
        return nb::module_::import_("headrace.notebook")
            .attr("batch_text")(self);
      });
  AddMapping(&type);
  AddNotebook(&type, "batch_html");
  AddPlain(&type);
  AddPickling(&type);
  RefuseArray(&type, kNoArray);
  m.def("_load_batch", &LoadWhole, nb::arg("saved"), nb::arg("bytes_as"),
        nb::arg("files"));
  m.def("_load_field", &LoadField, nb::arg("saved"), nb::arg("bytes_as"),
        nb::arg("files"));
  m.def("_load_part", &LoadPart, nb::arg("saved"), nb::arg("is_structure"));
}

}  // namespace headrace::python
