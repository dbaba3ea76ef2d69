#include "src/cli/text/completion.h"

#include <string_view>
#include <vector>

#include "src/cli/text/words.h"

namespace headrace::cli {
namespace {

// Puts a backslash before each of these characters.
std::string Escaped(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Puts text into single quotes for zsh; bash has no texts.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string VerbNames(std::span<const VerbHelp> verbs) {
  std::vector<std::string> names;
  for (const VerbHelp& verb : verbs) names.push_back(verb.name);
  return Joined(names, " ");
}

std::string OptionNames(const VerbHelp& verb) {
  std::vector<std::string> names;
  for (const OptionHelp& option : verb.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return Joined(names, " ");
}

std::string Bash(const VerbHelp& program, std::span<const VerbHelp> verbs) {
  std::string out =
      "# bash completion of headrace\n"
      "_headrace() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local verb= options= words= i\n"
      "  # --format=table is three words here.\n"
      "  if [[ $cur == = ]]; then cur=\n"
      "  elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    if [[ ${COMP_WORDS[i]} != -* ]]; then verb=${COMP_WORDS[i]}; break; "
      "fi\n"
      "  done\n"
      "  COMPREPLY=()\n"
      "  case $verb in\n";
  const std::string names = VerbNames(verbs) + " help";
  out += "    '') words='" + names + " " + OptionNames(program) + "' ;;\n";
  out += "    help) words='" + VerbNames(verbs) + "' ;;\n";
  for (const VerbHelp& verb : verbs) {
    out += "    " + verb.name + ")\n      options='" + OptionNames(verb) +
           "'\n      case $prev in\n";
    for (const OptionHelp& option : verb.options) {
      if (option.value.empty()) continue;
      // Without words the shell completes files.
      out += "        " + Joined(option.names, " | ") + ") ";
      if (option.words.empty()) {
        out += "return ;;\n";
      } else {
        out += "words='" + Joined(option.words, " ") + "' ;;\n";
      }
    }
    out += "      esac\n";
    for (const OptionHelp& argument : verb.arguments) {
      if (argument.words.empty()) continue;
      out += "      words='" + Joined(argument.words, " ") + "'\n";
    }
    out += "      ;;\n";
  }
  return out +
         "  esac\n"
         "  if [[ $cur == -* && $options ]]; then words=$options; fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _headrace headrace\n";
}

// _arguments of zsh completes a value with these, or with files.
std::string ZshValues(const std::vector<std::string>& words) {
  return words.empty() ? "_files" : "(" + Joined(words, " ") + ")";
}

// _arguments of zsh accepts '(-n --records)'{-n,--records}'[text]:N: '.
std::string ZshOption(const OptionHelp& option) {
  std::string rest = "[" + Escaped(option.text, "[]\\") + "]";
  if (!option.value.empty()) {
    rest += ":" + Escaped(option.value, ":\\") + ":";
    rest += ZshValues(option.words);
  }
  if (option.names.size() == 1) return option.names.front() + Quoted(rest);
  return "'(" + Joined(option.names, " ") + ")'{" + Joined(option.names, ",") +
         "}" + Quoted(rest);
}

std::string Zsh(std::span<const VerbHelp> verbs) {
  std::string out =
      "#compdef headrace\n"
      "_headrace() {\n"
      "  local -a verbs=(\n";
  for (const VerbHelp& verb : verbs) {
    out += "    " + Quoted(verb.name + ":" + verb.purpose) + "\n";
  }
  out +=
      "    'help:Describe a verb'\n"
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    _arguments -h --help -V --version\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  words=(\"${(@)words[2,-1]}\")\n"
      "  (( CURRENT-- ))\n"
      "  case $verb in\n"
      "    help) _describe verb verbs ;;\n";
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
  return out +
         "  esac\n"
         "}\n"
         // The file is loaded as a function of that name, or read by a shell.
         "if [[ $funcstack[1] == _headrace ]]; then _headrace \"$@\"\n"
         "else compdef _headrace headrace; fi\n";
}

std::string FishText(std::string_view text) {
  return "'" + Escaped(text, "'\\") + "'";
}

std::string Fish(std::span<const VerbHelp> verbs) {
  std::string out =
      "# fish completion of headrace\n"
      "complete -c headrace -n __fish_use_subcommand -f\n"
      "complete -c headrace -n __fish_use_subcommand -s h -l help\n"
      "complete -c headrace -n __fish_use_subcommand -s V -l version\n"
      "complete -c headrace -n __fish_use_subcommand -a help -d 'Describe a "
      "verb'\n"
      "complete -c headrace -n '__fish_seen_subcommand_from help' -f -a '" +
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
        out += " -x -a '" + Joined(option.words, " ") + "'";
      } else if (!option.value.empty()) {
        out += " -r";
      }
      out += " -d " + FishText(option.text) + "\n";
    }
    for (const OptionHelp& argument : verb.arguments) {
      if (argument.words.empty()) continue;
      out += here + " -f -a '" + Joined(argument.words, " ") + "'\n";
    }
  }
  return out;
}

}  // namespace

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
