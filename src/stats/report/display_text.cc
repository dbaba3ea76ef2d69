#include "src/stats/report/display_text.h"

#include "src/base/json/json_text.h"

namespace headrace::report {

void AppendHtml(std::string_view text, std::string* out) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out->append("&amp;");
        break;
      case '<':
        out->append("&lt;");
        break;
      case '>':
        out->append("&gt;");
        break;
      case '"':
        out->append("&quot;");
        break;
      case '\'':
        out->append("&#39;");
        break;
      default:
        out->push_back(c);
    }
  }
}

void AppendScriptString(std::string_view text, std::string* out) {
  std::string json;
  AppendJsonString(text, &json);
  for (const char c : json) {
    if (c == '<') {
      out->append("\\u003c");
    } else {
      out->push_back(c);
    }
  }
}

}  // namespace headrace::report
