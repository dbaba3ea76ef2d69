#include "src/c/report.h"

#include <cstdint>
#include <string_view>

#include "headrace/json_text.h"

namespace headrace::c {
namespace {

// Writes objects in lists in one object.
class JsonWriter {
 public:
  std::string Take() { return std::move(text_) + "}"; }

  JsonWriter& Number(std::string_view key, uint64_t value) {
    Key(key);
    text_ += std::to_string(value);
    return *this;
  }
  // Null where it is not known.
  JsonWriter& Place(std::string_view key, uint64_t value) {
    if (value != kUnknown) return Number(key, value);
    Key(key);
    text_ += "null";
    return *this;
  }
  JsonWriter& Text(std::string_view key, std::string_view value) {
    Key(key);
    AppendJsonString(value, &text_);
    return *this;
  }
  JsonWriter& Flag(std::string_view key, bool value) {
    Key(key);
    text_ += value ? "true" : "false";
    return *this;
  }
  template <class Items, class Write>
  void List(std::string_view key, const Items& items, Write write) {
    Key(key);
    text_ += '[';
    for (const auto& item : items) {
      text_ += text_.back() == '[' ? "{" : ",{";
      write(item);
      text_ += '}';
    }
    text_ += ']';
  }

 private:
  void Key(std::string_view key) {
    if (text_.back() != '{') text_ += ',';
    AppendJsonString(key, &text_);
    text_ += ':';
  }

  std::string text_ = "{";
};

}  // namespace

std::string ReportJson(const ReadReport& report) {
  JsonWriter json;
  json.List("regions", report.regions, [&](const FileRegion& skipped) {
    json.Text("file", skipped.file)
        .Number("begin", skipped.region.begin)
        .Number("end", skipped.region.end)
        .Text("reason", ErrorCodeName(skipped.region.reason));
  });
  json.Number("num_regions", report.num_regions);
  json.List("rows", report.rows, [&](const Status& row) {
    const ErrorInfo& info = *row.info();
    json.Text("code", ErrorCodeName(info.code))
        .Text("message", info.message)
        .Text("file", info.file)
        .Place("record", info.record)
        .Place("offset", info.offset)
        .Text("feature", info.feature)
        .Text("expected", info.expected)
        .Text("found", info.found);
  });
  json.Number("num_rows", report.num_rows);
  json.List("late", report.late, [&](const LateFeature& late) {
    json.Text("name", late.name)
        .Text("kind", KindName(late.kind))
        .Number("rows", late.rows)
        .Flag("in_columns", late.in_columns)
        .Flag("in_sequence", late.in_sequence);
  });
  json.Number("num_late", report.num_late);
  json.List("absent", report.absent, [&](const AbsentFeature& absent) {
    json.Text("name", absent.name)
        .Flag("in_sequence", absent.in_sequence)
        .Flag("has_default", absent.has_default);
  });
  return json.Take();
}

}  // namespace headrace::c
