// What messages about hostile text must be, whatever the text was.

#ifndef HEADRACE_TESTS_SCHEMA_CLEAN_MESSAGE_H_
#define HEADRACE_TESTS_SCHEMA_CLEAN_MESSAGE_H_

#include <cstdint>
#include <string_view>

#include "gtest/gtest.h"
#include "headrace/status.h"
#include "wire/utf8.h"

namespace headrace::testing {

// Of an error: one line, short, and fit for a terminal.
inline void ExpectCleanMessage(const Status& status) {
  const std::string_view message = status.message();
  EXPECT_EQ(status.code(), ErrorCode::kBadSpec);
  EXPECT_LT(message.size(), 2000u);
  EXPECT_TRUE(wire::IsUtf8(
      {reinterpret_cast<const uint8_t*>(message.data()), message.size()}));
  for (const char c : message) {
    EXPECT_TRUE(static_cast<uint8_t>(c) >= 0x20 && c != 0x7f) << message;
  }
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SCHEMA_CLEAN_MESSAGE_H_
