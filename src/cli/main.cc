// The headrace program. It finds the verb, and turns every failure into one
// line and an exit code.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/leaves.h"
#include "src/base/text/near_miss.h"
#include "src/cli/options.h"
#include "src/cli/process/console.h"
#include "src/cli/process/signals.h"
#include "src/cli/text/completion.h"
#include "src/cli/text/help.h"
#include "src/cli/text/manual.h"
#include "src/cli/text/usage.h"
#include "src/cli/text/verb_help.h"
#include "src/cli/version.h"

namespace headrace::cli {
namespace {

std::string Footer() {
  return std::string(
             "headrace help VERB, or VERB --help, describes a verb. A FILE is "
             "a path, a\n"
             "glob, a shard set (name@16 for name-00000-of-00016 and so on), a "
             "folder\n"
             "(its TFRecord files), or - for standard input. Compression is "
             "found from\n"
             "the bytes.\n"
             "\n"
             "Exit: ") +
         kExitCodes +
         "\n"
         "Example:\n"
         "  headrace head train-00000-of-00128.tfrecord.gz";
}

ExitCode PrintHelp(const CLI::App& app) { return Print(app.help()); }

const CLI::App& ChosenVerb(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

// Returns null for an unknown verb.
const CLI::App* FindVerb(const CLI::App& app, std::string_view name) {
  const auto verbs = app.get_subcommands({});
  const auto found = std::find_if(
      verbs.begin(), verbs.end(),
      [&](const CLI::App* verb) { return verb->get_name() == name; });
  return found == verbs.end() ? nullptr : *found;
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
  return ComplainUsage("", "unknown verb \"" + name + "\"" +
                               (meant.empty() ? "; there are " + list : meant));
}

// Runs headrace help [VERB].
ExitCode Help(const CLI::App& app, std::span<char*> verbs) {
  if (verbs.empty()) return PrintHelp(app);
  const CLI::App* const verb = FindVerb(app, verbs.front());
  return verb == nullptr ? ComplainVerb(app, verbs.front()) : PrintHelp(*verb);
}

void AddCompletion(CLI::App* app, Action* action) {
  auto shell = std::make_shared<Shell>();
  CLI::App* const verb = AddVerb(
      app, "completion", "Print the completion script for bash, zsh or fish");
  Require(AddEnum<Shell>(
      verb, "SHELL", shell.get(),
      {{"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}},
      "bash, zsh or fish"));
  Finish(
      verb,
      "Packages install it where the shells look. Otherwise:\n"
      "\n"
      "Example:\n"
      "  headrace completion bash > /etc/bash_completion.d/headrace\n"
      "  headrace completion zsh > ~/.zfunc/_headrace   # in fpath\n"
      "  headrace completion fish > ~/.config/fish/completions/headrace.fish",
      action, [app, shell] {
        return Print(CompletionScript(*shell, DescribeAll(*app)));
      });
}

void AddManual(CLI::App* app, Action* action) {
  auto name = std::make_shared<std::string>();
  CLI::App* const verb =
      AddVerb(app, "manual", "Print a page of the manual, for man");
  AddText(verb, "VERB", name.get(), "", "The page of this verb");
  Finish(
      verb,
      "Without a verb it is the page of the program.\n"
      "\n"
      "Example:\n"
      "  headrace manual head | man -l -",
      action, [app, name] {
        const std::vector<VerbHelp> all = DescribeAll(*app);
        const auto found = std::find_if(
            all.begin(), all.end(),
            [&](const VerbHelp& page) { return page.name == *name; });
        if (found == all.end()) return ComplainVerb(*app, *name);
        return Print(ManualPage(all, static_cast<size_t>(found - all.begin())));
      });
}

ExitCode Run(int argc, char** argv) {
  CLI::App app(
      "Reads TFRecord files: looks into them, checks them, makes "
      "columns of them.");
  app.formatter(HelpFormatter());
  app.footer(Footer());
  app.set_help_flag("-h,--help", "Print this help");
  bool version = false;
  app.add_flag("-V,--version", version,
               "Print the version and the code paths of this machine");
  Action action;
  AddHead(&app, &action);
  AddCat(&app, &action);
  AddCount(&app, &action);
  AddSplit(&app, &action);
  AddIndex(&app, &action);
  AddGet(&app, &action);
  AddSchema(&app, &action);
  if constexpr (kHasStats) AddStats(&app, &action);
  AddValidate(&app, &action);
  AddConvert(&app, &action);
  AddShuffle(&app, &action);
  AddPlan(&app, &action);
  AddBench(&app, &action);
  AddGen(&app, &action);
  AddCompletion(&app, &action);
  AddManual(&app, &action);
  // A file may have the name of a verb.
  app.require_subcommand(0, 1);

  const std::span<char*> arguments(argv + 1, argv + std::max(argc, 1));
  if (!arguments.empty() && arguments[0][0] != '-') {
    const std::string name = arguments[0];
    if (name == "help") return Help(app, arguments.subspan(1));
    if (name == "stats" && !kHasStats) {
      Complain(kStatsLeftOut);
      return kExitUsage;
    }
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
