#include "src/cli/verbs/stats_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "src/cli/folders.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

constexpr size_t kListedRemarks = 20;
constexpr size_t kListedClasses = 8;
constexpr size_t kTopBytesShown = 24;
constexpr size_t kListedLabels = 3;

std::string Lengths(const LengthStats& lengths) {
  if (lengths.count == 0) return "";
  return SpreadText(lengths.min, lengths.mean(), lengths.max);
}

std::string TopValue(const ValueCount& value) {
  std::string text =
      Printable(std::string_view(value.value).substr(0, kTopBytesShown));
  if (value.size > kTopBytesShown) text += "\u2026";
  return "\"" + text + "\"";
}

template <class T>
std::string Notes(const NumberStats<T>& numbers) {
  std::string notes;
  const auto add = [&notes](const std::string& note) {
    notes += (notes.empty() ? "" : ", ") + note;
  };
  const uint64_t infinities =
      numbers.positive_infinities + numbers.negative_infinities;
  if (numbers.zeros > 0) add(PartText(numbers.zeros, numbers.count) + " zero");
  if (numbers.nan > 0) add(Grouped(numbers.nan) + " NaN");
  if (infinities > 0) add(Grouped(infinities) + " infinite");
  return notes;
}

struct StatsCells {
  std::string kind = {};
  std::string least = {};
  std::string mean = {};
  std::string median = {};
  std::string greatest = {};
  std::string distinct = {};
  std::string notes = {};
};

template <class T>
StatsCells StatsRow(const NumberStats<T>& numbers, Kind kind) {
  StatsCells row = {.kind = std::string(KindName(kind)),
                    .notes = Notes(numbers)};
  if (numbers.finite() == 0) return row;
  row.least = NumberText(static_cast<double>(numbers.min));
  row.mean = NumberText(numbers.mean) + " \u00b1" + NumberText(numbers.std_dev);
  row.median =
      NumberText(static_cast<double>(numbers.distribution.Quantile(0.5)));
  row.greatest = NumberText(static_cast<double>(numbers.max));
  return row;
}

StatsCells StatsRow(const BytesStats& bytes, Kind kind) {
  StatsCells row = {.kind = std::string(KindName(kind))};
  row.distinct =
      (bytes.distinct_error > 0 ? "~" : "") + Grouped(bytes.distinct);
  if (bytes.count == 0) return row;
  row.least = ByteSize(bytes.lengths.min);
  row.mean = Decimal(bytes.lengths.mean(), 1) + " B";
  row.median = ByteSize(bytes.lengths.distribution.Quantile(0.5));
  row.greatest = ByteSize(bytes.lengths.max);
  if (!bytes.top.empty()) {
    row.notes = TopValue(bytes.top[0]) + " " +
                PartText(bytes.top[0].count, bytes.count);
  }
  return row;
}

// Returns text like "cat" 40%, "dog" 30%.
std::string TopLabels(const NumberStats<int64_t>& numbers,
                      const std::vector<std::string>& names) {
  std::map<int64_t, uint64_t> counts;
  for (const auto& item : numbers.distribution.items) {
    counts[item.value] += item.weight;
  }
  std::vector<std::pair<uint64_t, int64_t>> top;
  for (const auto& [label, count] : counts) top.emplace_back(count, label);
  std::ranges::stable_sort(
      top, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (size_t i = 0; i < std::min(top.size(), kListedLabels); ++i) {
    const int64_t label = top[i].second;
    const bool has_name =
        label >= 0 && static_cast<size_t>(label) < names.size();
    if (i > 0) text += ", ";
    text += has_name
                ? "\"" + Printable(names[static_cast<size_t>(label)]) + "\""
                : std::to_string(label);
    text += numbers.distribution.rank_error > 0 ? " ~" : " ";
    text += PartText(top[i].first, numbers.distribution.total);
  }
  return text;
}

std::vector<StatsCells> RowsOf(const FeatureSummary& feature) {
  std::vector<StatsCells> rows;
  if (feature.int64s) rows.push_back(StatsRow(*feature.int64s, Kind::kInt64));
  if (feature.floats) rows.push_back(StatsRow(*feature.floats, Kind::kFloat));
  if (feature.bytes) rows.push_back(StatsRow(*feature.bytes, Kind::kBytes));
  if (rows.empty()) rows.push_back({.kind = "null"});
  return rows;
}

std::string DisplayName(const std::string& name, bool in_sequence) {
  return (in_sequence ? "[] " : "") + Printable(name);
}

std::string Totals(const StatsSummary& stats) {
  std::string text = Counted(stats.records, "record") + ", " +
                     Counted(stats.features.size(), "feature") + ", " +
                     ByteSize(stats.bytes);
  if (stats.files.size() > 1) {
    text += " in " + Counted(stats.files.size(), "file");
  }
  if (stats.bad_records > 0) {
    text += "; " + Counted(stats.bad_records, "record") + " left out";
  }
  if (stats.regions > 0) {
    text += "; " + Counted(stats.regions, "damaged region");
  }
  return text + "\n";
}

std::string Remarks(const StatsSummary& stats) {
  std::string text;
  const std::vector<Remark> remarks = FindRemarks(stats);
  for (size_t i = 0; i < std::min(remarks.size(), kListedRemarks); ++i) {
    const Remark& remark = remarks[i];
    text += "  ";
    if (!remark.feature.empty()) {
      text += DisplayName(remark.feature, remark.in_sequence) + ": ";
    }
    text += Printable(remark.text) + "\n";
  }
  if (remarks.size() > kListedRemarks) {
    text += "  ... and " +
            Counted(remarks.size() - kListedRemarks, "more remark") + "\n";
  }
  return text.empty() ? text : "\nworth a look:\n" + text;
}

std::string Distance(const std::optional<double>& distance) {
  return distance ? Decimal(*distance, 3) : "";
}

}  // namespace

std::string StatsTable(const StatsSummary& stats, const tfds::Info* folder,
                       size_t width, bool color) {
  Table table({"feature", "kind", ">presence", ">length", ">min", ">mean",
               ">median", ">max", ">distinct", ""});
  const LabelNames labels = folder ? LabelNames(*folder) : LabelNames();
  PathTree tree;
  for (const FeatureSummary& feature : stats.features) {
    std::string name = DisplayName(feature.name, feature.in_sequence);
    if (folder != nullptr) {
      name = tree.AddFolders(feature.name, "", &table);
    }
    for (StatsCells& row : RowsOf(feature)) {
      const std::vector<std::string>* const names = labels.Find(feature.name);
      if (names != nullptr && feature.int64s) {
        row.notes = TopLabels(*feature.int64s, *names);
      }
      table.AddRow({name, row.kind, PartText(feature.present, stats.records),
                    Lengths(feature.values), row.least, row.mean, row.median,
                    row.greatest, row.distinct, row.notes});
    }
  }
  std::string text =
      table.num_rows() > 0 ? table.ToString(width, color) + "\n" : "";
  return text + Totals(stats) +
         "for bytes, min to max are their sizes; [] is a feature list, "
         "~ an estimate\n" +
         Remarks(stats);
}

std::string DifferenceTable(const std::vector<FeatureDifference>& differences,
                            size_t width, bool color) {
  Table table(
      {"feature", ">presence", ">other", ">L-infinity", ">Jensen-Shannon", ""});
  for (const FeatureDifference& difference : differences) {
    std::string note;
    if (!difference.in_first) note = "only in the other";
    if (!difference.in_second) note = "not in the other";
    if (note.empty() && difference.first_kind != difference.second_kind) {
      note = std::string(KindName(difference.first_kind)) + ", and " +
             std::string(KindName(difference.second_kind)) + " in the other";
    }
    table.AddRow(
        {DisplayName(difference.name, difference.in_sequence),
         difference.in_first ? ShareText(difference.first_presence) : "",
         difference.in_second ? ShareText(difference.second_presence) : "",
         Distance(difference.linf), Distance(difference.js_divergence), note});
  }
  return table.num_rows() == 0 ? "" : "\n" + table.ToString(width, color);
}

std::string ClassTable(const StatsSummary& stats, size_t width, bool color) {
  const size_t shown = std::min(stats.classes.size(), kListedClasses);
  std::vector<std::string> headings = {"feature by " + Printable(stats.by)};
  std::vector<std::string> records = {"(records)"};
  for (size_t i = 0; i < shown; ++i) {
    headings.push_back(">" + Printable(stats.classes[i].first));
    records.push_back(Grouped(stats.classes[i].second));
  }
  Table table(headings);
  table.AddRow(records);
  for (const FeatureSummary& feature : stats.features) {
    std::vector<std::string> cells = {
        DisplayName(feature.name, feature.in_sequence)};
    for (size_t i = 0; i < shown; ++i) {
      const ClassStats& of_class = feature.classes[i];
      cells.push_back(of_class.count > 0 ? NumberText(of_class.mean)
                                         : PartText(of_class.present,
                                                    stats.classes[i].second));
    }
    table.AddRow(cells);
  }
  return "\nmean of numbers, presence of bytes:\n" +
         table.ToString(width, color);
}

std::string AnomalyTable(const std::vector<Anomaly>& anomalies, size_t width,
                         bool color) {
  Table table({"feature", "anomaly", "what is wrong"});
  for (const Anomaly& anomaly : anomalies) {
    table.AddRow(
        {Printable(anomaly.feature), anomaly.type, Printable(anomaly.text)});
  }
  return table.num_rows() == 0 ? "" : "\n" + table.ToString(width, color);
}

}  // namespace headrace::cli
