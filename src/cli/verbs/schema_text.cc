#include "src/cli/verbs/schema_text.h"

#include <map>
#include <string_view>

#include "src/base/json/json_writer.h"
#include "src/cli/input_options.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

using Counts = std::map<std::string, FeatureCount>;

// The number of records (or steps) in which the feature has a kind.
uint64_t Typed(const FeatureCount& count) {
  return count.present - count.unset;
}

std::string Lengths(const FeatureCount& count) {
  if (Typed(count) == 0) return "";
  return SpreadText(
      count.min_length,
      static_cast<double>(count.values) / static_cast<double>(Typed(count)),
      count.max_length);
}

std::string Steps(const FeatureCount& count) {
  return SpreadText(
      count.min_steps,
      static_cast<double>(count.present) / static_cast<double>(count.lists),
      count.max_steps);
}

std::string Notes(const FeatureCount& count) {
  std::string notes;
  if (count.unset > 0) notes = Grouped(count.unset) + " without kind";
  if (count.empty > 0) {
    notes += (notes.empty() ? "" : ", ") + Grouped(count.empty) + " empty";
  }
  return notes;
}

std::string ListTable(const FeatureCensus& census, size_t width, bool color) {
  // In a list of Examples, each Example that has a feature is a step of that
  // feature.
  const bool is_list = census.message() == MessageType::kElwc;
  Table table({is_list ? "in Examples" : "feature list", "kind", ">presence",
               is_list ? ">Examples" : ">steps", ">length", "example", ""});
  for (const auto& [name, count] : census.feature_lists()) {
    table.AddRow({Printable(name), std::string(KindName(count.kind)),
                  PartText(count.lists, census.num_records()), Steps(count),
                  Lengths(count), Printable(count.example), Notes(count)});
  }
  return table.ToString(width, color);
}

float Fraction(uint64_t part, uint64_t whole) {
  if (whole == 0) return 0;
  return static_cast<float>(static_cast<double>(part) /
                            static_cast<double>(whole));
}

void AddFeatures(std::string_view key, const Counts& counts, uint64_t records,
                 bool are_lists, JsonWriter* json) {
  json->AddList(key, counts, [&](const auto& named) {
    const FeatureCount& count = named.second;
    const uint64_t there = are_lists ? count.lists : count.present;
    json->Open('{');
    json->Add("name", named.first);
    json->Add("kind", KindName(count.kind));
    json->Add("present", there);
    json->Add("presence", Fraction(there, records));
    if (are_lists) {
      json->Add("steps", count.present);
      json->Add("min_steps", count.min_steps);
      json->Add("max_steps", count.max_steps);
    }
    json->Add("unset", count.unset);
    json->Add("empty", count.empty);
    json->Add("values", count.values);
    if (Typed(count) > 0) {
      json->Add("min_length", count.min_length);
      json->Add("mean_length", Fraction(count.values, Typed(count)));
      json->Add("max_length", count.max_length);
    }
    if (!count.example.empty()) json->Add("example", count.example);
    json->Close('}');
  });
}

void AddPlace(std::string_view key, const RecordPlace& place, Kind kind,
              JsonWriter* json) {
  json->AddObject(key, [&] {
    json->Add("file", place.file);
    json->Add("record", place.record);
    json->Add("kind", KindName(kind));
  });
}

std::string ArrowType(Kind kind) {
  return kind == Kind::kBytes ? "binary" : std::string(KindName(kind));
}

std::string ListOf(const std::string& type) {
  return "list<item: " + type + ">";
}

// The text must be UTF-8. The escapes of Printable are Python's, too.
std::string PythonString(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return '"' + Printable(escaped) + '"';
}

std::string TfDType(DType dtype) {
  return dtype == DType::kBytes   ? "tf.string"
         : dtype == DType::kFloat ? "tf.float32"
                                  : "tf.int64";
}

std::string ShapeList(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

// An inferred default consists of zeros or empty bytes values, and has at most
// one dimension.
std::string DefaultText(const FeatureConfig& config) {
  if (!config.default_values) return "";
  const std::string value = config.dtype == DType::kBytes   ? "b\"\""
                            : config.dtype == DType::kFloat ? "0.0"
                                                            : "0";
  if (config.shape.empty()) return ", " + value;
  return ", [" + value + "] * " + std::to_string(config.shape[0]);
}

std::string TfFeature(const FeatureConfig& config) {
  const std::string dtype = TfDType(config.dtype);
  if (config.layout == Layout::kFixedLen) {
    return "tf.io.FixedLenFeature(" + ShapeList(config.shape) + ", " + dtype +
           DefaultText(config) + ")";
  }
  if (config.layout == Layout::kFixedLenSequence) {
    return "tf.io.FixedLenSequenceFeature(" + ShapeList(config.shape) + ", " +
           dtype + (config.allow_missing ? ", allow_missing=True)" : ")");
  }
  return "tf.io.VarLenFeature(" + dtype + ")";
}

std::string Dict(std::string_view name,
                 const std::vector<NamedFeature>& features) {
  std::string text = "\n" + std::string(name) + " = {";
  for (const NamedFeature& feature : features) {
    text += "\n    " + PythonString(feature.name) + ": " +
            TfFeature(feature.config) + ",";
  }
  return text + (features.empty() ? "}\n" : "\n}\n");
}

}  // namespace

std::string CensusTable(const FeatureCensus& census, size_t width, bool color) {
  Table table({"feature", "kind", ">presence", ">length", "example", ""});
  for (const auto& [name, count] : census.features()) {
    table.AddRow({Printable(name), std::string(KindName(count.kind)),
                  PartText(count.present, census.num_records()), Lengths(count),
                  Printable(count.example), Notes(count)});
  }
  std::string text = table.num_rows() > 0 ? table.ToString(width, color) : "";
  if (!census.feature_lists().empty()) {
    text += (text.empty() ? "" : "\n") + ListTable(census, width, color);
  }
  if (!text.empty()) text += "\n";
  return text + Counted(census.num_records(), "record") + ", " +
         Counted(census.features().size() + census.feature_lists().size(),
                 "feature") +
         "; length is min / mean / max where it varies\n";
}

std::string CensusJson(const FeatureCensus& census, MessageType message,
                       const PlaceOf& place_of) {
  const uint64_t records = census.num_records();
  const std::string text = JsonObject([&](JsonWriter& json) {
    json.Add("message", MessageTypeName(message));
    json.Add("records", records);
    AddFeatures("features", census.features(), records, false, &json);
    const bool is_list = message == MessageType::kElwc;
    if (is_list || message == MessageType::kSequence) {
      AddFeatures(is_list ? "example_features" : "feature_lists",
                  census.feature_lists(), records, true, &json);
    }
    json.AddList(
        "conflicts", census.conflicts(), [&](const KindConflict& found) {
          json.Object([&] {
            json.Add("feature", found.feature);
            AddPlace("first", place_of(found.first_record), found.first, &json);
            AddPlace("second", place_of(found.second_record), found.second,
                     &json);
          });
        });
  });
  return text + "\n";
}

std::vector<std::string> UntypedFeatures(const FeatureCensus& census) {
  std::vector<std::string> names;
  for (const auto& [name, count] : census.features()) {
    if (count.kind == Kind::kNull) names.push_back(name);
  }
  for (const auto& [name, count] : census.feature_lists()) {
    if (count.kind == Kind::kNull) names.push_back("##SEQUENCE##." + name);
  }
  return names;
}

std::string CensusArrow(const FeatureCensus& census) {
  std::string out;
  for (const auto& [name, count] : census.features()) {
    out +=
        Printable(name) + ": " +
        (count.kind == Kind::kNull ? "null" : ListOf(ArrowType(count.kind))) +
        "\n";
  }
  if (!census.has_feature_lists()) return out;
  out += "##SEQUENCE##: struct<";
  bool first = true;
  for (const auto& [name, count] : census.feature_lists()) {
    if (!first) out += ", ";
    first = false;
    // A feature list that has no kind in any step is still a list of steps:
    // list<item: null>.
    out += Printable(name) + ": " +
           ListOf(count.kind == Kind::kNull ? "null"
                                            : ListOf(ArrowType(count.kind)));
  }
  return out + ">\n";
}

std::string TfSource(const FeatureSpec& spec) {
  const std::string head = "import tensorflow as tf\n";
  if (IsListOfExamples(spec.message())) {
    return head + Dict("context_spec", spec.features()) +
           Dict("example_spec", spec.example_features());
  }
  if (spec.message() != MessageType::kSequence) {
    return head + Dict("features", spec.features());
  }
  return head + Dict("context_features", spec.features()) +
         Dict("sequence_features", spec.sequence_features());
}

}  // namespace headrace::cli
