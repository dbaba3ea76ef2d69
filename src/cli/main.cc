// The headrace program. It finds the verb, and turns every failure into one
// line and an exit code.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <span>

#include "absl/strings/str_join.h"
#include "src/base/leaves.h"
#include "src/base/text/near_miss.h"
#include "src/cli/options.h"
#include "src/cli/process/signals.h"
#include "src/cli/text/deprecation.h"
#include "src/cli/text/verb_help.h"
#include "src/cli/text/verb_pages.h"
#include "src/read/reader/build_info.h"

namespace headrace::cli {
namespace {

constexpr char kFooter[] =
    R"(headrace help VERB, or VERB --help, describes a verb. A FILE is a path, a
glob, a shard set (name@16 for name-00000-of-00016 and so on), a folder
(its TFRecord files), or - for standard input. Compression is found from
the bytes.

Exit: )";
constexpr char kExample[] = R"(
Example:
  headrace head train-00000-of-00128.tfrecord.gz)";

constexpr char kCompletionNotes[] =
    R"(Packages install it where the shells look. Otherwise:

Example:
  headrace completion bash > /etc/bash_completion.d/headrace
  headrace completion zsh > ~/.zfunc/_headrace   # in fpath
  headrace completion fish > ~/.config/fish/completions/headrace.fish)";

constexpr char kManualNotes[] =
    R"(Without a verb it is the page of the program.

Example:
  headrace manual head | man -l -)";

ExitCode PrintHelp(const CLI::App& app) { return Print(app.help()); }

const CLI::App& ChosenVerb(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

// Returns null for an unknown verb.
const CLI::App* FindVerb(const CLI::App& app, std::string_view name) {
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_name() == name) return verb;
  }
  return nullptr;
}

ExitCode ComplainVerb(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const CLI::App* verb : app.get_subcommands({})) {
    names.push_back(verb->get_name());
    list += (list.empty() ? "" : ", ") + verb->get_name();
  }
  names.push_back("help");
  const std::string meant = DidYouMean(name, names);
  return ComplainUsage("",
                       "unknown verb \"" + name + "\"" +
                           (meant.empty() ? "; the verbs are " + list : meant));
}

// Runs headrace help [VERB].
ExitCode Help(const CLI::App& app, std::span<char*> verbs) {
  if (verbs.empty()) return PrintHelp(app);
  const CLI::App* const verb = FindVerb(app, verbs.front());
  return verb == nullptr ? ComplainVerb(app, verbs.front()) : PrintHelp(*verb);
}

void AddCompletion(CLI::App* app, Action* action) {
  const auto [verb, shell] = AddVerb<Shell>(
      app, action, "completion",
      "Print the completion script for bash, zsh or fish", kCompletionNotes,
      [app](Shell chosen) {
        return Print(CompletionScript(chosen, DescribeAll(*app)));
      });
  Require(AddEnum<Shell>(
      verb, "SHELL", shell,
      {{"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}},
      "bash, zsh or fish"));
}

void AddManual(CLI::App* app, Action* action) {
  const auto [verb, page] = AddVerb<std::string>(
      app, action, "manual", "Print a page of the manual, for man",
      kManualNotes, [app](const std::string& name) {
        const std::vector<VerbHelp> all = DescribeAll(*app);
        const auto found = std::ranges::find(all, name, &VerbHelp::name);
        if (found == all.end()) return ComplainVerb(*app, name);
        return Print(ManualPage(all, static_cast<size_t>(found - all.begin())));
      });
  AddText(verb, "VERB", page, "", "The page of this verb");
}

// Prints one fact per line, for bug reports.
ExitCode PrintVersion() {
  const BuildInfo info = GetBuildInfo();
  return Print("headrace " + info.version +          //
               "\ncompiler      " + info.compiler +  //
               "\nSIMD targets  " + absl::StrJoin(info.targets, " ") +
               " (using " + info.target + ")" +  //
               "\nCRC32C        " + info.crc +   //
               "\ninflate       " + info.inflate + "\n");
}

ExitCode Run(int argc, char** argv) {
  CLI::App app(
      "Reads TFRecord files: looks into them, checks them, makes "
      "columns of them.");
  SetHelpFormat(&app);
  app.footer(std::string(kFooter) + kExitCodes + kExample);
  app.set_help_flag("-h,--help", "Print this help");
  bool version = false;
  app.add_flag("-V,--version", version,
               "Print the version, and the code for SIMD, CRC32C and inflate "
               "that this machine uses");
  Action action;
  for (const auto add :
       {AddHead, AddCat, AddCount, AddSplit, AddIndex, AddGet, AddSchema}) {
    add(&app, &action);
  }
  if constexpr (kHasStats) AddStats(&app, &action);
  for (const auto add : {AddVocabulary, AddValidate, AddConvert, AddShuffle,
                         AddPlan, AddBench, AddGen, AddCompletion, AddManual}) {
    add(&app, &action);
  }
  DescribeDeprecations(kDeprecations, &app);
  // At most one verb: a later argument that equals the name of a verb is a
  // file.
  app.require_subcommand(0, 1);

  const std::span<char*> arguments(argv + 1, argv + std::max(argc, 1));
  if (!arguments.empty() && arguments[0][0] != '-') {
    const std::string name = arguments[0];
    if (name == "help") return Help(app, arguments.subspan(1));
    if (name == "stats" && !kHasStats) return ComplainUsage(kStatsLeftOut);
    if (FindVerb(app, name) == nullptr) return ComplainVerb(app, name);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintHelp(ChosenVerb(app));
  } catch (const CLI::ParseError& error) {
    const CLI::App& verb = ChosenVerb(app);
    return ComplainUsage(&verb == &app ? "" : verb.get_name(),
                         UsageError(verb, error));
  }
  for (const std::string& text : DeprecationWarnings(kDeprecations, app)) {
    Complain(text);
  }
  if (version) return PrintVersion();
  if (action) return action();
  // Nothing was asked for: the help is the error message.
  std::fputs(app.help().c_str(), stderr);
  return kExitUsage;
}

}  // namespace
}  // namespace headrace::cli

int main(int argc, char** argv) {
  using headrace::cli::Complain;
  headrace::cli::PrepareStandardStreams();
  headrace::cli::PrepareSignals();
  try {
    return headrace::cli::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    Complain("out of memory");
    return headrace::cli::kExitIo;
  } catch (const std::exception& error) {
    Complain(error.what());
    return headrace::cli::kExitIo;
  }
}
