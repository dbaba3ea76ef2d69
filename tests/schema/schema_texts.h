// Schemas from texts, for tests.

#ifndef HEADRACE_TESTS_SCHEMA_SCHEMA_TEXTS_H_
#define HEADRACE_TESTS_SCHEMA_SCHEMA_TEXTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "headrace/schema.h"
#include "tests/support/matchers.h"

namespace headrace::testing {

// Of texts that are a Schema.
inline Schema SchemaOf(std::string_view text) {
  auto schema = Schema::FromText(text);
  EXPECT_THAT(schema, IsOk()) << text;
  return schema.ok() ? *std::move(schema) : Schema();
}

// The message of the error that the text ends in.
inline std::string ErrorOf(std::string_view text) {
  const auto schema = Schema::FromText(text);
  EXPECT_THAT(schema, HasCode(ErrorCode::kBadSpec)) << text;
  return std::string(StatusOf(schema).message());
}

inline std::string Repeat(std::string_view piece, size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (size_t i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SCHEMA_SCHEMA_TEXTS_H_
