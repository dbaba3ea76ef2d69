#include "src/cli/text/verb_pages.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "headrace/version.h"

namespace headrace::cli {
namespace {

// Returns a line of roff that shows `text`.
std::string Roff(std::string_view text) {
  std::string out;
  // Otherwise such a line would be a request.
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  return out +
         absl::StrReplaceAll(std::string(text), {{"\\", "\\e"}, {"-", "\\-"}});
}

std::string PageName(const VerbHelp& verb) {
  return verb.name.empty() ? "headrace" : "headrace-" + verb.name;
}

std::string Lowered(std::string text) {
  // A phrase such as "Write Arrow" follows a dash, so it begins in lower case;
  // one such as "TFRecord files" does not.
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
void AppendNotes(const std::string& notes, std::string* out) {
  std::string examples;
  std::string_view heading = ".SH NOTES\n";
  const std::vector<std::string> paragraphs = absl::StrSplit(notes, "\n\n");
  for (const std::string& paragraph : paragraphs) {
    std::vector<std::string> lines = absl::StrSplit(paragraph, '\n');
    const bool is_example = paragraph.starts_with("Example");
    if (is_example) {
      lines.erase(lines.begin());
    } else {
      *out += std::exchange(heading, ".PP\n");
    }
    for (const std::string& line : lines) {
      (is_example ? examples : *out) += Roff(line) + "\n";
    }
  }
  if (!examples.empty()) *out += ".SH EXAMPLES\n.EX\n" + examples + ".EE\n";
}

// Puts a backslash before each of these characters.
std::string Escaped(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Puts text into single quotes for zsh; bash shows no descriptions.
std::string Quoted(std::string_view text) {
  return "'" + absl::StrReplaceAll(std::string(text), {{"'", "'\\''"}}) + "'";
}

std::string VerbNames(std::span<const VerbHelp> verbs) {
  return absl::StrJoin(verbs, " ", [](std::string* out, const VerbHelp& verb) {
    *out += verb.name;
  });
}

std::string OptionNames(const VerbHelp& verb) {
  std::vector<std::string> names;
  for (const OptionHelp& option : verb.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return absl::StrJoin(names, " ");
}

std::string Bash(const VerbHelp& program, std::span<const VerbHelp> verbs) {
  std::string out = R"(# bash completion of headrace
_headrace() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  local verb= options= words= i
  # --format=table is three words here.
  if [[ $cur == = ]]; then cur=
  elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then verb=${COMP_WORDS[i]}; break; fi
  done
  COMPREPLY=()
  case $verb in
)";
  const std::string names = VerbNames(verbs) + " help";
  out += "    '') words='" + names + " " + OptionNames(program) + "' ;;\n";
  out += "    help) words='" + VerbNames(verbs) + "' ;;\n";
  for (const VerbHelp& verb : verbs) {
    out += "    " + verb.name + ")\n      options='" + OptionNames(verb) +
           "'\n      case $prev in\n";
    for (const OptionHelp& option : verb.options) {
      if (option.value.empty()) continue;
      // Without words the shell completes files.
      out += "        " + absl::StrJoin(option.names, " | ") + ") " +
             (option.words.empty()
                  ? "return ;;\n"
                  : "words='" + absl::StrJoin(option.words, " ") + "' ;;\n");
    }
    out += "      esac\n";
    for (const OptionHelp& argument : verb.arguments) {
      if (argument.words.empty()) continue;
      out += "      words='" + absl::StrJoin(argument.words, " ") + "'\n";
    }
    out += "      ;;\n";
  }
  return out + R"(  esac
  if [[ $cur == -* && $options ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _headrace headrace
)";
}

// Returns the completion of a value for _arguments of zsh: the words or, if
// there are none, files.
std::string ZshValues(const std::vector<std::string>& words) {
  return words.empty() ? "_files" : "(" + absl::StrJoin(words, " ") + ")";
}

// Returns an option in the form of zsh's _arguments:
// '(-n --records)'{-n,--records}'[text]:N: '.
std::string ZshOption(const OptionHelp& option) {
  std::string rest = "[" + Escaped(option.text, "[]\\") + "]";
  if (!option.value.empty()) {
    rest += ":" + Escaped(option.value, ":\\") + ":";
    rest += ZshValues(option.words);
  }
  if (option.names.size() == 1) return option.names.front() + Quoted(rest);
  return "'(" + absl::StrJoin(option.names, " ") + ")'{" +
         absl::StrJoin(option.names, ",") + "}" + Quoted(rest);
}

std::string Zsh(std::span<const VerbHelp> verbs) {
  std::string out =
      "#compdef headrace\n"
      "_headrace() {\n"
      "  local -a verbs=(\n";
  for (const VerbHelp& verb : verbs) {
    out += "    " + Quoted(verb.name + ":" + verb.purpose) + "\n";
  }
  out += R"(    'help:Describe a verb'
  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    _arguments -h --help -V --version
    return
  fi
  local verb=$words[2]
  words=("${(@)words[2,-1]}")
  (( CURRENT-- ))
  case $verb in
    help) _describe verb verbs ;;
)";
  for (const VerbHelp& verb : verbs) {
    out += "    " + verb.name + ")\n      _arguments -s";
    for (const OptionHelp& option : verb.options) {
      out += " \\\n        " + ZshOption(option);
    }
    for (const OptionHelp& argument : verb.arguments) {
      const std::string name = argument.names.front();
      out += " \\\n        '*:" + name + ":" + ZshValues(argument.words) + "'";
    }
    out += " ;;\n";
  }
  // The file is loaded as a function of that name, or read by a shell.
  return out + R"(  esac
}
if [[ $funcstack[1] == _headrace ]]; then _headrace "$@"
else compdef _headrace headrace; fi
)";
}

std::string FishText(std::string_view text) {
  return "'" + Escaped(text, "'\\") + "'";
}

std::string Fish(std::span<const VerbHelp> verbs) {
  std::string out = R"(# fish completion of headrace
complete -c headrace -n __fish_use_subcommand -f
complete -c headrace -n __fish_use_subcommand -s h -l help
complete -c headrace -n __fish_use_subcommand -s V -l version
complete -c headrace -n __fish_use_subcommand -a help -d 'Describe a verb'
complete -c headrace -n '__fish_seen_subcommand_from help' -f -a ')" +
                    VerbNames(verbs) + "'\n";
  for (const VerbHelp& verb : verbs) {
    out += "complete -c headrace -n __fish_use_subcommand -a " + verb.name +
           " -d " + FishText(verb.purpose) + "\n";
    const std::string here =
        "complete -c headrace -n "
        "'__fish_seen_subcommand_from " +
        verb.name + "'";
    for (const OptionHelp& option : verb.options) {
      out += here;
      for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        out += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
      }
      if (!option.words.empty()) {
        out += " -x -a '" + absl::StrJoin(option.words, " ") + "'";
      } else if (!option.value.empty()) {
        out += " -r";
      }
      out += " -d " + FishText(option.text) + "\n";
    }
    for (const OptionHelp& argument : verb.arguments) {
      if (argument.words.empty()) continue;
      out += here + " -f -a '" + absl::StrJoin(argument.words, " ") + "'\n";
    }
  }
  return out;
}

}  // namespace

std::string ManualPage(std::span<const VerbHelp> all, size_t number) {
  const VerbHelp& verb = all[number];
  const std::string title = absl::AsciiStrToUpper(PageName(verb));
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

std::string CompletionScript(Shell shell, std::span<const VerbHelp> all) {
  const std::span<const VerbHelp> verbs = all.subspan(1);
  switch (shell) {
    case Shell::kBash:
      return Bash(all.front(), verbs);
    case Shell::kZsh:
      return Zsh(verbs);
    case Shell::kFish:
      return Fish(verbs);
  }
  return "";
}

}  // namespace headrace::cli
