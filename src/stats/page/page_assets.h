// The style and the script of a page: src/stats/page/page, made into a source
// by src/stats/page/embed.py when headrace is built.

#ifndef HEADRACE_SRC_STATS_PAGE_PAGE_ASSETS_H_
#define HEADRACE_SRC_STATS_PAGE_PAGE_ASSETS_H_

#include <string_view>

namespace headrace::report {

// What stands between <style> and </style>, and its SHA-256 in base64, by which
// the page's policy knows it.
std::string_view PageStyle();
std::string_view PageStyleHash();

// What stands between <script> and </script>.
std::string_view PageScript();
std::string_view PageScriptHash();

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_PAGE_ASSETS_H_
