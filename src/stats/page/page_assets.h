// The style and the script of a page: the .css and .js files of src/stats/page,
// made into a source by embed.py when headrace is built.

#ifndef HEADRACE_SRC_STATS_PAGE_PAGE_ASSETS_H_
#define HEADRACE_SRC_STATS_PAGE_PAGE_ASSETS_H_

#include <string_view>

namespace headrace::report {

// The content of <style>, and its SHA-256 in base64 for the page's policy.
std::string_view PageStyle();
std::string_view PageStyleHash();

// The content of <script>, and its SHA-256.
std::string_view PageScript();
std::string_view PageScriptHash();

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_PAGE_ASSETS_H_
