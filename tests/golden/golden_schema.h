// schema-*.jsonl: TensorRepresentations. tests/vectors/README.md describes the
// form.

#ifndef HEADRACE_TESTS_GOLDEN_GOLDEN_SCHEMA_H_
#define HEADRACE_TESTS_GOLDEN_GOLDEN_SCHEMA_H_

#include "headrace/schema.h"
#include "nlohmann/json.hpp"

namespace headrace::testing {

// As protobuf's JSON writes the message, with the field names of the .proto
// file: int64 as text, bytes in base64, parts that are not set left out.
nlohmann::json ToJson(const tfmd::TensorRepresentation& tensor);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_GOLDEN_GOLDEN_SCHEMA_H_
