#include "src/cli/late.h"

#include <cstdint>

#include "headrace/json_text.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

// Arrow calls it this, as a feature list may have the name of a feature.
std::string ArrowName(const std::string& name, bool in_sequence) {
  return (in_sequence ? "##SEQUENCE##." : "") + name;
}

std::string Quoted(const std::string& name, bool in_sequence) {
  return "\"" + ArrowName(name, in_sequence) + "\"";
}

// "warning: left out 3 features that the sample did not show, 17 times: ..."
std::string Summary(const ReadReport& report) {
  constexpr size_t kNamed = 3;
  std::string text =
      "warning: left out features that the sample did not show, " +
      Counted(report.num_late, "time") + ": ";
  for (size_t i = 0; i < report.late.size() && i < kNamed; ++i) {
    text += (i > 0 ? ", " : "") +
            Quoted(report.late[i].name, report.late[i].in_sequence);
  }
  if (report.late.size() > kNamed) text += ", ...";
  return text;
}

}  // namespace

void ListLate(const ReadReport& report, const Console& console) {
  if (report.num_late == 0) return;
  if (console.quiet()) return console.Warn(Summary(report));
  uint64_t unlisted = report.num_late;
  for (const LateFeature& late : report.late) {
    unlisted -= late.rows;
    console.Note("warning: left out feature " +
                 Quoted(late.name, late.in_sequence) + " (" +
                 std::string(KindName(late.kind)) + ") of " +
                 Counted(late.rows, "row") +
                 (late.in_columns ? ": it has no kind in the sample"
                                  : ": it is not in the sample"));
  }
  if (unlisted > 0) {
    console.Note("... and more features, " + Counted(unlisted, "time"));
  }
}

void ListAbsent(const ReadReport& report, const Console& console) {
  for (const AbsentFeature& absent : report.absent) {
    if (!absent.has_default) continue;
    console.Warn("warning: no record has feature " +
                 Quoted(absent.name, absent.in_sequence) +
                 ": all rows have its default");
  }
}

std::string AbsentJson(const std::vector<AbsentFeature>& features) {
  std::string out = "[";
  for (const AbsentFeature& absent : features) {
    if (out.size() > 1) out += ",";
    AppendJsonString(ArrowName(absent.name, absent.in_sequence), &out);
  }
  return out + "]";
}

std::string LateJson(const std::vector<LateFeature>& features) {
  std::string out = "[";
  for (const LateFeature& late : features) {
    if (out.size() > 1) out += ",";
    out += "{\"name\":";
    AppendJsonString(ArrowName(late.name, late.in_sequence), &out);
    out += ",\"kind\":\"" + std::string(KindName(late.kind)) +
           "\",\"rows\":" + std::to_string(late.rows) + "}";
  }
  return out + "]";
}

}  // namespace headrace::cli
