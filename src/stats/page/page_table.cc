// Writes the parts of a page that can be read without script.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "headrace/types.h"
#include "src/base/text/display_text.h"
#include "src/base/text/numbers.h"
#include "src/stats/page/page_parts.h"

namespace headrace::report {
namespace {

// The end tags of cells and rows are left out, as HTML allows. This saves a
// fifth of the bytes.
void AddHead(std::string_view text, std::string* out) {
  out->append("<th scope=\"col\">").append(text);
}

std::string Html(std::string_view text) {
  std::string html;
  AppendHtml(text, &html);
  return html;
}

// Returns the HTML that a cell shows for one dataset.
using CellText = std::string (*)(const PageSide& side,
                                 const FeatureSummary& feature, size_t most);

std::string KindText(const PageSide&, const FeatureSummary& feature, size_t) {
  const bool is_unset = feature.kind == Kind::kNull;
  return std::string(is_unset ? "unset" : KindName(feature.kind)) +
         (feature.in_sequence ? " steps" : "");
}

std::string PresentText(const PageSide& side, const FeatureSummary& feature,
                        size_t) {
  return ShareText(feature.present, side.stats->records);
}

std::string LengthText(const PageSide&, const FeatureSummary& feature, size_t) {
  const LengthStats& lengths = feature.values;
  if (lengths.count == 0) return "";
  std::string text = Grouped(lengths.min);
  if (lengths.min != lengths.max) text += "\u2013" + Grouped(lengths.max);
  return text;
}

// The smallest, mean or largest value; for bytes, the length of one.
enum class Part : uint8_t { kMin, kMean, kMax };

template <class T>
std::string NumberOf(T number) {
  return NumberText(static_cast<double>(number));
}

template <Part part>
std::string RangeText(const PageSide&, const FeatureSummary& feature, size_t) {
  const auto text = [](const auto& range, double mean, auto print) {
    if (part == Part::kMean) return NumberText(mean);
    return print(part == Part::kMin ? range.min : range.max);
  };
  const auto& ints = feature.int64s;
  const auto& floats = feature.floats;
  if (feature.kind == Kind::kInt64 && ints && ints->count > 0) {
    return text(*ints, ints->mean, NumberOf<int64_t>);
  }
  if (feature.kind == Kind::kFloat && floats && floats->finite() > 0) {
    return text(*floats, floats->mean, NumberOf<float>);
  }
  if (!feature.bytes || feature.bytes->count == 0) return "";
  const LengthStats& lengths = feature.bytes->lengths;
  return text(lengths, lengths.mean(), ByteSize) +
         (part == Part::kMean ? " B" : "");
}

// The distinct values of a feature, and the most frequent one.
struct Values {
  uint64_t distinct = 0;  // 0: not known
  bool is_estimate = false;
  std::string top = {};
  uint64_t top_count = 0;  // 0: no value occurs twice
  uint64_t count = 0;
};

std::string ExactText(int64_t number) { return IntText(number); }
std::string ExactText(float number) { return NumberOf(number); }

template <class T>
Values ValuesOf(const NumberStats<T>& numbers) {
  Values values = {.count = numbers.count};
  if (numbers.distribution.rank_error > 0) return values;
  values.distinct = numbers.distribution.items.size();
  for (const auto& item : numbers.distribution.items) {
    if (item.weight <= std::max<uint64_t>(values.top_count, 1)) continue;
    values.top = ExactText(item.value);
    values.top_count = item.weight;
  }
  return values;
}

Values ValuesOf(const BytesStats& bytes, size_t most) {
  Values values = {.distinct = bytes.distinct,
                   .is_estimate = bytes.distinct_error > 0,
                   .count = bytes.count};
  if (!HasFrequent(bytes)) return values;
  const ValueCount& top = bytes.top.front();
  values.top = Html(Printable(top.value, top.size, most));
  if (values.top.empty()) values.top = "<i>empty</i>";
  values.top_count = top.count;
  return values;
}

Values ValuesOf(const FeatureSummary& feature, size_t most) {
  if (feature.bytes && feature.bytes->count > 0) {
    return ValuesOf(*feature.bytes, most);
  }
  if (feature.categories) return ValuesOf(*feature.categories, most);
  if (feature.int64s) return ValuesOf(*feature.int64s);
  if (!feature.floats) return {};
  return ValuesOf(*feature.floats);
}

std::string DistinctText(const PageSide&, const FeatureSummary& feature,
                         size_t most) {
  const Values values = ValuesOf(feature, most);
  if (values.distinct == 0) return "";
  return (values.is_estimate ? "\u2248 " : "") + Grouped(values.distinct);
}

std::string TopText(const PageSide&, const FeatureSummary& feature,
                    size_t most) {
  const Values values = ValuesOf(feature, most);
  if (values.top_count == 0) return "";
  return values.top + " <small>" + ShareText(values.top_count, values.count) +
         "</small>";
}

struct Column {
  std::string_view id;  // a class in page.css and table.js
  std::string_view title;
  std::string_view hint;
  CellText text;
};
constexpr Column kColumns[] = {
    {"present", "Present", "Share of the records", PresentText},
    {"values", "Values", "Values a record", LengthText},
    {"min", "Min", "The smallest number, or bytes a value has",
     RangeText<Part::kMin>},
    {"mean", "Mean", "The mean of numbers, or of the bytes a value has",
     RangeText<Part::kMean>},
    {"max", "Max", "The largest number, or bytes a value has",
     RangeText<Part::kMax>},
    {"distinct", "Distinct", "Distinct values", DistinctText},
    {"top", "Most frequent", "The most frequent value", TopText},
};

// Adds a cell with a line for each dataset.
void AddCell(const PageContent& content, const PageRow& row, CellText text,
             size_t most, std::string* out) {
  out->append("<td>");
  std::string texts[2];
  for (size_t i = 0; i < content.sides.size(); ++i) {
    if (row.features[i] == nullptr) continue;
    texts[i] = text(content.sides[i], *row.features[i], most);
  }
  if (content.sides.size() == 1) {
    out->append(texts[0]);
  } else if (!texts[0].empty() || !texts[1].empty()) {
    for (size_t i = 0; i < 2; ++i) {
      out->append(i == 0 ? "<div class=\"side0\">" : "<div class=\"side1\">")
          .append(texts[i].empty() ? "\u2013" : texts[i])
          .append("</div>");
    }
  }
}

void AddRow(const PageContent& content, const PageRow& row, size_t most,
            std::string* out) {
  out->append("<tr><th>").append(Html(Printable(row.any().name)));
  const bool has_two = content.sides.size() > 1;
  if (has_two && (row.features[0] == nullptr || row.features[1] == nullptr)) {
    const size_t only = row.features[0] != nullptr ? 0 : 1;
    out->append(only == 0 ? " <small class=\"only side0\">only "
                          : " <small class=\"only side1\">only ")
        .append(Html(content.sides[only].name))
        .append("</small>");
  }
  out->append("<td>").append(KindText(content.sides[0], row.any(), most));
  if (has_two) out->append("<td>").append(Decimal(row.distance, 3));
  for (const Column& column : kColumns) {
    AddCell(content, row, column.text, most, out);
  }
}

void AddColumnHead(std::string_view classes, std::string_view title,
                   std::string_view hint, std::string* out) {
  out->append("<th scope=\"col\" class=\"c-").append(classes).append("\"");
  if (!hint.empty()) out->append(" title=\"").append(hint).append("\"");
  out->append(">").append(title);
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
  return stats.files.empty() ? "unknown" : Grouped(stats.files.size());
}

// Returns the bytes of the files, or of the records alone if files are not
// known.
std::string BytesText(const StatsSummary& stats) {
  uint64_t bytes = stats.files.empty() ? stats.bytes : 0;
  for (const FileSummary& file : stats.files) bytes += file.bytes;
  return ByteSize(bytes);
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

// Maximum number of features that the remarks of one reason show unfolded, and
// maximum number that they name.
constexpr size_t kOpen = 3;
constexpr size_t kNamed = 20;

// The titles are in the order of RemarkReason.
constexpr std::string_view kReasonTitles[] = {
    "Damaged files",
    "Records that are not messages",
    "No records",
    "Kinds that disagree",
    "NaN",
    "Infinities",
    "Missing everywhere",
    "Always empty",
    "Appears only late",
    "Odd lengths",
    "Not all UTF-8",
    "Integers beyond 2^53",
    "Constant",
    "One value in almost all records",
    "Tensors in bytes",
};

void AddRemark(const Remark& remark, std::string* out) {
  out->append("<li>");
  if (!IsOfFiles(remark)) {
    out->append("<b");
    if (remark.in_sequence) out->append(" class=\"steps\"");
    out->append(">");
    AppendHtml(Printable(remark.feature), out);
    out->append("</b> ");
  }
  AppendHtml(remark.text, out);
}

// Adds all remarks of one reason.
void AddReason(std::span<const Remark> remarks, std::string* out) {
  out->append("<dt>").append(
      kReasonTitles[static_cast<size_t>(remarks.front().reason)]);
  out->append("<dd>");
  if (remarks.size() > kOpen) {
    out->append("<details><summary>")
        .append(Counted(remarks.size(), "feature"))
        .append("</summary>");
  }
  out->append("<ul>");
  for (size_t i = 0; i < std::min(remarks.size(), kNamed); ++i) {
    AddRemark(remarks[i], out);
  }
  if (remarks.size() > kNamed) {
    out->append("<li>And ")
        .append(Counted(remarks.size() - kNamed, "more feature"))
        .append(".");
  }
  out->append("</ul>");
  if (remarks.size() > kOpen) out->append("</details>");
}

void AddSide(const PageSide& side, std::string* out) {
  const std::vector<Remark>& remarks = side.remarks;
  if (remarks.empty()) {
    out->append("<p>Nothing was found.</p>");
    return;
  }
  out->append("<dl>");
  for (size_t i = 0; i < remarks.size();) {
    size_t end = i;
    while (end < remarks.size() && remarks[end].reason == remarks[i].reason) {
      ++end;
    }
    AddReason({&remarks[i], end - i}, out);
    i = end;
  }
  out->append("</dl>");
}

}  // namespace

bool HasFrequent(const BytesStats& bytes) {
  return !bytes.top.empty() && (bytes.top[0].count > 1 || bytes.count <= 1);
}

void AppendHtml(std::string_view text, std::string* out) {
  out->append(absl::StrReplaceAll(absl::string_view(text.data(), text.size()),
                                  {{"&", "&amp;"},
                                   {"<", "&lt;"},
                                   {">", "&gt;"},
                                   {"\"", "&quot;"},
                                   {"'", "&#39;"}}));
}

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
    const std::string facts[] = {Grouped(side.stats->records),
                                 Grouped(side.stats->features.size()),
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
  const bool has_two = content.sides.size() > 1;
  if (has_two) {
    out->append("<p class=\"legend\"><span class=\"side0\">")
        .append(Html(content.sides[0].name))
        .append("</span><span class=\"side1\">")
        .append(Html(content.sides[1].name))
        .append("</span></p>");
  }
  out->append("<table class=\"plain\"><thead><tr>");
  AddColumnHead("name", "Feature", "", out);
  AddColumnHead("kind", "Kind", "", out);
  if (has_two) {
    AddColumnHead("distance number", "Distance",
                  "How much the two differ: 0 not at all, 1 in everything",
                  out);
  }
  for (const Column& column : kColumns) {
    AddColumnHead(std::string(column.id) + " number", column.title, column.hint,
                  out);
  }
  out->append("</thead><tbody>");
  for (const PageRow& row : content.rows) {
    AddRow(content, row, detail.top_bytes, out);
  }
  out->append("</tbody></table>");
}

void AppendRemarks(const PageContent& content, std::string* out) {
  for (const PageSide& side : content.sides) {
    if (content.sides.size() > 1) {
      out->append("<h3>");
      AppendHtml(side.name, out);
      out->append("</h3>");
    }
    AddSide(side, out);
  }
}

}  // namespace headrace::report
