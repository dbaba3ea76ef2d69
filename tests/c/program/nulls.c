// NULL where there must be something is an error of the caller.

#include <stddef.h>
#include <string.h>

#include "tests/c/program/program.h"

// The call got NULL for `argument`, and the error says so.
static void ExpectNull(int32_t code, headrace_error* error,
                       const char* argument) {
  CHECK(code == HEADRACE_INVALID_ARGUMENT);
  if (!CHECK(error != NULL)) return;
  CHECK(error->code == code);
  CHECK(strstr(error->message, argument) != NULL);
  CHECK(strstr(error->message, " is NULL") != NULL);
  CHECK(error->record == HEADRACE_UNKNOWN);
  headrace_error_free(error);
}

static headrace_error* error;
// The call sets `error` first.
#define EXPECT_NULL(argument, call)    \
  do {                                 \
    const int32_t code = call;         \
    ExpectNull(code, error, argument); \
  } while (0)

static void WithoutHandles(void) {
  struct ArrowArray array;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream;
  headrace_plan* plan = NULL;
  char* text = NULL;
  EXPECT_NULL("plan", headrace_plan_schema(NULL, NULL, &schema, &error));
  CHECK(schema.release == NULL);
  EXPECT_NULL("plan", headrace_plan_text(NULL, &text, &error));
  EXPECT_NULL("reader", headrace_reader_plan(NULL, &plan, &error));
  EXPECT_NULL("dataset", headrace_dataset_plan(NULL, &plan, &error));
  EXPECT_NULL("reader", headrace_next(NULL, &array, &schema, &error));
  CHECK(array.release == NULL && schema.release == NULL);
  EXPECT_NULL("reader", headrace_stream(NULL, &stream, &error));
  CHECK(stream.release == NULL);
  EXPECT_NULL("reader", headrace_report(NULL, &text, &error));
  EXPECT_NULL("dataset", headrace_dataset_report(NULL, &text, &error));
  EXPECT_NULL("dataset", headrace_dataset_stream(NULL, NULL, &stream, &error));
  EXPECT_NULL("dataset",
              headrace_dataset_take(NULL, NULL, 0, &array, NULL, &error));
  EXPECT_NULL("plan",
              headrace_decode(NULL, NULL, NULL, 0, NULL, &array, NULL, &error));
  CHECK(headrace_dataset_size(NULL) == 0);
  headrace_cancel(NULL);
}

static void WithoutResults(const char* path) {
  headrace_reader* reader = NULL;
  headrace_dataset* dataset = NULL;
  headrace_plan* plan = NULL;
  CHECK(headrace_open(&path, 1, NULL, &reader, NULL) == HEADRACE_OK);
  CHECK(headrace_dataset_open(&path, 1, NULL, &dataset, NULL) == HEADRACE_OK);
  CHECK(headrace_reader_plan(reader, &plan, NULL) == HEADRACE_OK);
  EXPECT_NULL("plan", headrace_plan_compile("{}", NULL, &error));
  EXPECT_NULL("plan", headrace_reader_plan(reader, NULL, &error));
  EXPECT_NULL("plan", headrace_dataset_plan(dataset, NULL, &error));
  EXPECT_NULL("schema", headrace_plan_schema(plan, NULL, NULL, &error));
  EXPECT_NULL("text", headrace_plan_text(plan, NULL, &error));
  EXPECT_NULL("reader", headrace_open(&path, 1, NULL, NULL, &error));
  EXPECT_NULL("array", headrace_next(reader, NULL, NULL, &error));
  EXPECT_NULL("stream", headrace_stream(reader, NULL, &error));
  EXPECT_NULL("json", headrace_report(reader, NULL, &error));
  EXPECT_NULL("json", headrace_dataset_report(dataset, NULL, &error));
  EXPECT_NULL("dataset", headrace_dataset_open(&path, 1, NULL, NULL, &error));
  EXPECT_NULL("array",
              headrace_dataset_take(dataset, NULL, 0, NULL, NULL, &error));
  EXPECT_NULL("stream", headrace_dataset_stream(dataset, NULL, NULL, &error));
  EXPECT_NULL("array",
              headrace_decode(plan, NULL, NULL, 0, NULL, NULL, NULL, &error));
  headrace_plan_free(plan);
  headrace_dataset_close(dataset);
  headrace_close(reader);
}

static void WithoutArrays(const char* path) {
  const char* const paths[] = {path, NULL};
  headrace_reader* reader = NULL;
  headrace_dataset* dataset = NULL;
  headrace_plan* plan = NULL;
  struct ArrowArray array;
  struct ArrowArrayStream stream;
  EXPECT_NULL("paths", headrace_open(NULL, 1, NULL, &reader, &error));
  EXPECT_NULL("paths[1]", headrace_open(paths, 2, NULL, &reader, &error));
  CHECK(reader == NULL);
  CHECK(headrace_open(NULL, 0, NULL, &reader, NULL) ==
        HEADRACE_INVALID_ARGUMENT);
  EXPECT_NULL("paths[1]",
              headrace_dataset_open(paths, 2, NULL, &dataset, &error));
  CHECK(headrace_dataset_open(paths, 1, NULL, &dataset, NULL) == HEADRACE_OK);
  EXPECT_NULL("rows",
              headrace_dataset_take(dataset, NULL, 1, &array, NULL, &error));
  CHECK(headrace_dataset_plan(dataset, &plan, NULL) == HEADRACE_OK);
  const void* const records[] = {NULL};
  const size_t sizes[] = {1};
  EXPECT_NULL("records", headrace_decode(plan, NULL, sizes, 1, NULL, &array,
                                         NULL, &error));
  EXPECT_NULL("sizes", headrace_decode(plan, records, NULL, 1, NULL, &array,
                                       NULL, &error));
  EXPECT_NULL("records[0]", headrace_decode(plan, records, sizes, 1, NULL,
                                            &array, NULL, &error));
  EXPECT_NULL("stream", headrace_write(NULL, path, NULL, &error));
  NumbersAsStream(1, &stream);
  EXPECT_NULL("path", headrace_write(&stream, NULL, NULL, &error));
  CHECK(stream.release == NULL);
  CHECK(headrace_write(&stream, path, NULL, NULL) == HEADRACE_INVALID_ARGUMENT);
  headrace_plan_free(plan);
  headrace_dataset_close(dataset);
}

void TestNulls(const char* path) {
  struct ArrowArrayStream stream;
  NumbersAsStream(3, &stream);
  CHECK(headrace_write(&stream, path, NULL, NULL) == HEADRACE_OK);
  WithoutHandles();
  WithoutResults(path);
  WithoutArrays(path);
}
