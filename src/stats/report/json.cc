// StatsJson writes statistics as JSON; docs/formats/stats.md describes the
// members.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "headrace/stats_report.h"
#include "src/base/json/json_writer.h"

namespace headrace {
namespace {

constexpr double kQuantiles[] = {0,    0.01, 0.05, 0.1,  0.25, 0.5,
                                 0.75, 0.9,  0.95, 0.99, 1};
constexpr size_t kListedValues = 100;

// Writes the JSON objects of the statistics.
class StatsWriter {
 public:
  explicit StatsWriter(std::string* out) : json_(out) {}

  void Write(const StatsSummary& stats) {
    json_.Open('{');
    json_.Add("message", stats.message == MessageType::kSequence
                             ? "sequence_example"
                             : "example");
    json_.Add("records", stats.records);
    json_.Add("bytes", stats.bytes);
    json_.Add("bad_records", stats.bad_records);
    json_.Add("regions", stats.regions);
    json_.AddList("files", stats.files, [&](const FileSummary& file) {
      json_.Object([&] {
        json_.Add("name", file.name);
        json_.Add("records", file.records);
        json_.Add("bytes", file.bytes);
      });
    });
    if (!stats.by.empty()) {
      json_.Add("by", stats.by);
      json_.AddList("classes", stats.classes, [&](const auto& a_class) {
        WriteCounted(a_class.first, a_class.second);
      });
    }
    json_.AddList(
        "features", stats.features,
        [&](const FeatureSummary& feature) { WriteFeature(stats, feature); });
    json_.Close('}');
  }

 private:
  template <class T>
  void AddQuantiles(std::string_view key, const Distribution<T>& distribution) {
    json_.AddList(key, kQuantiles, [&](double q) {
      if (distribution.total > 0) json_.Tuple(q, distribution.Quantile(q));
    });
  }

  void AddLengths(std::string_view key, const LengthStats& lengths) {
    json_.AddObject(key, [&] {
      json_.Add("min", lengths.min);
      json_.Add("mean", lengths.mean());
      json_.Add("max", lengths.max);
      json_.Add("total", lengths.total);
      AddQuantiles("quantiles", lengths.distribution);
      json_.Add("rank_error", lengths.distribution.rank_error);
    });
  }

  template <class T>
  void AddNumbers(std::string_view key, const NumberStats<T>& numbers) {
    json_.AddObject(key, [&] {
      json_.Add("count", numbers.count);
      json_.Add("zeros", numbers.zeros);
      json_.Add("nan", numbers.nan);
      json_.Add("inf",
                numbers.positive_infinities + numbers.negative_infinities);
      json_.Add("positive_inf", numbers.positive_infinities);
      json_.Add("negative_inf", numbers.negative_infinities);
      if (numbers.finite() > 0) {
        json_.Add("min", numbers.min);
        json_.Add("max", numbers.max);
        json_.Add("mean", numbers.mean);
        json_.Add("std", numbers.std_dev);
      }
      AddQuantiles("quantiles", numbers.distribution);
      json_.Add("rank_error", numbers.distribution.rank_error);
    });
  }

  void AddBytes(std::string_view key, const BytesStats& bytes) {
    json_.AddObject(key, [&] {
      json_.Add("count", bytes.count);
      json_.Add("min_length", bytes.lengths.min);
      json_.Add("mean_length", bytes.lengths.mean());
      json_.Add("max_length", bytes.lengths.max);
      AddQuantiles("length_quantiles", bytes.lengths.distribution);
      json_.AddObject("distinct", [&] {
        json_.Add("value", bytes.distinct);
        json_.Add("exact", bytes.distinct_error == 0);
        json_.Add("error", bytes.distinct_error);
      });
      const std::span<const ValueCount> top(bytes.top);
      json_.AddList("top", top.first(std::min(top.size(), kListedValues)),
                    [&](const ValueCount& value) {
                      WriteCounted(value.value, value.count);
                    });
      json_.Add("top_error", bytes.top_error);
      json_.Add("utf8", bytes.utf8);
      json_.AddList("samples", bytes.samples,
                    [&](const BytesSample& sample) { WriteSample(sample); });
    });
  }

  void WriteSample(const BytesSample& sample) {
    json_.Object([&] {
      json_.AddBytes("value", sample.value);
      json_.Add("size", sample.size);
      json_.Add("look", NameOf(sample.look));
      if (sample.width > 0) {
        json_.Add("width", sample.width);
        json_.Add("height", sample.height);
      }
    });
  }

  // Writes a value with its count, as an array.
  void WriteCounted(std::string_view value, uint64_t count) {
    json_.Open('[');
    json_.Bytes(value);
    json_.Value(count);
    json_.Close(']');
  }

  void AddFirst(const FeatureSummary& feature) {
    json_.AddObject("first", [&] {
      json_.Add("file", feature.first_file);
      if (feature.first_record == kUnknown) return json_.AddNull("record");
      json_.Add("record", feature.first_record);
    });
  }

  void AddClasses(const StatsSummary& stats, const FeatureSummary& feature) {
    auto class_name = stats.classes.begin();
    json_.AddList("classes", feature.classes, [&](const ClassStats& of_class) {
      json_.Object([&] {
        json_.AddBytes("class", class_name++->first);
        json_.Add("present", of_class.present);
        json_.Add("count", of_class.count);
        if (of_class.count > 0) json_.Add("mean", of_class.mean);
      });
    });
  }

  void WriteFeature(const StatsSummary& stats, const FeatureSummary& feature) {
    json_.Open('{');
    json_.Add("name", feature.name);
    json_.Add("kind", KindName(feature.kind));
    json_.Add("in_sequence", feature.in_sequence);
    json_.Add("present", feature.present);
    json_.Add("missing", feature.missing);
    json_.Add("unset", feature.unset);
    json_.AddObject("kinds", [&] {
      for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
        const uint64_t records = feature.present_as[static_cast<size_t>(kind)];
        if (records > 0) json_.Add(KindName(kind), records);
      }
    });
    if (feature.present > 0) AddFirst(feature);
    json_.Add("encoded_bytes", feature.encoded_bytes);
    AddLengths("values", feature.values);
    if (feature.in_sequence) {
      AddLengths("steps", feature.steps);
      AddLengths("step_values", feature.step_values);
      json_.Add("unset_steps", feature.unset_steps);
    }
    if (feature.int64s) AddNumbers("int64", *feature.int64s);
    if (feature.floats) AddNumbers("float", *feature.floats);
    if (feature.bytes) AddBytes("bytes", *feature.bytes);
    if (feature.categories) AddBytes("categories", *feature.categories);
    if (!feature.classes.empty()) AddClasses(stats, feature);
    json_.Close('}');
  }

  JsonWriter json_;
};

}  // namespace

std::string StatsJson(const StatsSummary& stats) {
  std::string text;
  StatsWriter(&text).Write(stats);
  return text + "\n";
}

}  // namespace headrace
