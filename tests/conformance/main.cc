// headrace-conformance: golden files against the library.
//
// Prints `FILE:ID ok` or `FILE:ID FAIL reason` a case and ends with
// `N passed, N failed`; the exit status is 1 when any failed and 2 when it
// could not start.

#include <fnmatch.h>
#include <strings.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/conformance/cases.h"
#include "tests/conformance/options.h"
#include "tests/golden/golden.h"
#include "tests/support/target_sweep.h"

namespace headrace::conformance {
namespace {

using nlohmann::json;
using testing::ScopedTarget;
using testing::Target;

class Tally {
 public:
  void Count(const std::string& name, const std::string& reason) {
    if (reason.empty()) {
      ++passed_;
      std::cout << name << " ok\n";
    } else {
      ++failed_;
      std::cout << name << " FAIL " << reason << "\n";
    }
  }

  int Finish() const {
    std::cout << passed_ << " passed, " << failed_ << " failed" << std::endl;
    return failed_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  size_t passed_ = 0;
  size_t failed_ = 0;
};

bool SameLetters(const std::string& a, const std::string& b) {
  return strcasecmp(a.c_str(), b.c_str()) == 0;
}

// The last target has no vectors; which of two it is depends on the compiler.
bool IsNamed(const std::vector<Target>& runnable, const Target& target,
             const std::string& name) {
  if (SameLetters(name, target.name)) return true;
  return target.bit == runnable.back().bit && SameLetters(name, "scalar");
}

// An empty list means the machine's own choice. Nothing when there is no such
// target.
std::optional<std::vector<Target>> TargetsToRun(const Options& options) {
  std::vector<Target> runnable = testing::RunnableTargets();
  if (options.all_targets) return runnable;
  if (options.target.empty()) return std::vector<Target>{};
  std::string names;
  for (const Target& target : runnable) {
    if (IsNamed(runnable, target, options.target)) {
      return std::vector<Target>{target};
    }
    names += " " + target.name;
  }
  std::cerr << "no target " << options.target << " here, only" << names << "\n";
  return std::nullopt;
}

std::string TextOr(const json& golden, const char* field,
                   const std::string& otherwise) {
  const auto found = golden.find(field);
  if (found == golden.end() || !found->is_string()) return otherwise;
  return found->get<std::string>();
}

bool IsSelected(const json& golden, const Options& options) {
  if (options.without_schema && golden.contains("schema_pbtxt")) return false;
  if (!options.only.empty() &&
      fnmatch(options.only.c_str(), TextOr(golden, "id", "").c_str(), 0) != 0) {
    return false;
  }
  return options.message.empty() ||
         TextOr(golden, "message", options.message) == options.message;
}

std::string Run(CaseRunner run, const json& golden,
                const CaseContext& context) {
  try {
    return run(golden, context);
  } catch (const std::exception& error) {
    return std::string("not understood: ") + error.what();
  }
}

void RunFile(const std::string& path, const Options& options,
             const std::vector<Target>& targets, Tally* tally) {
  const auto lines = testing::ReadGoldenLines(path);
  if (!lines) {
    tally->Count(path + ":-", "cannot be read");
    return;
  }
  const std::filesystem::path file(path);
  const CaseContext context{.folder = file.parent_path().string(),
                            .threads = options.threads};
  const CaseRunner run = RunnerFor(file.filename().string());
  for (size_t i = 0; i < lines->size(); ++i) {
    const json golden = json::parse((*lines)[i], /*cb=*/nullptr,
                                    /*allow_exceptions=*/false);
    if (!golden.is_object()) {
      tally->Count(path + ":line-" + std::to_string(i + 1),
                   "is no JSON object");
      continue;
    }
    if (!IsSelected(golden, options)) continue;
    const std::string name =
        path + ":" + TextOr(golden, "id", "line-" + std::to_string(i + 1));
    if (targets.empty()) tally->Count(name, Run(run, golden, context));
    for (const Target& target : targets) {
      ScopedTarget scope(target);
      tally->Count(options.all_targets ? name + "@" + target.name : name,
                   Run(run, golden, context));
    }
  }
}

int Main(int argc, char** argv) {
  constexpr int kCannotStart = 2;
  const auto options = ParseOptions(argc, argv);
  if (!options) return kCannotStart;
  if (options->help) return 0;
  const auto targets = TargetsToRun(*options);
  if (!targets) return kCannotStart;
  Tally tally;
  for (const std::string& path : options->files) {
    RunFile(path, *options, *targets, &tally);
  }
  if (options->all_targets) {
    for (const std::string& target : testing::MissingTargets()) {
      tally.Count("@" + target, "this CPU has it, but it was not run");
    }
  }
  return tally.Finish();
}

}  // namespace
}  // namespace headrace::conformance

int main(int argc, char** argv) {
  return headrace::conformance::Main(argc, argv);
}
