#include "src/cli/finding.h"

#include "src/base/json/json_writer.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

void AddPlace(std::string_view key, uint64_t place, JsonWriter* json) {
  if (place != kUnknown) json->Add(key, place);
}

void AddText(std::string_view key, const std::string& text, JsonWriter* json) {
  if (!text.empty()) json->Add(key, text);
}

}  // namespace

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
