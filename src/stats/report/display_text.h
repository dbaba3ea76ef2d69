// Texts for people (base/text/display_text.h) as a page holds them.

#ifndef HEADRACE_SRC_STATS_REPORT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_STATS_REPORT_DISPLAY_TEXT_H_

#include <string>
#include <string_view>

#include "src/base/text/display_text.h"

namespace headrace::report {

// Appends UTF-8 so that HTML has it as text, in elements and in attributes.
void AppendHtml(std::string_view text, std::string* out);

// Appends UTF-8 as a string of JSON that may stand inside of <script>: it has
// no "<".
void AppendScriptString(std::string_view text, std::string* out);

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_REPORT_DISPLAY_TEXT_H_
