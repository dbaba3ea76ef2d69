#include "python/src/spec.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/reader/options.h"

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
  std::vector<std::string> texts;
  for (const nb::bytes& value : ListOf<nb::bytes>(values)) {
    texts.emplace_back(value.c_str(), value.size());
  }
  return texts;
}

nb::object DefaultsTo(const DefaultValues& values) {
  nb::list list;
  if (const auto* whole = std::get_if<std::vector<int64_t>>(&values)) {
    for (const int64_t value : *whole) list.append(value);
  } else if (const auto* floats = std::get_if<std::vector<float>>(&values)) {
    const nb::object float_of = FloatsByBits("float_of_bits");
    for (const float value : *floats) {
      list.append(float_of(std::bit_cast<uint32_t>(value)));
    }
  } else {
    for (const auto& value : *std::get_if<std::vector<std::string>>(&values)) {
      list.append(ToBytes(value));
    }
  }
  return list;
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

// Converts a headrace.Feature, whose fields have been checked and have the
// types that the class declares.
FeatureConfig ConfigFrom(const nb::object& feature) {
  FeatureConfig config{.layout = *ParseName<Layout>(
                           nb::cast<std::string_view>(feature.attr("_kind"))),
                       .dtype = DTypeFrom(feature.attr("dtype"))};
  const auto read = [&feature](const char* name, auto* field) {
    const nb::object value = nb::getattr(feature, name, nb::none());
    if (!value.is_none()) {
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
  const auto get = [&feature](const char* name) {
    return nb::getattr(feature, name, nb::none());
  };
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

nb::list PartitionsTo(const std::vector<Partition>& partitions) {
  nb::list list;
  for (const Partition& partition : partitions) {
    nb::object argument = ToText(partition.key);
    if (partition.type == PartitionType::kUniformRowLength) {
      argument = nb::int_(partition.uniform_row_length);
    }
    list.append(nb::make_tuple(PartitionTypeName(partition.type), argument));
  }
  return list;
}

// Returns the arguments for headrace's class of this layout.
nb::dict ArgumentsOf(const FeatureConfig& config) {
  nb::dict arguments;
  arguments["dtype"] = DTypeName(config.dtype);
  const auto text = [](const std::optional<std::string>& value) {
    return value ? ToText(*value) : nb::none();
  };
  switch (config.layout) {
    case Layout::kFixedLenSequence:
      arguments["allow_missing"] = config.allow_missing;
      [[fallthrough]];
    case Layout::kFixedLen:
      arguments["shape"] = config.shape;
      if (config.default_values) {
        arguments["default_value"] = DefaultsTo(*config.default_values);
      }
      break;
    case Layout::kVarLen:
      arguments["pad_to"] = config.pad_to;
      arguments["truncate"] = config.truncate;
      break;
    case Layout::kSparse:
      arguments["index_key"] = config.index_keys;
      arguments["value_key"] = text(config.value_key);
      arguments["size"] = config.size;
      arguments["already_sorted"] = config.already_sorted;
      arguments["check_indices"] = config.check_indices;
      break;
    case Layout::kRagged:
      arguments["value_key"] = text(config.value_key);
      arguments["partitions"] = PartitionsTo(config.partitions);
      arguments["row_splits_dtype"] = DTypeName(config.row_splits_dtype);
      if (!config.shape.empty()) arguments["shape"] = config.shape;
      arguments["item_shape"] = config.item_shape;
      arguments["item_shape_key"] = text(config.item_shape_key);
      if (!config.group.empty()) arguments["group"] = ToText(config.group);
      break;
  }
  if (config.encoding != Encoding::kRaw) {
    arguments["encoding"] = EncodingName(config.encoding);
  }
  arguments["column"] = text(config.column);
  if (config.as) arguments["as_"] = DTypeName(*config.as);
  arguments["as_bits"] = config.as_bits;
  return arguments;
}

nb::list ToTuples(const std::vector<NamedFeature>& features) {
  nb::list list;
  for (const NamedFeature& feature : features) list.append(ToTuple(feature));
  return list;
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

void BindSpec(nb::module_& m) {
  nb::class_<FeatureSpec>(m, "FeatureSpec")
      .def(
          "__init__",
          [](FeatureSpec* self, const nb::object& message) {
            new (self) FeatureSpec(MessageFrom(message));
          },
          nb::arg("message"))
      .def_static(
          "from_json",
          [](const nb::bytes& json) {
            return Check(FeatureSpec::FromJson({json.c_str(), json.size()}));
          },
          nb::arg("json"))
      .def("to_json",
           [](const FeatureSpec& self) { return ToText(self.ToJson()); })
      .def(
          "add",
          [](FeatureSpec& self, std::string name, const nb::object& feature) {
            self.Add(std::move(name), ConfigFrom(feature));
          },
          nb::arg("name"), nb::arg("feature"))
      .def(
          "add_sequence",
          [](FeatureSpec& self, std::string name, const nb::object& feature) {
            self.AddSequence(std::move(name), ConfigFrom(feature));
          },
          nb::arg("name"), nb::arg("feature"))
      .def(
          "add_to_examples",
          [](FeatureSpec& self, std::string name, const nb::object& feature) {
            self.AddToExamples(std::move(name), ConfigFrom(feature));
          },
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
                     return ToTuples(self.example_features());
                   })
      .def_prop_ro("lists",
                   [](const FeatureSpec& self) {
                     const ListOptions& lists = self.lists();
                     return nb::make_tuple(lists.list_size,
                                           lists.size_feature_name,
                                           lists.mask_feature_name);
                   })
      .def_prop_ro(
          "features",
          [](const FeatureSpec& self) { return ToTuples(self.features()); })
      .def_prop_ro("sequence_features", [](const FeatureSpec& self) {
        return ToTuples(self.sequence_features());
      });
}

}  // namespace headrace::python
