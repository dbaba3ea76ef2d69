#include "python/src/saved.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/src/error.h"
#include "src/read/batch/batch_copy.h"

namespace headrace::python {
namespace {

std::vector<size_t> AllFields(const Plan& plan) {
  std::vector<size_t> fields(plan.columns().size() + plan.tensors().size());
  std::iota(fields.begin(), fields.end(), size_t{0});
  return fields;
}

// Returns the fields with these names: features in their order, then feature
// lists.
std::vector<size_t> FieldsOf(const PyBatch& batch, const nb::object& names) {
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

// Returns what __reduce__ does. The loader is a Python function, since
// nanobind's functions cannot be pickled.
nb::object Loader(const char* name, nb::object arguments) {
  return nb::make_tuple(nb::module_::import_("headrace.plain").attr(name),
                        std::move(arguments));
}

nb::object Saved(const char* loader, const Batch& batch,
                 const BatchLayout& layout, const std::vector<size_t>& fields) {
  std::optional<Result<std::string>> saved;
  {
    nb::gil_scoped_release release;
    saved = SaveBatch(batch, fields);
  }
  const std::string text = Check(*std::move(saved));
  nb::list files;
  for (const std::string& file : layout.arrow.files)
    files.append(ToBytes(file));
  return Loader(loader, nb::make_tuple(ToBytes(text),
                                       static_cast<int>(layout.arrow.bytes_as),
                                       std::move(files)));
}

Batch Load(const nb::bytes& saved) {
  const std::string_view text(saved.c_str(), saved.size());
  std::optional<Result<Batch>> batch;
  {
    nb::gil_scoped_release release;
    batch = LoadBatch(text);
  }
  return Check(*std::move(batch));
}

PyBatch LoadWhole(const nb::bytes& saved, int bytes_as, const nb::list& files) {
  if (bytes_as < 0 || bytes_as > static_cast<int>(BytesAs::kString)) {
    throw nb::value_error("there is no such form of bytes");
  }
  Batch batch = Load(saved);
  ArrowOptions arrow{.bytes_as = static_cast<BytesAs>(bytes_as)};
  for (const nb::handle file : files) {
    const auto name = nb::cast<nb::bytes>(file);
    arrow.files.emplace_back(name.c_str(), name.size());
  }
  auto layout = std::make_shared<BatchLayout>(*PlanOf(batch), std::move(arrow));
  return {std::move(batch), std::move(layout)};
}

nb::object LoadField(const nb::bytes& saved, int bytes_as,
                     const nb::list& files) {
  return WrapField(LoadWhole(saved, bytes_as, files), 0);
}

nb::object LoadPart(const nb::bytes& saved, bool is_structure) {
  const PyBatch batch = LoadWhole(saved, 0, nb::list());
  const Tensor& tensor = batch.batch.tensors()[0];
  const ArrayView view{tensor.values, tensor.dtype, SizesOf(tensor.shape)};
  const PyField field{batch.batch, batch.layout};
  return is_structure ? WrapStructure(field, view) : WrapValues(field, view);
}

}  // namespace

nb::object CopyOf(const PyBatch& batch, const nb::object& names) {
  std::vector<size_t> fields;
  if (!names.is_none()) fields = FieldsOf(batch, names);
  std::optional<Result<Batch>> copy;
  {
    nb::gil_scoped_release release;
    copy = names.is_none() ? CopyBatch(batch.batch)
                           : CopyBatch(batch.batch, fields);
  }
  PyBatch result{Check(*std::move(copy)), batch.layout};
  if (!names.is_none()) {
    result.layout = std::make_shared<BatchLayout>(*PlanOf(result.batch),
                                                  batch.layout->arrow);
  }
  return nb::cast(std::move(result));
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

void BindSaved(nb::module_& m) {
  m.def("_load_batch", &LoadWhole, nb::arg("saved"), nb::arg("bytes_as"),
        nb::arg("files"));
  m.def("_load_field", &LoadField, nb::arg("saved"), nb::arg("bytes_as"),
        nb::arg("files"));
  m.def("_load_part", &LoadPart, nb::arg("saved"), nb::arg("is_structure"));
}

}  // namespace headrace::python
