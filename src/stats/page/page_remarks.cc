// Writes the part of a page that says what deserves attention.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/text/numbers.h"
#include "src/stats/page/page_table.h"
#include "src/stats/report/display_text.h"

namespace headrace::report {
namespace {

// Maximum number of features of one reason that are shown unfolded, and that
// are named.
constexpr size_t kOpen = 3;
constexpr size_t kNamed = 20;

// The titles are in the order of RemarkReason.
constexpr std::string_view kReasonTitles[] = {
    "Damaged files",
    "Records that are not messages",
    "No records",
    "Kinds that disagree",
    "NaN",
    "Infinities",
    "Missing everywhere",
    "Always empty",
    "Appears only late",
    "Odd lengths",
    "Not all UTF-8",
    "Integers beyond 2^53",
    "Constant",
    "One value in almost all records",
};

void AddRemark(const Remark& remark, std::string* out) {
  out->append("<li>");
  if (!IsOfFiles(remark)) {
    out->append("<b");
    if (remark.in_sequence) out->append(" class=\"steps\"");
    out->append(">");
    AppendHtml(Printable(remark.feature), out);
    out->append("</b> ");
  }
  AppendHtml(remark.text, out);
}

// Adds all remarks of one reason.
void AddReason(std::span<const Remark> remarks, std::string* out) {
  out->append("<dt>").append(
      kReasonTitles[static_cast<size_t>(remarks.front().reason)]);
  out->append("<dd>");
  if (remarks.size() > kOpen) {
    out->append("<details><summary>")
        .append(Counted(remarks.size(), "feature"))
        .append("</summary>");
  }
  out->append("<ul>");
  for (size_t i = 0; i < std::min(remarks.size(), kNamed); ++i) {
    AddRemark(remarks[i], out);
  }
  if (remarks.size() > kNamed) {
    out->append("<li>And ")
        .append(Counted(remarks.size() - kNamed, "more feature"))
        .append(".");
  }
  out->append("</ul>");
  if (remarks.size() > kOpen) out->append("</details>");
}

void AddSide(const PageSide& side, std::string* out) {
  const std::vector<Remark>& remarks = side.remarks;
  if (remarks.empty()) {
    out->append("<p>Nothing was found.</p>");
    return;
  }
  out->append("<dl>");
  for (size_t i = 0; i < remarks.size();) {
    size_t end = i;
    while (end < remarks.size() && remarks[end].reason == remarks[i].reason) {
      ++end;
    }
    AddReason({&remarks[i], end - i}, out);
    i = end;
  }
  out->append("</dl>");
}

}  // namespace

void AppendRemarks(const PageContent& content, std::string* out) {
  for (const PageSide& side : content.sides) {
    if (content.sides.size() > 1) {
      out->append("<h3>");
      AppendHtml(side.name, out);
      out->append("</h3>");
    }
    AddSide(side, out);
  }
}

}  // namespace headrace::report
