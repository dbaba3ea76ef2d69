// The Python class Schema, and Census, which infers a schema or a spec from
// records.

#include "headrace/schema.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "headrace/stats_report.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/reader/options.h"
#include "python/src/reader/warnings.h"
#include "python/src/spec.h"
#include "src/decode/census/block_census.h"
#include "src/plan/infer/census.h"
#include "src/plan/infer/infer.h"

namespace headrace::python {
namespace {

std::string_view ViewOf(const nb::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}

Schema SchemaFromBytes(const nb::object& data) {
  if (!nb::isinstance<nb::bytes>(data)) RaiseWrongType("data", "bytes", data);
  return Check(Schema::Parse(ViewOf(nb::borrow<nb::bytes>(data))));
}

Schema SchemaFromText(const nb::object& text) {
  if (!nb::isinstance<nb::str>(text)) RaiseWrongType("text", "a str", text);
  return Check(Schema::FromText(nb::cast<std::string>(text)));
}

nb::object TextOf(const std::optional<std::string>& text) {
  return text ? ToText(*text) : nb::none();
}

nb::list ShapeOf(const tfmd::FixedShape& shape) {
  nb::list dims;
  for (const auto& dim : shape.dims) dims.append(dim.size.value_or(0));
  return dims;
}

struct DefaultToObject {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(double value) const { return nb::float_(value); }
  nb::object operator()(int64_t value) const { return nb::int_(value); }
  nb::object operator()(uint64_t value) const { return nb::int_(value); }
  nb::object operator()(const std::string& value) const {
    return ToBytes(value);
  }
};

// Converts a representation to a dict with the field names of schema.proto.
struct ToDict {
  nb::dict operator()(const std::monostate&) const { return Of("none"); }
  nb::dict operator()(const tfmd::DenseTensor& dense) const {
    nb::dict dict = Of("dense_tensor");
    dict["column_name"] = TextOf(dense.column_name);
    dict["shape"] = dense.shape ? nb::object(ShapeOf(*dense.shape))
                                : nb::object(nb::list());
    dict["default_value"] =
        dense.default_value
            ? std::visit(DefaultToObject(), dense.default_value->value)
            : nb::none();
    return dict;
  }
  nb::dict operator()(const tfmd::VarLenSparseTensor& var_len) const {
    nb::dict dict = Of("varlen_sparse_tensor");
    dict["column_name"] = TextOf(var_len.column_name);
    return dict;
  }
  nb::dict operator()(const tfmd::SparseTensor& sparse) const {
    nb::dict dict = Of("sparse_tensor");
    dict["dense_shape"] = sparse.dense_shape
                              ? nb::object(ShapeOf(*sparse.dense_shape))
                              : nb::object(nb::list());
    nb::list names;
    for (const auto& name : sparse.index_column_names) {
      names.append(ToText(name));
    }
    dict["index_column_names"] = names;
    dict["value_column_name"] = TextOf(sparse.value_column_name);
    dict["already_sorted"] = sparse.already_sorted.value_or(false);
    return dict;
  }
  nb::dict operator()(const tfmd::RaggedTensor& ragged) const {
    nb::dict dict = Of("ragged_tensor");
    nb::list path;
    if (ragged.feature_path) {
      for (const auto& step : *ragged.feature_path) path.append(ToText(step));
    }
    dict["feature_path"] = path;
    nb::list partitions;
    for (const auto& partition : ragged.partitions) {
      partitions.append(std::visit(Partition(), partition));
    }
    dict["partitions"] = partitions;
    return dict;
  }

 private:
  struct Partition {
    nb::object operator()(const std::monostate&) const { return nb::none(); }
    nb::object operator()(int64_t length) const { return nb::int_(length); }
    nb::object operator()(const std::string& column) const {
      return ToText(column);
    }
  };

  static nb::dict Of(const char* kind) {
    nb::dict dict;
    dict["kind"] = kind;
    return dict;
  }
};

nb::dict Representations(const Schema& self, const std::string& group) {
  nb::dict dict;
  for (const auto& tensor : Check(self.Representations({.group = group}))) {
    dict[ToText(tensor.name)] = std::visit(ToDict(), tensor.kind);
  }
  return dict;
}

nb::object SpecOf(const Schema& self, const std::string& group, bool sequence) {
  const SchemaOptions options{.group = group};
  return ToPythonSpec(Check(sequence ? self.SequenceExampleSpec(options)
                                     : self.ExampleSpec(options)));
}

// Reads a file that holds pbtxt or a serialized message.
nb::object SchemaFromFile(const nb::object& path) {
  return nb::module_::import_("headrace.description").attr("read_schema")(path);
}

nb::list Names(const Schema& self) {
  nb::list names;
  for (const auto& feature : self.features) names.append(ToText(feature.name));
  return names;
}

void Describe(const tfmd::Feature& feature, const std::string& parents,
              nb::list* list) {
  const std::string path = parents + feature.name;
  const auto& counts = feature.value_count;
  const auto& presence = feature.presence;
  list->append(nb::make_tuple(
      ToText(path), ToText(tfmd::FeatureTypeName(feature.type)),
      feature.shape ? nb::object(ShapeOf(*feature.shape)) : nb::none(),
      counts ? nb::cast(counts->min) : nb::none(),
      counts ? nb::cast(counts->max) : nb::none(),
      presence ? nb::cast(presence->min_fraction) : nb::none()));
  for (const tfmd::Feature& child : feature.children) {
    Describe(child, path + ".", list);
  }
}

// Returns one tuple for each feature, including those inside a STRUCT: path,
// type, shape, fewest and most values, and the share of records that have it.
nb::list Described(const Schema& self) {
  nb::list list;
  for (const tfmd::Feature& feature : self.features) {
    Describe(feature, "", &list);
  }
  return list;
}

nb::list CategoricalOf(const Schema& self) {
  nb::list names;
  for (const std::string& name : CategoricalFeatures(self)) {
    names.append(ToText(name));
  }
  return names;
}

// Counts the features of raw records, batch by batch.
class PyCensus {
 public:
  explicit PyCensus(const nb::object& message)
      : counter_(MessageFrom(message)) {
    if (counter_.census().message() == MessageType::kRaw) {
      Raise(
          Status(ErrorCode::kInvalidArgument,
                 "message must not be \"raw\": raw records have no features"));
    }
  }

  // Counts the first `most` records; `files` are those of the batch's reader.
  void Add(const PyBatch& batch, const std::vector<std::string>& files,
           size_t most) {
    Status status;
    {
      nb::gil_scoped_release release;
      status = AddRecords(batch.batch, files, most);
    }
    Check(status);
  }

  // Warns of notices about the records.
  void Tell() const {
    ReadReport report;
    report.notices = counter_.census().notices();
    WarnOf(report);
  }

  Schema ToSchema() const {
    if (counter_.census().message() == MessageType::kElwc) {
      Raise(Status(ErrorCode::kInvalidArgument,
                   "the records are lists of Examples (message \"elwc\"), "
                   "which a Schema of TensorFlow Metadata does not have; "
                   "infer_spec makes an ElwcSpec"));
    }
    return infer::InferSchema(counter_.census());
  }
  nb::object ToSpec() const {
    return ToPythonSpec(infer::InferSpec(counter_.census()));
  }

 private:
  Status AddRecords(const Batch& batch, const std::vector<std::string>& files,
                    size_t most);

  BlockCensus counter_;
  uint64_t num_records_ = 0;
};

Status PyCensus::AddRecords(const Batch& batch,
                            const std::vector<std::string>& files,
                            size_t most) {
  auto records = batch.columns()[0].bytes();
  records = records.first(std::min(most, records.size()));
  std::vector<NumberedRecord> numbered;
  for (const std::string_view record : records) {
    numbered.push_back({record, num_records_++});
  }
  return counter_.Add(numbered, [&](size_t i, const Status& refused) {
    ErrorInfo info = *refused.info();
    info.file = files[batch.origins()[i].file];
    info.record = batch.origins()[i].record;
    info.offset = batch.origins()[i].offset;
    return Status(std::move(info));
  });
}

}  // namespace

constexpr const char* kSchemaDoc =
    "A tensorflow.metadata.v0.Schema, read without protobuf.\n\n"
    "    >>> schema = headrace.Schema.from_file(\"schema.pbtxt\")\n"
    "    >>> headrace.open(paths, schema=schema)     # its features as "
    "columns\n"
    "    >>> headrace.open(paths, spec=schema)       # its tensors\n\n"
    "A schema is immutable and comparable, and can be pickled. All methods\n"
    "raise BadSpecError for a schema that contradicts itself.";

void BindSchema(nb::module_& m) {
  nb::class_<PyCensus>(m, "Census")
      .def(nb::init<const nb::object&>(), nb::arg("message") = nb::none())
      .def("add", &PyCensus::Add, nb::arg("batch"), nb::arg("files"),
           nb::arg("most"))
      .def("tell", &PyCensus::Tell)
      .def("schema", &PyCensus::ToSchema)
      .def("spec", &PyCensus::ToSpec);
  nb::class_<Schema> type(m, "Schema", kSchemaDoc);
  // Schemas compare by value and can change, so they have no hash.
  type.attr("__hash__") = nb::none();
  type.def_static("from_file", &SchemaFromFile, nb::arg("path"),
                  "Reads a local file of either form.")
      .def_static("from_bytes", &SchemaFromBytes, nb::arg("data").none(),
                  "Reads text or a serialized message, whichever the bytes "
                  "are.")
      .def_static("from_text", &SchemaFromText, nb::arg("text").none(),
                  "Reads the text format; errors name line and column.")
      .def(
          "to_pbtxt", [](const Schema& self) { return ToText(self.ToText()); },
          "Returns the schema as text, without domains and annotations.")
      .def_prop_ro("names", &Names,
                   "Names of the features, in the schema's order.")
      .def("representations", &Representations, nb::arg("group") = "",
           "Returns the tensors that the schema requests or implies: a dict "
           "of names to dicts, whose \"kind\" and fields are those of "
           "TensorRepresentation.")
      .def("spec", &SpecOf, nb::arg("group") = "", nb::arg("sequence") = false,
           "Returns the Spec of these tensors, for parse_example or, with "
           "sequence, for parse_sequence_example. Raises BadSpecError if tf.io "
           "has no such feature.")
      .def(
          "project",
          [](const Schema& self, const nb::object& tensors,
             const std::string& group) {
            std::vector<std::string> names;
            if (!nb::try_cast(tensors, names)) {
              RaiseWrongType("tensors", "a list of str", tensors);
            }
            return Check(self.Project(names, {.group = group}));
          },
          nb::arg("tensors"), nb::arg("group") = "",
          "Returns a schema of only these tensors and their features.")
      .def(
          "validate",
          [](const Schema& self, const std::string& group) {
            Check(self.Validate({.group = group}));
          },
          nb::arg("group") = "",
          "Raises BadSpecError unless explicit tensors and features fit.")
      .def(
          "warnings",
          [](const Schema& self, const std::string& group) {
            return self.Warnings({.group = group});
          },
          nb::arg("group") = "",
          "Returns a sentence for each thing that is legal but seldom meant.")
      .def("__eq__",
           [](const Schema& self, const nb::object& other) {
             return nb::isinstance<Schema>(other) &&
                    nb::cast<const Schema&>(other) == self;
           })
      .def("__getstate__",
           [](const Schema& self) { return ToText(self.ToText()); })
      .def("__setstate__",
           [](Schema& self, const std::string& text) {
             new (&self) Schema(Check(Schema::FromText(text)));
           })
      .def_prop_ro("_categorical", &CategoricalOf)
      .def("_described", &Described)
      .def("__repr__", [](nb::handle_t<Schema> self) {
        return nb::module_::import_("headrace.notebook")
            .attr("schema_text")(self);
      });
  AddNotebook(&type, "schema_html");
}

}  // namespace headrace::python
