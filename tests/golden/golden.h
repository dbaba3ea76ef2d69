// Golden files: JSON Lines, plain or gzip, one case a line. What each kind of
// file holds is described in tests/vectors/README.md.

#ifndef HEADRACE_TESTS_GOLDEN_GOLDEN_H_
#define HEADRACE_TESTS_GOLDEN_GOLDEN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/naive/naive_columns.h"

namespace headrace::testing {

// The lines of a file, without empty ones. Empty when it cannot be read.
std::optional<std::vector<std::string>> ReadGoldenLines(
    const std::string& path);

// The functions below throw std::exception on anything they do not
// understand: a case that is not understood must never pass.

// A key is text, or {"hex": ..} where it is not UTF-8.
std::string GoldenKey(const nlohmann::json& key);

// Hex strings.
std::vector<std::string> GoldenRecords(const nlohmann::json& records);

// The bit pattern of a float: 8 hex digits.
uint32_t GoldenFloat(const nlohmann::json& text);

// The "expect" of a columns case with that many records, its struct column
// ##SEQUENCE## flattened into the children.
NaiveResult GoldenColumns(const nlohmann::json& expect, size_t num_records);

// The code of an error class; throws for a class unknown to the library.
ErrorCode GoldenErrorCode(const std::string& name);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_GOLDEN_GOLDEN_H_
