#include "src/cli/verbs/census_text.h"

#include <cstdint>
#include <map>
#include <vector>

#include "src/base/json/json_writer.h"
#include "src/cli/input_options.h"
#include "src/cli/text/display_text.h"
#include "src/cli/text/table.h"

namespace headrace::cli {
namespace {

using Counts = std::map<std::string, FeatureCount>;

// The number of records (or steps) in which the feature has a kind.
uint64_t Typed(const FeatureCount& count) {
  return count.present - count.unset;
}

double MeanLength(const FeatureCount& count) {
  return static_cast<double>(count.values) / static_cast<double>(Typed(count));
}

std::string Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? "" : ShareText(part, whole);
}

// Most lists have one value; three columns of ones would be hard to read.
std::string Lengths(const FeatureCount& count) {
  if (Typed(count) == 0) return "";
  const std::string least = Grouped(count.min_length);
  if (count.min_length == count.max_length) return least;
  return least + " / " + Decimal(MeanLength(count), 1) + " / " +
         Grouped(count.max_length);
}

std::string Steps(const FeatureCount& count) {
  const std::string least = Grouped(count.min_steps);
  if (count.min_steps == count.max_steps) return least;
  return least + " / " +
         Decimal(static_cast<double>(count.present) /
                     static_cast<double>(count.lists),
                 1) +
         " / " + Grouped(count.max_steps);
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
  // In a list each Example that has a feature is a step of that feature.
  const bool is_list = census.message() == MessageType::kElwc;
  Table table({is_list ? "in Examples" : "feature list", "kind", ">presence",
               is_list ? ">Examples" : ">steps", ">length", "example", ""});
  for (const auto& [name, count] : census.feature_lists()) {
    table.AddRow({Printable(name), std::string(KindName(count.kind)),
                  Percent(count.lists, census.num_records()), Steps(count),
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
  switch (kind) {
    case Kind::kBytes:
      return "binary";
    case Kind::kFloat:
      return "float";
    case Kind::kInt64:
      return "int64";
    case Kind::kNull:
      break;
  }
  return "null";
}

std::string ListOf(const std::string& type) {
  return "list<item: " + type + ">";
}

}  // namespace

std::string CensusTable(const FeatureCensus& census, size_t width, bool color) {
  Table table({"feature", "kind", ">presence", ">length", "example", ""});
  for (const auto& [name, count] : census.features()) {
    table.AddRow({Printable(name), std::string(KindName(count.kind)),
                  Percent(count.present, census.num_records()), Lengths(count),
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
    // A list without a kind in any step keeps the level of the steps.
    out += Printable(name) + ": " +
           ListOf(count.kind == Kind::kNull ? "null"
                                            : ListOf(ArrowType(count.kind)));
  }
  return out + ">\n";
}

}  // namespace headrace::cli
