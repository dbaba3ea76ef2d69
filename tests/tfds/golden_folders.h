// The folders of tests/vectors/tfds, and what TensorFlow Datasets says of them.

#ifndef HEADRACE_TESTS_TFDS_GOLDEN_FOLDERS_H_
#define HEADRACE_TESTS_TFDS_GOLDEN_FOLDERS_H_

#include <stdexcept>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/golden/golden.h"
#include "tests/golden/vectors.h"

namespace headrace::testing {

inline const char* const kGoldenFolders[] = {
    "labelled", "nested_static", "old_features", "optional", "pictures",
    "ragged",   "renamed",       "robot",        "scalars",  "tensors"};

inline std::string GoldenFolder(const std::string& name) {
  return VectorPath("tfds/" + name + "/1.0.0");
}

// The lines about a folder that have this key: "info", "slice" or "example".
inline std::vector<nlohmann::json> GoldenLines(const std::string& name,
                                               const std::string& key) {
  const auto lines = ReadGoldenLines(VectorPath("tfds/" + name + ".jsonl.gz"));
  if (!lines || lines->empty()) throw std::runtime_error("no lines: " + name);
  std::vector<nlohmann::json> found;
  for (const std::string& line : *lines) {
    nlohmann::json json = nlohmann::json::parse(line);
    if (json.contains(key)) found.push_back(std::move(json));
  }
  return found;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_TFDS_GOLDEN_FOLDERS_H_
