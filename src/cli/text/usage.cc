#include "src/cli/text/usage.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "src/base/text/near_miss.h"

namespace headrace::cli {
namespace {

// "--name=value" and "--name" are the same name.
std::string UnknownArgument(const CLI::App& verb, const std::string& given) {
  if (!given.starts_with('-') || given == "-") {
    return "unexpected argument \"" + given + "\"";
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  const std::string name = given.substr(0, given.find('='));
  return "unknown option " + name + DidYouMean(name, names);
}

std::string MissingValue(const CLI::App& verb, const std::string& name) {
  const CLI::Option* const option = verb.get_option_no_throw(name);
  const std::string type = option == nullptr ? "" : option->get_type_name();
  if (type == "N") return name + " needs a number";
  return name + " needs a value" + (type.empty() ? "" : ": " + type);
}

}  // namespace

std::string UsageError(const CLI::App& verb, const CLI::ParseError& error) {
  const std::string text = error.what();
  const size_t colon = text.find(": ");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> unknown = verb.remaining(true);
    if (!unknown.empty()) return UnknownArgument(verb, unknown.front());
  } else if (colon == std::string::npos) {
    return text;
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return MissingValue(verb, text.substr(0, colon));
  } else if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    // Our checks continue after the name: "--max-bad must be ...".
    return text.substr(0, colon) + text.substr(colon + 1);
  }
  return text;
}

}  // namespace headrace::cli
