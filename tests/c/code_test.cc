// The numbers and names of errors, and the errors themselves.

#include <iterator>
#include <set>
#include <string>

#include "headrace/status.h"
#include "src/c/error.h"
#include "tests/c/c_calls.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

Status SomeError(ErrorCode code) {
  return Status(ErrorInfo{.code = code,
                          .message = "text",
                          .file = "a.tfrecord",
                          .record = 3,
                          .offset = 99,
                          .feature = "f",
                          .expected = "int64",
                          .found = "float",
                          .system_error = 5});
}

// These numbers are forever.
constexpr const char* kNames[] = {"ok",
                                  "invalid_argument",
                                  "bad_spec",
                                  "not_found",
                                  "io",
                                  "truncated_header",
                                  "truncated_payload",
                                  "truncated_footer",
                                  "header_crc",
                                  "payload_crc",
                                  "too_large",
                                  "decompress",
                                  "not_tfrecord",
                                  "split_seam",
                                  "wrong_record_count",
                                  "bad_index",
                                  "malformed",
                                  "wrong_kind",
                                  "wrong_count",
                                  "missing_feature",
                                  "bad_sparse_index",
                                  "bad_partition",
                                  "limit",
                                  "too_many_bad",
                                  "out_of_memory",
                                  "cancelled"};

TEST(CCodeTest, NumbersDoNotChange) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    EXPECT_STREQ(headrace_code_name(static_cast<int32_t>(i)), kNames[i]);
  }
  // In the middle and at the end, in case names and numbers move together.
  EXPECT_EQ(HEADRACE_NOT_TFRECORD, 12);
  EXPECT_EQ(HEADRACE_CANCELLED, 25);
  EXPECT_EQ(HEADRACE_INTERNAL, 255);
}

// Whoever adds a code to ErrorCode adds it to c.h, too.
TEST(CCodeTest, EveryCodeHasANumberAndItsName) {
  std::set<int32_t> numbers;
  for (int i = 0; i < 256; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (NameOf(code) == "unknown") continue;
    const int32_t number = i == 0 ? c::Give(Status(), nullptr)
                                  : c::Give(Status(code, "text"), nullptr);
    EXPECT_EQ(headrace_code_name(number), NameOf(code));
    EXPECT_TRUE(numbers.insert(number).second) << number;
  }
  EXPECT_EQ(numbers.size(), std::size(kNames));
  EXPECT_EQ(*numbers.rbegin(), HEADRACE_CANCELLED);
  EXPECT_STREQ(headrace_code_name(HEADRACE_INTERNAL), "internal");
  for (const int32_t number : {-1, 26, 254, 256, 1 << 30}) {
    EXPECT_STREQ(headrace_code_name(number), "unknown");
  }
}

TEST(CCodeTest, AnErrorHasAllFields) {
  const Status status = SomeError(ErrorCode::kWrongKind);
  headrace_error* error = nullptr;
  EXPECT_EQ(c::Call(&error, [&] { return status; }), HEADRACE_WRONG_KIND);
  const CError owned(error);
  EXPECT_EQ(error->code, HEADRACE_WRONG_KIND);
  EXPECT_EQ(error->message, status.ToString());
  EXPECT_STREQ(error->file, "a.tfrecord");
  EXPECT_EQ(error->record, 3u);
  EXPECT_EQ(error->offset, 99u);
  EXPECT_STREQ(error->feature, "f");
  EXPECT_STREQ(error->expected, "int64");
  EXPECT_STREQ(error->found, "float");
  EXPECT_EQ(error->system_error, 5);
}

TEST(CCodeTest, WhatIsNotKnownIsSaidSo) {
  headrace_error* error = nullptr;
  c::Call(&error, [] { return Status(ErrorCode::kIo, "text"); });
  const CError owned(error);
  EXPECT_EQ(error->record, HEADRACE_UNKNOWN);
  EXPECT_EQ(error->offset, HEADRACE_UNKNOWN);
  for (const char* text :
       {error->file, error->feature, error->expected, error->found}) {
    EXPECT_STREQ(text, "");
  }
}

template <class Exception>
int32_t Throw(headrace_error** error, const Exception& exception) {
  return c::Call(error, [&]() -> Status { throw exception; });
}

TEST(CCodeTest, NoExceptionGetsOut) {
  headrace_error* error = nullptr;
  EXPECT_EQ(Throw(&error, std::bad_alloc()), HEADRACE_OUT_OF_MEMORY);
  EXPECT_EQ(error->code, HEADRACE_OUT_OF_MEMORY);
  EXPECT_EQ(error->message, Status::OutOfMemory().ToString());
  headrace_error_free(error);
  EXPECT_EQ(Throw(&error, std::length_error("")), HEADRACE_OUT_OF_MEMORY);
  headrace_error_free(error);
  EXPECT_EQ(Throw(&error, 7), HEADRACE_INTERNAL);
  EXPECT_THAT(error->message, StartsWith("internal: "));
  headrace_error_free(error);
  EXPECT_EQ(Throw(nullptr, 7), HEADRACE_INTERNAL);
  EXPECT_EQ(Throw(nullptr, std::bad_alloc()), HEADRACE_OUT_OF_MEMORY);
}

TEST(CCodeTest, SuccessForgetsWhatWasThere) {
  headrace_error rest;
  headrace_error* error = &rest;
  EXPECT_EQ(c::Call(&error, [] { return Status(); }), HEADRACE_OK);
  EXPECT_EQ(error, nullptr);
}

TEST(CCodeTest, NullIsFreedToo) {
  headrace_error_free(nullptr);
  headrace_text_free(nullptr);
  headrace_plan_free(nullptr);
  headrace_close(nullptr);
  headrace_cancel(nullptr);
  headrace_dataset_close(nullptr);
  EXPECT_EQ(headrace_dataset_size(nullptr), 0u);
}

}  // namespace
}  // namespace headrace::testing
