#include "src/c/report.h"

#include <cstdint>
#include <string_view>

#include "src/plan/spec/json_writer.h"

namespace headrace::c {
namespace {

using spec::JsonWriter;

// Null where the place is not known.
void WritePlace(std::string_view key, uint64_t place, JsonWriter* json) {
  if (place == kUnknown) return json->Null(key);
  json->Number(key, place);
}

// A list of objects, whose members `write` writes.
template <class Items, class Write>
void WriteList(std::string_view key, const Items& items, JsonWriter* json,
               Write write) {
  json->Key(key);
  json->Open('[');
  for (const auto& item : items) {
    json->Item();
    json->Open('{');
    write(item);
    json->Close('}');
  }
  json->Close(']');
}

}  // namespace

std::string ReportJson(const ReadReport& report) {
  std::string text;
  JsonWriter json(&text);
  json.Open('{');
  WriteList("regions", report.regions, &json, [&](const FileRegion& skipped) {
    json.Text("file", skipped.file);
    json.Number("begin", skipped.region.begin);
    WritePlace("end", skipped.region.end, &json);
    json.Text("reason", NameOf(skipped.region.reason));
    if (!skipped.region.message.empty()) {
      json.Text("message", skipped.region.message);
    }
  });
  json.Number("num_regions", report.num_regions);
  WriteList("rows", report.rows, &json, [&](const Status& row) {
    const ErrorInfo& info = *row.info();
    json.Text("code", NameOf(info.code));
    json.Text("message", info.message);
    json.Text("file", info.file);
    WritePlace("record", info.record, &json);
    WritePlace("offset", info.offset, &json);
    json.Text("feature", info.feature);
    json.Text("expected", info.expected);
    json.Text("found", info.found);
  });
  json.Number("num_rows", report.num_rows);
  WriteList("late", report.late, &json, [&](const LateFeature& late) {
    json.Text("name", late.name);
    json.Text("kind", KindName(late.kind));
    json.Number("rows", late.rows);
    json.Flag("in_columns", late.in_columns);
    json.Flag("in_sequence", late.in_sequence);
  });
  json.Number("num_late", report.num_late);
  WriteList("absent", report.absent, &json, [&](const AbsentFeature& absent) {
    json.Text("name", absent.name);
    json.Flag("in_sequence", absent.in_sequence);
    json.Flag("has_default", absent.has_default);
  });
  json.Number("num_lists_left_out", report.num_lists_left_out);
  WriteList("notices", report.notices, &json, [&](const Notice& notice) {
    json.Text("kind", NameOf(notice.kind));
    json.Text("text", NoticeText(notice));
    json.Number("records", notice.records);
    json.Number("bytes", notice.bytes);
    json.Text("feature", notice.feature);
    json.Flag("in_sequence", notice.in_sequence);
    json.Flag("has_default", notice.has_default);
    json.Text("similar", notice.similar);
    json.Flag("similar_in_sequence", notice.similar_in_sequence);
  });
  WriteList("left_out", report.left_out, &json, [&](const LeftOutFile& left) {
    json.Text("path", left.path);
    json.Text("reason", left.reason);
    json.Flag("may_have_records", left.may_have_records);
  });
  json.Number("num_left_out", report.num_left_out);
  json.Close('}');
  return text;
}

}  // namespace headrace::c
