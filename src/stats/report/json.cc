// StatsJson; docs/formats/stats.md describes the members.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "headrace/json_text.h"
#include "headrace/stats_report.h"

namespace headrace {
namespace {

constexpr double kQuantiles[] = {0,    0.01, 0.05, 0.1,  0.25, 0.5,
                                 0.75, 0.9,  0.95, 0.99, 1};
constexpr size_t kListedValues = 100;

// JSON has no infinities and no NaN; they become strings, as those of
// AppendJsonFloat.
std::string JsonDouble(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return std::string(text, end);
}

std::string JsonNumber(int64_t value) { return std::to_string(value); }
std::string JsonNumber(uint64_t value) { return std::to_string(value); }
std::string JsonNumber(float value) {
  std::string text;
  AppendJsonFloat(value, &text);
  return text;
}

std::string JsonText(std::string_view value) {
  std::string text;
  AppendJsonString(value, &text);
  return text;
}

std::string JsonBytes(std::string_view value) {
  std::string text;
  AppendJsonBytes(value, &text);
  return text;
}

// An object or array is written member by member.
class JsonObject {
 public:
  explicit JsonObject(char open = '{') : out_(1, open) {}

  void Add(std::string_view name, std::string_view value) {
    AddValue("");
    absl::StrAppend(&out_, "\"", AbslView(name), "\":", AbslView(value));
  }
  void Add(std::string_view name, uint64_t value) {
    Add(name, std::to_string(value));
  }
  void AddValue(std::string_view value) {
    if (out_.size() > 1) out_ += ',';
    out_ += value;
  }
  std::string Close() {
    out_ += out_[0] == '{' ? '}' : ']';
    return std::move(out_);
  }

 private:
  static absl::string_view AbslView(std::string_view text) {
    return {text.data(), text.size()};
  }

  std::string out_;
};

template <class T>
std::string QuantilesJson(const Distribution<T>& distribution) {
  JsonObject quantiles('[');
  for (const double q : kQuantiles) {
    if (distribution.total == 0) break;
    quantiles.AddValue("[" + JsonDouble(q) + "," +
                       JsonNumber(distribution.Quantile(q)) + "]");
  }
  return quantiles.Close();
}

std::string LengthsJson(const LengthStats& lengths) {
  JsonObject object;
  object.Add("min", lengths.min);
  object.Add("mean", JsonDouble(lengths.mean()));
  object.Add("max", lengths.max);
  object.Add("total", lengths.total);
  object.Add("quantiles", QuantilesJson(lengths.distribution));
  object.Add("rank_error", JsonDouble(lengths.distribution.rank_error));
  return object.Close();
}

template <class T>
std::string NumbersJson(const NumberStats<T>& numbers) {
  JsonObject object;
  object.Add("count", numbers.count);
  object.Add("zeros", numbers.zeros);
  object.Add("nan", numbers.nan);
  object.Add("inf", numbers.positive_infinities + numbers.negative_infinities);
  object.Add("positive_inf", numbers.positive_infinities);
  object.Add("negative_inf", numbers.negative_infinities);
  if (numbers.finite() > 0) {
    object.Add("min", JsonNumber(numbers.min));
    object.Add("max", JsonNumber(numbers.max));
    object.Add("mean", JsonDouble(numbers.mean));
    object.Add("std", JsonDouble(numbers.std_dev));
  }
  object.Add("quantiles", QuantilesJson(numbers.distribution));
  object.Add("rank_error", JsonDouble(numbers.distribution.rank_error));
  return object.Close();
}

std::string DistinctJson(const BytesStats& bytes) {
  JsonObject distinct;
  distinct.Add("value", bytes.distinct);
  distinct.Add("exact", bytes.distinct_error == 0 ? "true" : "false");
  distinct.Add("error", JsonDouble(bytes.distinct_error));
  return distinct.Close();
}

std::string TopJson(const BytesStats& bytes) {
  JsonObject top('[');
  size_t listed = 0;
  for (const ValueCount& value : bytes.top) {
    if (listed++ == kListedValues) break;
    top.AddValue("[" + JsonBytes(value.value) + "," +
                 std::to_string(value.count) + "]");
  }
  return top.Close();
}

std::string SamplesJson(const BytesStats& bytes) {
  JsonObject samples('[');
  for (const BytesSample& sample : bytes.samples) {
    JsonObject object;
    object.Add("value", JsonBytes(sample.value));
    object.Add("size", sample.size);
    object.Add("look", JsonText(NameOf(sample.look)));
    if (sample.width > 0) {
      object.Add("width", uint64_t{sample.width});
      object.Add("height", uint64_t{sample.height});
    }
    samples.AddValue(object.Close());
  }
  return samples.Close();
}

std::string BytesJson(const BytesStats& bytes) {
  JsonObject object;
  object.Add("count", bytes.count);
  object.Add("min_length", bytes.lengths.min);
  object.Add("mean_length", JsonDouble(bytes.lengths.mean()));
  object.Add("max_length", bytes.lengths.max);
  object.Add("length_quantiles", QuantilesJson(bytes.lengths.distribution));
  object.Add("distinct", DistinctJson(bytes));
  object.Add("top", TopJson(bytes));
  object.Add("top_error", bytes.top_error);
  object.Add("utf8", bytes.utf8);
  object.Add("samples", SamplesJson(bytes));
  return object.Close();
}

std::string KindsJson(const FeatureSummary& feature) {
  JsonObject kinds;
  for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
    const uint64_t records = feature.present_as[static_cast<size_t>(kind)];
    if (records > 0) kinds.Add(KindName(kind), records);
  }
  return kinds.Close();
}

std::string ClassesJson(const StatsSummary& stats,
                        const FeatureSummary& feature) {
  JsonObject classes('[');
  for (size_t i = 0; i < feature.classes.size(); ++i) {
    const ClassStats& of_class = feature.classes[i];
    JsonObject object;
    object.Add("class", JsonBytes(stats.classes[i].first));
    object.Add("present", of_class.present);
    object.Add("count", of_class.count);
    if (of_class.count > 0) object.Add("mean", JsonDouble(of_class.mean));
    classes.AddValue(object.Close());
  }
  return classes.Close();
}

std::string FeatureJson(const StatsSummary& stats,
                        const FeatureSummary& feature) {
  JsonObject object;
  object.Add("name", JsonText(feature.name));
  object.Add("kind", JsonText(KindName(feature.kind)));
  object.Add("in_sequence", feature.in_sequence ? "true" : "false");
  object.Add("present", feature.present);
  object.Add("missing", feature.missing);
  object.Add("unset", feature.unset);
  object.Add("kinds", KindsJson(feature));
  if (feature.present > 0) {
    JsonObject first;
    first.Add("file", JsonText(feature.first_file));
    if (feature.first_record == kUnknown) {
      first.Add("record", "null");
    } else {
      first.Add("record", feature.first_record);
    }
    object.Add("first", first.Close());
  }
  object.Add("encoded_bytes", feature.encoded_bytes);
  object.Add("values", LengthsJson(feature.values));
  if (feature.in_sequence) {
    object.Add("steps", LengthsJson(feature.steps));
    object.Add("step_values", LengthsJson(feature.step_values));
    object.Add("unset_steps", feature.unset_steps);
  }
  if (feature.int64s) object.Add("int64", NumbersJson(*feature.int64s));
  if (feature.floats) object.Add("float", NumbersJson(*feature.floats));
  if (feature.bytes) object.Add("bytes", BytesJson(*feature.bytes));
  if (feature.categories) {
    object.Add("categories", BytesJson(*feature.categories));
  }
  if (!feature.classes.empty()) {
    object.Add("classes", ClassesJson(stats, feature));
  }
  return object.Close();
}

std::string FilesJson(const StatsSummary& stats) {
  JsonObject files('[');
  for (const FileSummary& file : stats.files) {
    JsonObject object;
    object.Add("name", JsonText(file.name));
    object.Add("records", file.records);
    object.Add("bytes", file.bytes);
    files.AddValue(object.Close());
  }
  return files.Close();
}

}  // namespace

std::string StatsJson(const StatsSummary& stats) {
  JsonObject object;
  object.Add("message", stats.message == MessageType::kSequence
                            ? "\"sequence_example\""
                            : "\"example\"");
  object.Add("records", stats.records);
  object.Add("bytes", stats.bytes);
  object.Add("bad_records", stats.bad_records);
  object.Add("regions", stats.regions);
  object.Add("files", FilesJson(stats));
  if (!stats.by.empty()) {
    object.Add("by", JsonText(stats.by));
    JsonObject classes('[');
    for (const auto& [value, records] : stats.classes) {
      classes.AddValue("[" + JsonBytes(value) + "," + std::to_string(records) +
                       "]");
    }
    object.Add("classes", classes.Close());
  }
  JsonObject features('[');
  for (const FeatureSummary& feature : stats.features) {
    features.AddValue(FeatureJson(stats, feature));
  }
  object.Add("features", features.Close());
  return object.Close() + "\n";
}

}  // namespace headrace
