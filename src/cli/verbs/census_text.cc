#include "src/cli/verbs/census_text.h"

#include <cstdint>
#include <map>
#include <vector>

#include "headrace/json_text.h"
#include "src/cli/input_options.h"
#include "src/cli/text/display_text.h"
#include "src/cli/text/table.h"

namespace headrace::cli {
namespace {

using Counts = std::map<std::string, FeatureCount>;

// The feature has a kind in so many records (or steps).
uint64_t Typed(const FeatureCount& count) {
  return count.present - count.unset;
}

double MeanLength(const FeatureCount& count) {
  return static_cast<double>(count.values) / static_cast<double>(Typed(count));
}

// 99.97 is not 100: only what is always there may say so.
std::string Percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "";
  if (part == whole) return "100%";
  const double percent =
      100 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent > 99.9) return ">99.9%";
  if (percent < 0.1 && part > 0) return "<0.1%";
  return Decimal(percent, 1) + "%";
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
  // In lists each Example that has a feature is a step of it.
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

void AppendField(std::string_view name, const std::string& value,
                 std::string* out) {
  if (out->back() != '{') *out += ",";
  *out += "\"" + std::string(name) + "\":" + value;
}

void AppendText(std::string_view name, std::string_view value,
                std::string* out) {
  std::string text;
  AppendJsonString(value, &text);
  AppendField(name, text, out);
}

std::string Fraction(uint64_t part, uint64_t whole) {
  if (whole == 0) return "0.0";
  std::string text;
  AppendJsonFloat(static_cast<float>(static_cast<double>(part) /
                                     static_cast<double>(whole)),
                  &text);
  return text;
}

std::string FeatureJson(const std::string& name, const FeatureCount& count,
                        uint64_t records, bool is_list) {
  std::string out = "{";
  AppendText("name", name, &out);
  AppendText("kind", KindName(count.kind), &out);
  const uint64_t there = is_list ? count.lists : count.present;
  AppendField("present", std::to_string(there), &out);
  AppendField("presence", Fraction(there, records), &out);
  if (is_list) {
    AppendField("steps", std::to_string(count.present), &out);
    AppendField("min_steps", std::to_string(count.min_steps), &out);
    AppendField("max_steps", std::to_string(count.max_steps), &out);
  }
  AppendField("unset", std::to_string(count.unset), &out);
  AppendField("empty", std::to_string(count.empty), &out);
  AppendField("values", std::to_string(count.values), &out);
  if (Typed(count) > 0) {
    AppendField("min_length", std::to_string(count.min_length), &out);
    AppendField("mean_length", Fraction(count.values, Typed(count)), &out);
    AppendField("max_length", std::to_string(count.max_length), &out);
  }
  if (!count.example.empty()) AppendText("example", count.example, &out);
  return out + "}";
}

std::string FeaturesJson(const Counts& counts, uint64_t records,
                         bool are_lists) {
  std::string out = "[";
  for (const auto& [name, count] : counts) {
    if (out.size() > 1) out += ",";
    out += FeatureJson(name, count, records, are_lists);
  }
  return out + "]";
}

std::string PlaceJson(const RecordPlace& place, Kind kind) {
  std::string out = "{";
  AppendText("file", place.file, &out);
  AppendField("record", std::to_string(place.record), &out);
  AppendText("kind", KindName(kind), &out);
  return out + "}";
}

std::string ConflictsJson(const FeatureCensus& census,
                          const PlaceOf& place_of) {
  std::string out = "[";
  for (const KindConflict& conflict : census.conflicts()) {
    if (out.size() > 1) out += ",";
    out += "{";
    AppendText("feature", conflict.feature, &out);
    AppendField("first",
                PlaceJson(place_of(conflict.first_record), conflict.first),
                &out);
    AppendField("second",
                PlaceJson(place_of(conflict.second_record), conflict.second),
                &out);
    out += "}";
  }
  return out + "]";
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
  std::string out = "{";
  AppendText("message", MessageTypeName(message), &out);
  AppendField("records", std::to_string(records), &out);
  AppendField("features", FeaturesJson(census.features(), records, false),
              &out);
  if (message == MessageType::kElwc) {
    AppendField("example_features",
                FeaturesJson(census.feature_lists(), records, true), &out);
  } else if (message == MessageType::kSequence) {
    AppendField("feature_lists",
                FeaturesJson(census.feature_lists(), records, true), &out);
  }
  AppendField("conflicts", ConflictsJson(census, place_of), &out);
  return out + "}\n";
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
    // A list of which no step has a kind keeps the level of the steps.
    out += Printable(name) + ": " +
           ListOf(count.kind == Kind::kNull ? "null"
                                            : ListOf(ArrowType(count.kind)));
  }
  return out + ">\n";
}

}  // namespace headrace::cli
