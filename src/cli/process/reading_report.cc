#include "src/cli/process/reading_report.h"

#include <algorithm>

#include "src/base/json/json_writer.h"
#include "src/cli/text/display_text.h"
#include "src/plan/infer/message_judge.h"

namespace headrace::cli {
namespace {

// Returns the name of the column in Arrow, because a feature list may have the
// same name as a feature.
std::string ArrowName(const std::string& name, bool in_sequence) {
  return (in_sequence ? "##SEQUENCE##." : "") + name;
}

std::string Quoted(const std::string& name, bool in_sequence) {
  return "\"" + ArrowName(name, in_sequence) + "\"";
}

// Returns "warning: left out features that the sample did not show, 17 times:
// ...".
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

// Verbs that look at single records only count the feature lists that they
// leave out; the notice about them is made here.
std::vector<Notice> NoticesOf(const ReadReport& report) {
  std::vector<Notice> notices = report.notices;
  const bool has_lists = std::ranges::any_of(notices, [](const Notice& notice) {
    return notice.kind == NoticeKind::kListsLeftOut;
  });
  if (report.num_lists_left_out > 0 && !has_lists) {
    notices.push_back(ListsLeftOutNotice(report.num_lists_left_out));
  }
  return notices;
}

void AddPlace(std::string_view key, uint64_t place, JsonWriter* json) {
  if (place != kUnknown) json->Add(key, place);
}

void AddText(std::string_view key, const std::string& text, JsonWriter* json) {
  if (!text.empty()) json->Add(key, text);
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

void Tell(const Notice& notice, const Console& console) {
  console.Warn("warning: " + NoticeText(notice, Words::kProgram));
}

void ListNotices(const ReadReport& report, const Console& console) {
  for (const Notice& notice : NoticesOf(report)) Tell(notice, console);
}

std::string NoticesJson(const ReadReport& report) {
  return JsonList(NoticesOf(report),
                  [](JsonWriter& json, const Notice& notice) {
                    json.Object([&] {
                      json.Add("kind", NameOf(notice.kind));
                      json.Add("text", NoticeText(notice, Words::kProgram));
                    });
                  });
}

std::string AbsentJson(const std::vector<AbsentFeature>& features) {
  return JsonList(features, [](JsonWriter& json, const AbsentFeature& absent) {
    json.Value(ArrowName(absent.name, absent.in_sequence));
  });
}

std::string LateJson(const std::vector<LateFeature>& features) {
  return JsonList(features, [](JsonWriter& json, const LateFeature& late) {
    json.Object([&] {
      json.Add("name", ArrowName(late.name, late.in_sequence));
      json.Add("kind", KindName(late.kind));
      json.Add("rows", late.rows);
    });
  });
}

std::string FindingJson(const ErrorInfo& finding, uint64_t end,
                        uint64_t count) {
  return JsonObject([&](JsonWriter& json) {
    json.Add("file", finding.file);
    AddPlace("record", finding.record, &json);
    AddPlace("offset", finding.offset, &json);
    AddPlace("end", end, &json);
    json.Add("class", NameOf(finding.code));
    AddText("feature", finding.feature, &json);
    AddText("expected", finding.expected, &json);
    AddText("found", finding.found, &json);
    json.Add("message", finding.message);
    AddPlace("records", count, &json);
  });
}

std::string ErrorJson(const ErrorInfo& error) {
  return JsonObject([&](JsonWriter& json) {
    json.Add("class", NameOf(error.code));
    AddPlace("record", error.record, &json);
    AddPlace("offset", error.offset, &json);
    json.Add("message", error.message);
  });
}

std::string FindingText(const ErrorInfo& finding, uint64_t end) {
  std::string place;
  if (finding.record != kUnknown) {
    place += " record " + std::to_string(finding.record);
  }
  if (end != kUnknown) {
    place += " [" + std::to_string(finding.offset) + ", " +
             std::to_string(end) + ")";
  } else if (finding.offset != kUnknown) {
    place += " at offset " + std::to_string(finding.offset);
  }
  std::string text = finding.file;
  if (!place.empty()) text += ":" + place;
  text += ": " + std::string(NameOf(finding.code)) + ": " + finding.message;
  return Printable(text);
}

}  // namespace headrace::cli
