#include "src/stats/page/page_table.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "headrace/types.h"
#include "src/stats/report/display_text.h"
#include "src/stats/report/figures.h"

namespace headrace::report {
namespace {

// HTML lets end tags of cells and rows be left out, which saves a fifth.
void AddCell(std::string_view text, std::string* out) {
  out->append("<td>");
  AppendHtml(text, out);
}

void AddHead(std::string_view text, std::string* out) {
  out->append("<th scope=\"col\">").append(text);
}

std::string KindText(const FeatureSummary& feature) {
  std::string text(KindName(feature.kind));
  for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
    if (kind != feature.kind &&
        feature.present_as[static_cast<size_t>(kind)] > 0) {
      text.append(", ").append(KindName(kind));
    }
  }
  if (feature.kind == Kind::kNull) text = "unset";
  return feature.in_sequence ? text + " steps" : text;
}

std::string LengthText(const LengthStats& lengths) {
  if (lengths.count == 0) return "";
  std::string text = CountText(lengths.min);
  if (lengths.min != lengths.max) text += "\u2013" + CountText(lengths.max);
  return text;
}

// The smallest, mean and largest value; of bytes, length.
template <class Text>
void AddRange(Text text, auto min, double mean, auto max, std::string* out) {
  AddCell(text(min), out);
  AddCell(NumberText(mean), out);
  AddCell(text(max), out);
}

void AddNumbers(const FeatureSummary& feature, std::string* out) {
  const auto& ints = feature.int64s;
  const auto& floats = feature.floats;
  if (feature.kind == Kind::kInt64 && ints && ints->count > 0) {
    AddRange(IntText, ints->min, ints->mean, ints->max, out);
  } else if (feature.kind == Kind::kFloat && floats && floats->finite() > 0) {
    AddRange([](float value) { return NumberText(static_cast<double>(value)); },
             floats->min, floats->mean, floats->max, out);
  } else if (feature.bytes && feature.bytes->count > 0) {
    const LengthStats& lengths = feature.bytes->lengths;
    AddCell(SizeText(lengths.min), out);
    AddCell(NumberText(lengths.mean()) + " B", out);
    AddCell(SizeText(lengths.max), out);
  } else {
    out->append("<td><td><td>");
  }
}

// The number of distinct values and the most frequent one.
void AddValues(const FeatureSummary& feature, size_t most, std::string* out) {
  if (!feature.bytes || feature.bytes->count == 0) {
    out->append("<td><td>");
    return;
  }
  const BytesStats& bytes = *feature.bytes;
  const std::string_view about = bytes.distinct_error > 0 ? "\u2248 " : "";
  AddCell(std::string(about) + CountText(bytes.distinct), out);
  if (bytes.top.empty() || (bytes.top[0].count < 2 && bytes.count > 1)) {
    out->append("<td>");
    return;
  }
  const ValueCount& top = bytes.top.front();
  AddCell(DisplayText(top.value, top.size, most) + " (" +
              ShareText(top.count, bytes.count) + ")",
          out);
}

void AddFeature(const PageSide& side, const FeatureSummary& feature,
                size_t most, std::string* out) {
  AddCell(KindText(feature), out);
  AddCell(ShareText(feature.present, side.stats->records), out);
  AddCell(LengthText(feature.values), out);
  AddNumbers(feature, out);
  AddValues(feature, most, out);
}

std::string CompressionText(const StatsSummary& stats) {
  std::string text;
  for (const auto& known : EnumNames<Compression>()) {
    for (const FileSummary& file : stats.files) {
      if (file.compression != known.value) continue;
      text.append(text.empty() ? "" : ", ").append(known.name);
      break;
    }
  }
  return text.empty() ? "unknown" : text;
}

std::string FilesText(const StatsSummary& stats) {
  return stats.files.empty() ? "unknown" : CountText(stats.files.size());
}

// Of the files, or of the records alone where files are not known.
std::string BytesText(const StatsSummary& stats) {
  uint64_t bytes = stats.files.empty() ? stats.bytes : 0;
  for (const FileSummary& file : stats.files) bytes += file.bytes;
  return SizeText(bytes);
}

std::string_view MessageText(const StatsSummary& stats) {
  if (stats.message == MessageType::kAuto) return "unknown";
  return stats.message == MessageType::kSequence ? "SequenceExample"
                                                 : "Example";
}

std::string DamageText(const StatsSummary& stats) {
  if (stats.regions == 0 && stats.bad_records == 0) return "none found";
  std::string text;
  if (stats.regions > 0) text = Counted(stats.regions, "region");
  if (stats.bad_records > 0) {
    text.append(text.empty() ? "" : ", ")
        .append(Counted(stats.bad_records, "record"));
  }
  return text + " skipped";
}

}  // namespace

void AppendFacts(const PageContent& content, std::string* out) {
  constexpr std::string_view kTitles[] = {"Records", "Features", "Files",
                                          "Size",    "Messages", "Compression",
                                          "Damage"};
  const bool has_names = content.sides.size() > 1;
  out->append("<table class=\"facts\"><thead><tr>");
  if (has_names) AddHead("Dataset", out);
  for (const std::string_view title : kTitles) AddHead(title, out);
  out->append("</thead><tbody>");
  for (const PageSide& side : content.sides) {
    out->append("<tr>");
    if (has_names) {
      out->append("<th scope=\"row\">");
      AppendHtml(side.name, out);
    }
    const std::string facts[] = {CountText(side.stats->records),
                                 CountText(side.stats->features.size()),
                                 FilesText(*side.stats),
                                 BytesText(*side.stats),
                                 std::string(MessageText(*side.stats)),
                                 CompressionText(*side.stats),
                                 DamageText(*side.stats)};
    for (size_t i = 0; i < std::size(facts); ++i) {
      out->append("<td title=\"").append(kTitles[i]).append("\">");
      AppendHtml(facts[i], out);
    }
  }
  out->append("</tbody></table>");
}

void AppendFeatureTable(const PageContent& content, const PageDetail& detail,
                        std::string* out) {
  const bool has_names = content.sides.size() > 1;
  out->append("<table class=\"plain\"><thead><tr>");
  AddHead("Feature", out);
  if (has_names) AddHead("Dataset", out);
  for (const std::string_view title :
       {"Kind", "Present", "Values", "Min", "Mean", "Max", "Distinct",
        "Most frequent"}) {
    AddHead(title, out);
  }
  out->append("</thead><tbody>");
  for (const PageRow& row : content.rows) {
    for (size_t i = 0; i < content.sides.size(); ++i) {
      out->append("<tr><th>");
      AppendHtml(DisplayName(row.name), out);
      if (has_names) AddCell(content.sides[i].name, out);
      if (row.features[i] == nullptr) {
        AddCell("absent", out);
        continue;
      }
      AddFeature(content.sides[i], *row.features[i], detail.top_bytes, out);
    }
  }
  out->append("</tbody></table>");
}

}  // namespace headrace::report
