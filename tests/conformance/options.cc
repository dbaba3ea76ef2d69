#include "tests/conformance/options.h"

#include <charconv>
#include <iostream>
#include <string_view>

namespace headrace::conformance {

namespace {

constexpr char kUsage[] =
    "usage: headrace-conformance [options] FILE...\n"
    "  FILE              golden file, plain or gzip; its name says its kind\n"
    "  --target T        run on one vector target (AVX2, SSE4, EMU128 ...)\n"
    "  --all-targets     run each case on every target of this CPU\n"
    "  --threads N       decode each case on N threads that share a plan\n"
    "  --without-schema  leave out cases that carry a schema\n"
    "  --message M       only cases of this message (example, ...)\n"
    "  --only GLOB       only cases whose id matches\n"
    "  --help            this text\n";

// Takes `--name VALUE` and `--name=VALUE`; moves *i past what it took.
std::optional<std::string> TakeValue(std::string_view name, int argc,
                                     char** argv, int* i) {
  std::string_view argument = argv[*i];
  if (argument.substr(0, name.size()) != name) return std::nullopt;
  argument.remove_prefix(name.size());
  if (!argument.empty() && argument[0] == '=') {
    return std::string(argument.substr(1));
  }
  if (!argument.empty() || *i + 1 == argc) return std::nullopt;
  return argv[++*i];
}

bool ParseThreads(const std::string& text, int* threads) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, *threads);
  return parsed.ec == std::errc() && parsed.ptr == end && *threads >= 1 &&
         *threads <= 64;
}

bool TakeOption(int argc, char** argv, int* i, Options* options) {
  const std::string_view argument = argv[*i];
  if (argument == "--all-targets") {
    options->all_targets = true;
  } else if (argument == "--without-schema") {
    options->without_schema = true;
  } else if (auto target = TakeValue("--target", argc, argv, i)) {
    options->target = *target;
  } else if (auto threads = TakeValue("--threads", argc, argv, i)) {
    return ParseThreads(*threads, &options->threads);
  } else if (auto message = TakeValue("--message", argc, argv, i)) {
    options->message = *message;
  } else if (auto only = TakeValue("--only", argc, argv, i)) {
    options->only = *only;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help") {
      options.help = true;
      std::cout << kUsage;
      return options;
    }
    if (argument.substr(0, 1) != "-") {
      options.files.emplace_back(argument);
    } else if (!TakeOption(argc, argv, &i, &options)) {
      std::cerr << "cannot use " << argument << "\n" << kUsage;
      return std::nullopt;
    }
  }
  if (options.files.empty()) {
    std::cerr << kUsage;
    return std::nullopt;
  }
  return options;
}

}  // namespace headrace::conformance
