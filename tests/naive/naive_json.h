// A message as one line of JSON, in the form of docs/cli.md. JsonLineWriter
// (src/exchange/json/json_lines.h) must write the same of serialized messages.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_JSON_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_JSON_H_

#include <string>

#include "headrace/message.h"

namespace headrace::testing {

// There is no line feed.
void AppendJsonMessage(const Message& message, std::string* out);
void AppendJsonFeature(const Feature& feature, std::string* out);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_JSON_H_
