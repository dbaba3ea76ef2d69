#include "src/c/report.h"

#include <cstdint>
#include <string_view>

#include "src/base/json/json_writer.h"

namespace headrace::c {
namespace {

// Adds a place; null if it is not known.
void AddPlace(std::string_view key, uint64_t place, JsonWriter* json) {
  if (place == kUnknown) return json->AddNull(key);
  json->Add(key, place);
}

// Adds a list of objects; `write` writes the members of each.
template <class Items, class Write>
void AddObjects(std::string_view key, const Items& items, JsonWriter* json,
                Write write) {
  json->AddList(key, items,
                [&](const auto& item) { json->Object([&] { write(item); }); });
}

}  // namespace

std::string ReportJson(const ReadReport& report) {
  std::string text;
  JsonWriter json(&text);
  json.Open('{');
  AddObjects("regions", report.regions, &json, [&](const FileRegion& skipped) {
    json.Add("file", skipped.file);
    json.Add("begin", skipped.region.begin);
    AddPlace("end", skipped.region.end, &json);
    json.Add("reason", NameOf(skipped.region.reason));
    if (!skipped.region.message.empty()) {
      json.Add("message", skipped.region.message);
    }
  });
  json.Add("num_regions", report.num_regions);
  AddObjects("rows", report.rows, &json, [&](const Status& row) {
    const ErrorInfo& info = *row.info();
    json.Add("code", NameOf(info.code));
    json.Add("message", info.message);
    json.Add("file", info.file);
    AddPlace("record", info.record, &json);
    AddPlace("offset", info.offset, &json);
    json.Add("feature", info.feature);
    json.Add("expected", info.expected);
    json.Add("found", info.found);
  });
  json.Add("num_rows", report.num_rows);
  AddObjects("late", report.late, &json, [&](const LateFeature& late) {
    json.Add("name", late.name);
    json.Add("kind", KindName(late.kind));
    json.Add("rows", late.rows);
    json.Add("in_columns", late.in_columns);
    json.Add("in_sequence", late.in_sequence);
  });
  json.Add("num_late", report.num_late);
  AddObjects("absent", report.absent, &json, [&](const AbsentFeature& absent) {
    json.Add("name", absent.name);
    json.Add("in_sequence", absent.in_sequence);
    json.Add("has_default", absent.has_default);
  });
  json.Add("num_lists_left_out", report.num_lists_left_out);
  AddObjects("notices", report.notices, &json, [&](const Notice& notice) {
    json.Add("kind", NameOf(notice.kind));
    json.Add("text", NoticeText(notice));
    json.Add("records", notice.records);
    json.Add("bytes", notice.bytes);
    json.Add("feature", notice.feature);
    json.Add("in_sequence", notice.in_sequence);
    json.Add("has_default", notice.has_default);
    json.Add("similar", notice.similar);
    json.Add("similar_in_sequence", notice.similar_in_sequence);
  });
  AddObjects("left_out", report.left_out, &json, [&](const LeftOutFile& left) {
    json.Add("path", left.path);
    json.Add("reason", left.reason);
    json.Add("may_have_records", left.may_have_records);
  });
  json.Add("num_left_out", report.num_left_out);
  json.Close('}');
  return text;
}

}  // namespace headrace::c
