// Names and values of the input, which may be any bytes, as people read them.

#ifndef HEADRACE_SRC_STATS_REPORT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_STATS_REPORT_DISPLAY_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::report {

// UTF-8 of about at most `most` bytes; "…" stands for what is left out. Bytes
// that are not UTF-8 become \xNN; controls, and characters that are not visible
// (base/text/visible_text.h), become \uNNNN. A backslash stays one:
// this is for looking at. `size` is that of the whole value, of which `bytes`
// may be the beginning.
std::string DisplayText(std::string_view bytes, uint64_t size, size_t most);

// All of a name.
std::string DisplayName(std::string_view name);

// Appends UTF-8 so that HTML has it as text, in elements and in attributes.
void AppendHtml(std::string_view text, std::string* out);

// Appends UTF-8 as a string of JSON that may stand inside of <script>: it has
// no "<".
void AppendScriptString(std::string_view text, std::string* out);

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_REPORT_DISPLAY_TEXT_H_
