#include "src/cli/text/manual.h"

#include <algorithm>
#include <string_view>

#include "headrace/version.h"

namespace headrace::cli {
namespace {

// Returns a line of roff that shows these characters.
std::string Roff(std::string_view text) {
  std::string out;
  // Otherwise such a line would be a request.
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string PageName(const VerbHelp& verb) {
  return verb.name.empty() ? "headrace" : "headrace-" + verb.name;
}

std::string Lowered(std::string text) {
  // "Write Arrow" and "Reads TFRecord files" follow a dash.
  if (text.size() > 1 && (text[1] < 'A' || text[1] > 'Z')) {
    text[0] = static_cast<char>(text[0] | 0x20);
  }
  return text;
}

void AppendOption(const OptionHelp& option, std::string* out) {
  *out += ".TP\n";
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "\\fB" : ", \\fB") + Roff(name) + "\\fR";
  }
  if (!option.value.empty()) names += " \\fI" + Roff(option.value) + "\\fR";
  *out += names + "\n" + Roff(option.text) + ".\n";
}

// Empty lines separate paragraphs; one that begins with "Example:" is shown
// unchanged.
void AppendNotes(std::string_view notes, std::string* out) {
  std::string examples;
  bool has_notes = false;
  while (!notes.empty()) {
    const size_t end = std::min(notes.find("\n\n"), notes.size());
    std::string_view paragraph = notes.substr(0, end);
    notes.remove_prefix(std::min(end + 2, notes.size()));
    const bool is_example = paragraph.starts_with("Example");
    std::string* const to = is_example ? &examples : out;
    if (is_example) {
      paragraph.remove_prefix(
          std::min(paragraph.find('\n') + 1, paragraph.size()));
    } else {
      *to += has_notes ? ".PP\n" : ".SH NOTES\n";
      has_notes = true;
    }
    while (!paragraph.empty()) {
      const size_t line_end = std::min(paragraph.find('\n'), paragraph.size());
      *to += Roff(paragraph.substr(0, line_end)) + "\n";
      paragraph.remove_prefix(std::min(line_end + 1, paragraph.size()));
    }
  }
  if (!examples.empty()) *out += ".SH EXAMPLES\n.EX\n" + examples + ".EE\n";
}

}  // namespace

std::string ManualPage(std::span<const VerbHelp> all, size_t number) {
  const VerbHelp& verb = all[number];
  std::string title = PageName(verb);
  for (char& c : title) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c & ~0x20);
  }
  std::string out = ".TH " + Roff(title) + " 1 \"\" \"headrace " +
                    std::string(HEADRACE_VERSION_STRING) +
                    "\" \"User Commands\"\n";
  out += ".SH NAME\n" + PageName(verb) + " \\- " + Roff(Lowered(verb.purpose)) +
         "\n.SH SYNOPSIS\n" + Roff(verb.synopsis) + "\n";
  if (number == 0) {
    out += ".SH VERBS\n";
    for (const VerbHelp& other : all.subspan(1)) {
      out += ".TP\n\\fB" + Roff(other.name) + "\\fR\n" + Roff(other.purpose) +
             ".\n";
    }
  }
  if (!verb.arguments.empty()) out += ".SH ARGUMENTS\n";
  for (const OptionHelp& argument : verb.arguments) {
    OptionHelp named = argument;
    named.value.clear();
    AppendOption(named, &out);
  }
  out += ".SH OPTIONS\n";
  for (const OptionHelp& option : verb.options) AppendOption(option, &out);
  AppendNotes(verb.notes, &out);
  if (number > 0) {
    out += ".SH EXIT STATUS\n";
    out += kExitCodes;
  }
  out += ".SH SEE ALSO\n";
  std::string others;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == number || (number > 0 && i > 0)) continue;
    others += (others.empty() ? ".BR " : " ,\n.BR ") + Roff(PageName(all[i])) +
              " (1)";
  }
  return out + others + "\n";
}

}  // namespace headrace::cli
