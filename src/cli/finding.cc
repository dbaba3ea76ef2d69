#include "src/cli/finding.h"

#include "headrace/json_text.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

void AppendNumber(const char* name, uint64_t number, std::string* out) {
  if (number == kUnknown) return;
  *out += std::string(",\"") + name + "\":" + std::to_string(number);
}

void AppendText(const char* name, const std::string& text, std::string* out) {
  *out += std::string(",\"") + name + "\":";
  AppendJsonString(text, out);
}

}  // namespace

std::string FindingJson(const ErrorInfo& finding, uint64_t end) {
  std::string out = "{\"file\":";
  AppendJsonString(finding.file, &out);
  AppendNumber("record", finding.record, &out);
  AppendNumber("offset", finding.offset, &out);
  AppendNumber("end", end, &out);
  AppendText("class", std::string(NameOf(finding.code)), &out);
  if (!finding.feature.empty()) AppendText("feature", finding.feature, &out);
  if (!finding.expected.empty()) {
    AppendText("expected", finding.expected, &out);
  }
  if (!finding.found.empty()) AppendText("found", finding.found, &out);
  AppendText("message", finding.message, &out);
  return out + "}";
}

std::string CountJson(const ErrorInfo& finding, uint64_t count) {
  std::string out = FindingJson(finding, kUnknown);
  out.pop_back();
  AppendNumber("records", count, &out);
  return out + "}";
}

std::string ErrorJson(const ErrorInfo& error) {
  std::string out = "{\"class\":\"" + std::string(NameOf(error.code)) + "\"";
  AppendNumber("record", error.record, &out);
  AppendNumber("offset", error.offset, &out);
  AppendText("message", error.message, &out);
  return out + "}";
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
