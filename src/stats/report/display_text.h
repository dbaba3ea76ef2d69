// Texts for people (base/text/display_text.h), escaped for a page.

#ifndef HEADRACE_SRC_STATS_REPORT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_STATS_REPORT_DISPLAY_TEXT_H_

#include <string>
#include <string_view>

#include "src/base/text/display_text.h"

namespace headrace::report {

// Appends UTF-8 as HTML text, for elements and attributes.
void AppendHtml(std::string_view text, std::string* out);

// Appends UTF-8 as a JSON string that may be inside <script>: it has no "<".
void AppendScriptString(std::string_view text, std::string* out);

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_REPORT_DISPLAY_TEXT_H_
