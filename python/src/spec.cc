// The Python classes of descriptions of records: FeatureSpec, Schema, and
// Census, which infers both from records.

#include "python/src/spec.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "headrace/schema.h"
#include "headrace/stats.h"
#include "headrace/stats_report.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/reader/options.h"
#include "python/src/reader/warnings.h"
#include "src/base/leaves.h"
#include "src/decode/census/block_census.h"
#include "src/plan/infer/census.h"
#include "src/plan/infer/grouping.h"
#include "src/plan/infer/infer.h"

namespace headrace::python {
namespace {

// Returns a function of headrace/defaults.py. Floats are passed as their bits,
// since hardware changes NaNs when it converts between widths.
nb::object FloatsByBits(const char* function) {
  return nb::module_::import_("headrace.defaults").attr(function);
}

template <class T>
std::vector<T> ListOf(const nb::object& values) {
  if (!nb::isinstance<nb::tuple>(values)) return {nb::cast<T>(values)};
  return nb::cast<std::vector<T>>(values);
}

DefaultValues DefaultsFrom(const nb::object& values, DType dtype) {
  if (dtype == DType::kInt64) return ListOf<int64_t>(values);
  if (dtype == DType::kFloat) {
    const nb::object bits_of = FloatsByBits("bits_of_float");
    std::vector<float> floats;
    for (const nb::object& value : ListOf<nb::object>(values)) {
      floats.push_back(
          std::bit_cast<float>(nb::cast<uint32_t>(bits_of(value))));
    }
    return floats;
  }
  return StringsOf(ListOf<nb::bytes>(values));
}

nb::object DefaultsTo(const DefaultValues& values) {
  if (const auto* whole = std::get_if<std::vector<int64_t>>(&values)) {
    return nb::cast(*whole);
  }
  if (const auto* floats = std::get_if<std::vector<float>>(&values)) {
    const nb::object float_of = FloatsByBits("float_of_bits");
    return ToList(*floats, [&float_of](float value) {
      return float_of(std::bit_cast<uint32_t>(value));
    });
  }
  return ToList(*std::get_if<std::vector<std::string>>(&values), &ToBytes);
}

DType DTypeFrom(const nb::object& dtype) {
  return *ParseDType(nb::cast<std::string_view>(dtype.attr("value")));
}

Partition PartitionFrom(const nb::object& object) {
  Partition partition{.type = *ParseName<PartitionType>(
                          nb::cast<std::string_view>(object.attr("_kind")))};
  if (partition.type == PartitionType::kUniformRowLength) {
    partition.uniform_row_length = nb::cast<int64_t>(object.attr("length"));
  } else {
    partition.key = nb::cast<std::string>(object.attr("key"));
  }
  return partition;
}

FeatureConfig ConfigFrom(const nb::object& feature);

DefaultValues KeysFrom(const nb::object& keys) {
  if (nb::len(keys) > 0 && nb::isinstance<nb::int_>(keys[0])) {
    return nb::cast<std::vector<int64_t>>(keys);
  }
  std::vector<std::string> strings;
  for (const nb::handle key : keys) {
    strings.emplace_back(ViewOf(nb::borrow<nb::bytes>(key)));
  }
  return strings;
}

Vocabulary VocabularyFrom(const nb::dict& arguments) {
  const nb::object file = arguments["file"], keys = arguments["keys"];
  Vocabulary vocabulary;
  if (!file.is_none()) vocabulary.file = nb::cast<std::string>(file);
  if (!keys.is_none()) vocabulary.keys = KeysFrom(keys);
  vocabulary.oov_buckets = nb::cast<int64_t>(arguments["oov_buckets"]);
  vocabulary.oov_first =
      nb::cast<std::string_view>(arguments["oov"]) == "first";
  vocabulary.default_id =
      nb::cast<std::optional<int64_t>>(arguments["default"]);
  vocabulary.size = nb::cast<std::optional<int64_t>>(arguments["size"]);
  return vocabulary;
}

Clip::Bound BoundFrom(const nb::object& bound) {
  if (nb::isinstance<nb::int_>(bound)) return nb::cast<int64_t>(bound);
  return nb::cast<float>(bound);
}

// Converts a headrace.functions.Function.
ValueFunction FunctionFrom(const nb::object& function) {
  const auto name = nb::cast<std::string_view>(function.attr("name"));
  const auto arguments = nb::cast<nb::dict>(nb::borrow(
      reinterpret_cast<PyObject*>(&PyDict_Type))(function.attr("arguments")));
  if (name == "hash_bucket") {
    return HashBucket{nb::cast<int64_t>(arguments["buckets"])};
  }
  if (name == "vocabulary") return VocabularyFrom(arguments);
  if (name == "bucketize") {
    return Bucketize{nb::cast<std::vector<float>>(arguments["boundaries"])};
  }
  if (name == "clip") {
    return Clip{BoundFrom(arguments["lo"]), BoundFrom(arguments["hi"])};
  }
  if (name == "log1p") return Log1p{};
  return Scale{nb::cast<float>(arguments["mean"]),
               nb::cast<float>(arguments["std"])};
}

// Converts a headrace.Matrix or headrace.Jagged.
FeatureConfig GroupFrom(const nb::object& group, Layout layout) {
  FeatureConfig config{.layout = layout, .as = DTypeFrom(group.attr("as_"))};
  for (const nb::handle item : group.attr("features").attr("items")()) {
    const auto [name, member] =
        nb::cast<std::pair<std::string, nb::object>>(item);
    config.members.push_back({name, ConfigFrom(member)});
  }
  if (layout == Layout::kMatrix) {
    config.exact = nb::cast<bool>(group.attr("exact"));
  } else {
    config.weights = nb::cast<bool>(group.attr("weights"));
    config.lengths_dtype = DTypeFrom(group.attr("lengths_dtype"));
  }
  return config;
}

// Converts a headrace.Feature, whose fields have been checked and have the
// types that the class declares.
FeatureConfig ConfigFrom(const nb::object& feature) {
  FeatureConfig config{.layout = *ParseName<Layout>(
                           nb::cast<std::string_view>(feature.attr("_kind")))};
  if (IsGroup(config.layout)) return GroupFrom(feature, config.layout);
  config.dtype = DTypeFrom(feature.attr("dtype"));
  const auto get = [&feature](const char* name) {
    return nb::getattr(feature, name, nb::none());
  };
  const auto read = [&get](const char* name, auto* field) {
    if (const nb::object value = get(name); !value.is_none()) {
      *field = nb::cast<std::remove_pointer_t<decltype(field)>>(value);
    }
  };
  read("shape", &config.shape);
  read("allow_missing", &config.allow_missing);
  read("index_key", &config.index_keys);
  read("size", &config.size);
  read("already_sorted", &config.already_sorted);
  read("check_indices", &config.check_indices);
  read("value_key", &config.value_key);
  read("column", &config.column);
  read("pad_to", &config.pad_to);
  read("truncate", &config.truncate);
  read("as_bits", &config.as_bits);
  read("item_shape", &config.item_shape);
  read("item_shape_key", &config.item_shape_key);
  read("group", &config.group);
  read("present", &config.present);
  read("first_n", &config.first_n);
  read("last_n", &config.last_n);
  read("weight_key", &config.weight_key);
  read("sequence", &config.sequence);
  if (const nb::object map = get("map"); !map.is_none()) {
    for (const nb::handle function : map) {
      config.map.push_back(FunctionFrom(nb::borrow<nb::object>(function)));
    }
  }
  if (const nb::object values = get("default_value"); !values.is_none()) {
    config.default_values = DefaultsFrom(values, config.dtype);
  }
  if (const nb::object as = get("as_"); !as.is_none()) {
    config.as = DTypeFrom(as);
  }
  if (const nb::object encoding = get("encoding"); !encoding.is_none()) {
    config.encoding =
        *ParseName<Encoding>(nb::cast<std::string_view>(encoding));
  }
  if (config.layout == Layout::kRagged) {
    config.row_splits_dtype = DTypeFrom(get("row_splits_dtype"));
    for (const nb::handle partition : get("partitions")) {
      config.partitions.push_back(
          PartitionFrom(nb::borrow<nb::object>(partition)));
    }
  }
  return config;
}

using Adder = FeatureSpec& (FeatureSpec::*)(std::string, FeatureConfig) &;

// Adds a headrace.Feature to a spec.
template <Adder kAdder>
void AddFeature(FeatureSpec& self, std::string name,
                const nb::object& feature) {
  (self.*kAdder)(std::move(name), ConfigFrom(feature));
}

nb::list PartitionsTo(const std::vector<Partition>& partitions) {
  return ToList(partitions, [](const Partition& partition) {
    nb::object argument = ToText(partition.key);
    if (partition.type == PartitionType::kUniformRowLength) {
      argument = nb::int_(partition.uniform_row_length);
    }
    return nb::make_tuple(PartitionTypeName(partition.type), argument);
  });
}

nb::object TextOf(const std::optional<std::string>& text) {
  return text ? ToText(*text) : nb::none();
}

// Returns the arguments for headrace.Matrix or headrace.Jagged.
nb::dict GroupArguments(const FeatureConfig& config) {
  nb::dict arguments;
  arguments["features"] = ToList(config.members, &ToTuple);
  arguments["as_"] = DTypeName(*config.as);
  if (config.layout == Layout::kMatrix) {
    arguments["exact"] = config.exact;
  } else {
    arguments["weights"] = config.weights;
    arguments["lengths_dtype"] = DTypeName(config.lengths_dtype);
  }
  return arguments;
}

// Each returns the name and the arguments of headrace's function.
nb::tuple FunctionTo(const HashBucket& hash) {
  nb::dict arguments;
  arguments["buckets"] = hash.buckets;
  return nb::make_tuple("hash_bucket", arguments);
}
nb::tuple FunctionTo(const Vocabulary& vocabulary) {
  nb::dict arguments;
  if (!vocabulary.file.empty()) arguments["file"] = ToText(vocabulary.file);
  if (vocabulary.keys) {
    arguments["keys"] = nb::list(DefaultsTo(*vocabulary.keys));
  }
  arguments["oov_buckets"] = vocabulary.oov_buckets;
  arguments["oov"] = vocabulary.oov_first ? "first" : "last";
  arguments["default"] = vocabulary.default_id;
  arguments["size"] = vocabulary.size;
  return nb::make_tuple("vocabulary", arguments);
}
nb::tuple FunctionTo(const Bucketize& bucketize) {
  nb::dict arguments;
  arguments["boundaries"] = bucketize.boundaries;
  return nb::make_tuple("bucketize", arguments);
}
nb::object BoundTo(const Clip::Bound& bound) {
  return std::visit([](auto value) { return nb::cast(value); }, bound);
}
nb::tuple FunctionTo(const Clip& clip) {
  nb::dict arguments;
  arguments["lo"] = BoundTo(clip.lo);
  arguments["hi"] = BoundTo(clip.hi);
  return nb::make_tuple("clip", arguments);
}
nb::tuple FunctionTo(const Log1p&) {
  return nb::make_tuple("log1p", nb::dict());
}
nb::tuple FunctionTo(const Scale& scale) {
  nb::dict arguments;
  arguments["mean"] = scale.mean;
  arguments["std"] = scale.std;
  return nb::make_tuple("scale", arguments);
}

// Adds the arguments that only members of a jagged group use.
void AddCuts(const FeatureConfig& config, nb::dict* arguments) {
  (*arguments)["first_n"] = config.first_n;
  (*arguments)["last_n"] = config.last_n;
  (*arguments)["weight_key"] = TextOf(config.weight_key);
}

// Returns the arguments for headrace's class of this layout.
nb::dict ArgumentsOf(const FeatureConfig& config) {
  if (IsGroup(config.layout)) return GroupArguments(config);
  nb::dict arguments;
  arguments["dtype"] = DTypeName(config.dtype);
  switch (config.layout) {
    case Layout::kFixedLenSequence:
    case Layout::kFixedLen:
      arguments["shape"] = config.shape;
      if (config.default_values) {
        arguments["default_value"] = DefaultsTo(*config.default_values);
      }
      if (config.layout == Layout::kFixedLenSequence) {
        arguments["allow_missing"] = config.allow_missing;
        break;
      }
      arguments["present"] = config.present;
      AddCuts(config, &arguments);
      break;
    case Layout::kVarLen:
      arguments["present"] = config.present;
      arguments["pad_to"] = config.pad_to;
      arguments["truncate"] = config.truncate;
      break;
    case Layout::kSparse:
      arguments["index_key"] = config.index_keys;
      arguments["value_key"] = TextOf(config.value_key);
      arguments["size"] = config.size;
      arguments["already_sorted"] = config.already_sorted;
      arguments["check_indices"] = config.check_indices;
      break;
    case Layout::kRagged:
      arguments["value_key"] = TextOf(config.value_key);
      arguments["partitions"] = PartitionsTo(config.partitions);
      arguments["row_splits_dtype"] = DTypeName(config.row_splits_dtype);
      if (!config.shape.empty()) arguments["shape"] = config.shape;
      arguments["item_shape"] = config.item_shape;
      arguments["item_shape_key"] = TextOf(config.item_shape_key);
      if (!config.group.empty()) arguments["group"] = ToText(config.group);
      arguments["sequence"] = config.sequence;
      AddCuts(config, &arguments);
      break;
    case Layout::kMatrix:
    case Layout::kJagged:
      break;
  }
  if (!config.map.empty()) {
    nb::list functions;
    for (const ValueFunction& function : config.map) {
      functions.append(
          std::visit([](const auto& f) { return FunctionTo(f); }, function));
    }
    arguments["map"] = functions;
  }
  if (config.encoding != Encoding::kRaw) {
    arguments["encoding"] = EncodingName(config.encoding);
  }
  arguments["column"] = TextOf(config.column);
  if (config.as) arguments["as_"] = DTypeName(*config.as);
  arguments["as_bits"] = config.as_bits;
  return arguments;
}

}  // namespace

nb::tuple ToTuple(const NamedFeature& feature) {
  return nb::make_tuple(ToText(feature.name), LayoutName(feature.config.layout),
                        ArgumentsOf(feature.config));
}

nb::object ToPythonSpec(FeatureSpec spec) {
  return nb::module_::import_("headrace.spec")
      .attr("Spec")
      .attr("_of_core")(nb::cast(std::move(spec)));
}

namespace {

// Schemas.

Schema SchemaFromBytes(const nb::object& data) {
  if (!nb::isinstance<nb::bytes>(data)) RaiseWrongType("data", "bytes", data);
  return Check(Schema::Parse(ViewOf(nb::borrow<nb::bytes>(data))));
}

Schema SchemaFromText(const nb::object& text) {
  if (!nb::isinstance<nb::str>(text)) RaiseWrongType("text", "a str", text);
  return Check(Schema::FromText(nb::cast<std::string>(text)));
}

nb::list ShapeOf(const tfmd::FixedShape& shape) {
  return ToList(shape.dims,
                [](const auto& dim) { return dim.size.value_or(0); });
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
    dict["shape"] = dense.shape ? ShapeOf(*dense.shape) : nb::list();
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
    dict["dense_shape"] =
        sparse.dense_shape ? ShapeOf(*sparse.dense_shape) : nb::list();
    dict["index_column_names"] = ToList(sparse.index_column_names, &ToText);
    dict["value_column_name"] = TextOf(sparse.value_column_name);
    dict["already_sorted"] = sparse.already_sorted.value_or(false);
    return dict;
  }
  nb::dict operator()(const tfmd::RaggedTensor& ragged) const {
    nb::dict dict = Of("ragged_tensor");
    dict["feature_path"] = ragged.feature_path
                               ? ToList(*ragged.feature_path, &ToText)
                               : nb::list();
    dict["partitions"] = ToList(ragged.partitions, [](const auto& partition) {
      return std::visit(Partition(), partition);
    });
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
  return ToList(self.features, [](const tfmd::Feature& feature) {
    return ToText(feature.name);
  });
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

// Returns the categorical features. A build without statistics, which alone use
// them, returns none.
nb::list CategoricalOf(const Schema& self) {
  if constexpr (kHasStats) {
    return ToList(CategoricalFeatures(self), &ToText);
  } else {
    return nb::list();
  }
}

// Counts the features of raw records, batch by batch.
class PyCensus {
 public:
  // With `counts_values`, knows how many different values features of bytes
  // have, in a build with statistics.
  PyCensus(const nb::object& message, bool counts_values)
      : counter_(MessageFrom(message)), counts_values_(counts_values) {
    if (counter_.census().message() == MessageType::kRaw) {
      Raise(
          Status(ErrorCode::kInvalidArgument,
                 "message must not be \"raw\": raw records have no features"));
    }
  }

  // Counts the first `most` records; `files` are those of the batch's reader.
  void Add(const PyBatch& batch, const std::vector<std::string>& files,
           size_t most) {
    Check(WithoutGil([&] { return AddRecords(batch.batch, files, most); }));
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
  // Each text is "GLOB" or "NAME=GLOB".
  nb::object ToSpec(const std::vector<std::string>& matrices,
                    const std::vector<std::string>& jagged) const;

 private:
  Status AddRecords(const Batch& batch, const std::vector<std::string>& files,
                    size_t most);
  void CountValues();

  BlockCensus counter_;
  bool counts_values_;
  // Empty if values are not counted.
  std::function<Status(std::span<const NumberedRecord>)> count_values_;
  std::function<StatsSummary()> summarize_;
  uint64_t num_records_ = 0;
};

nb::object PyCensus::ToSpec(const std::vector<std::string>& matrices,
                            const std::vector<std::string>& jagged) const {
  infer::NumDistinct num_distinct;
  if constexpr (kHasStats) {
    if (summarize_) {
      num_distinct = [summary = summarize_()](
                         std::string_view name,
                         bool in_sequence) -> std::optional<uint64_t> {
        const FeatureSummary* const feature = summary.Find(name, in_sequence);
        if (feature == nullptr || !feature->bytes) return std::nullopt;
        return feature->bytes->distinct;
      };
    }
  }
  return ToPythonSpec(Check(infer::InferSpec(
      counter_.census(), {.matrices = matrices, .jagged = jagged},
      num_distinct)));
}

// The census knows the message after the first batch.
void PyCensus::CountValues() {
  const MessageType message = counter_.census().message();
  counts_values_ = false;
  if (message == MessageType::kElwc) return;
  const auto stats =
      std::make_shared<FeatureStats>(StatsOptions{.message = message});
  count_values_ = [stats](std::span<const NumberedRecord> records) {
    return stats->AddRecords("", records,
                             [](size_t, const Status&) { return Status(); });
  };
  summarize_ = [stats] { return stats->Summary(); };
}

Status PyCensus::AddRecords(const Batch& batch,
                            const std::vector<std::string>& files,
                            size_t most) {
  auto records = batch.columns()[0].bytes();
  records = records.first(std::min(most, records.size()));
  std::vector<NumberedRecord> numbered;
  for (const std::string_view record : records) {
    numbered.push_back({record, num_records_++});
  }
  HEADRACE_RETURN_IF_ERROR(
      counter_.Add(numbered, [&](size_t i, const Status& refused) {
        ErrorInfo info = *refused.info();
        info.file = files[batch.origins()[i].file];
        info.record = batch.origins()[i].record;
        info.offset = batch.origins()[i].offset;
        return Status(std::move(info));
      }));
  if constexpr (kHasStats) {
    if (counts_values_) CountValues();
  }
  return count_values_ ? count_values_(numbered) : Status();
}

constexpr const char* kSchemaDoc =
    "A tensorflow.metadata.v0.Schema, read without protobuf.\n\n"
    "    >>> schema = headrace.Schema.from_file(\"schema.pbtxt\")\n"
    "    >>> headrace.open(paths, schema=schema)     # its features as "
    "columns\n"
    "    >>> headrace.open(paths, spec=schema)       # its tensors\n\n"
    "A schema is immutable and comparable, and can be pickled. All methods\n"
    "raise BadSpecError for a schema that contradicts itself.";

void BindSchemas(nb::module_& m) {
  nb::class_<PyCensus>(m, "Census")
      .def(nb::init<const nb::object&, bool>(), nb::arg("message") = nb::none(),
           nb::arg("counts_values") = false)
      .def("add", &PyCensus::Add, nb::arg("batch"), nb::arg("files"),
           nb::arg("most"))
      .def("tell", &PyCensus::Tell)
      .def("schema", &PyCensus::ToSchema)
      .def("spec", &PyCensus::ToSpec, nb::arg("matrices"), nb::arg("jagged"));
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
          "Raises BadSpecError if explicit tensors do not fit the features.")
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

}  // namespace

void BindSpec(nb::module_& m) {
  BindSchemas(m);

  nb::class_<FeatureSpec>(m, "FeatureSpec")
      .def(
          "__init__",
          [](FeatureSpec* self, const nb::object& message) {
            new (self) FeatureSpec(MessageFrom(message));
          },
          nb::arg("message"))
      .def_static(
          "from_json",
          [](const nb::bytes& json, std::string folder, bool files) {
            return Check(FeatureSpec::FromJson(
                ViewOf(json), {.folder = std::move(folder), .files = files}));
          },
          nb::arg("json"), nb::arg("folder") = "", nb::arg("files") = true)
      .def("to_json",
           [](const FeatureSpec& self) { return ToText(self.ToJson()); })
      .def("add", &AddFeature<&FeatureSpec::Add>, nb::arg("name"),
           nb::arg("feature"))
      .def("add_sequence", &AddFeature<&FeatureSpec::AddSequence>,
           nb::arg("name"), nb::arg("feature"))
      .def("add_to_examples", &AddFeature<&FeatureSpec::AddToExamples>,
           nb::arg("name"), nb::arg("feature"))
      .def(
          "set_lists",
          [](FeatureSpec& self, int64_t list_size,
             std::optional<std::string> size_feature_name,
             std::optional<std::string> mask_feature_name) {
            self.SetLists({list_size, std::move(size_feature_name),
                           std::move(mask_feature_name)});
          },
          nb::arg("list_size"), nb::arg("size_feature_name").none(),
          nb::arg("mask_feature_name").none())
      .def_prop_ro(
          "message",
          [](const FeatureSpec& self) { return NameOf(self.message()); })
      .def_prop_ro("example_features",
                   [](const FeatureSpec& self) {
                     return ToList(self.example_features(), &ToTuple);
                   })
      .def_prop_ro("lists",
                   [](const FeatureSpec& self) {
                     const ListOptions& lists = self.lists();
                     return nb::make_tuple(lists.list_size,
                                           lists.size_feature_name,
                                           lists.mask_feature_name);
                   })
      .def_prop_ro("features",
                   [](const FeatureSpec& self) {
                     return ToList(self.features(), &ToTuple);
                   })
      .def_prop_ro("sequence_features", [](const FeatureSpec& self) {
        return ToList(self.sequence_features(), &ToTuple);
      });
}

}  // namespace headrace::python
