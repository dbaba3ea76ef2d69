// The headrace program: finds the verb, and turns whatever happens into one
// line and an exit code.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/console.h"
#include "src/cli/help.h"
#include "src/cli/options.h"
#include "src/cli/signals.h"
#include "src/cli/version.h"

namespace headrace::cli {
namespace {

constexpr char kFooter[] =
    "headrace VERB --help describes a verb. A FILE is a path, a glob, a shard\n"
    "set (name@16 for name-00000-of-00016 and so on) or - for standard input.\n"
    "Compression is found from the bytes.\n"
    "\n"
    "Exit: 0 all good, 1 the data is bad, 2 usage, 3 files and devices.\n"
    "\n"
    "Example:\n"
    "  headrace head train-00000-of-00128.tfrecord.gz";

ExitCode PrintHelp(const CLI::App& app) { return Print(app.help()); }

const CLI::App& ChosenVerb(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

// CLI11 only says that an argument was not expected.
bool IsUnknownVerb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return false;
  const std::string name = argv[1];
  const auto verbs = app.get_subcommands({});
  return std::none_of(verbs.begin(), verbs.end(), [&](const CLI::App* verb) {
    return verb->get_name() == name;
  });
}

std::string VerbNames(const CLI::App& app) {
  std::string names;
  for (const CLI::App* verb : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + verb->get_name();
  }
  return names;
}

ExitCode Run(int argc, char** argv) {
  CLI::App app(
      "Reads TFRecord files: looks into them, checks them, makes "
      "columns of them.");
  app.formatter(HelpFormatter());
  app.footer(kFooter);
  app.set_help_flag("-h,--help", "Print this help");
  bool version = false;
  app.add_flag("--version", version,
               "Print the version and the code paths of this machine");
  Action action;
  AddHead(&app, &action);
  AddCat(&app, &action);
  AddCount(&app, &action);
  AddSchema(&app, &action);
  AddValidate(&app, &action);
  AddConvert(&app, &action);
  AddPlan(&app, &action);
  AddBench(&app, &action);
  AddGen(&app, &action);

  if (IsUnknownVerb(app, argc, argv)) {
    return ComplainUsage("", "there is no verb \"" + std::string(argv[1]) +
                                 "\"; there are " + VerbNames(app));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintHelp(ChosenVerb(app));
  } catch (const CLI::ParseError& error) {
    const CLI::App& verb = ChosenVerb(app);
    return ComplainUsage(&verb == &app ? "" : verb.get_name(), error.what());
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
