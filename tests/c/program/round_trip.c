// Writes a file, and reads it in each way.

#include <stddef.h>
#include <string.h>

#include "tests/c/program/program.h"

static void ReadByNext(const char* path) {
  headrace_reader* reader = NULL;
  headrace_error* error = NULL;
  CHECK(headrace_open(&path, 1, "{\"batch_size\": 30}", &reader, &error) == 0);
  CHECK(error == NULL);
  int64_t sum = 0;
  int batches = 0;
  struct ArrowArray array;
  struct ArrowSchema schema;
  while (headrace_next(reader, &array, &schema, &error) == HEADRACE_OK &&
         array.release != NULL) {
    CHECK(strcmp(schema.format, "+s") == 0);
    CHECK(strcmp(schema.children[0]->name, "n") == 0);
    sum += SumOfArray(&array);
    ++batches;
    schema.release(&schema);
    array.release(&array);
  }
  CHECK(schema.release == NULL);
  CHECK(sum == 4950);
  CHECK(batches == 4);
  char* json = NULL;
  CHECK(headrace_report(reader, &json, &error) == HEADRACE_OK);
  CHECK(strstr(json, "\"num_rows\":0") != NULL);
  headrace_text_free(json);
  headrace_close(reader);
}

static void ReadByStream(const char* path) {
  headrace_reader* reader = NULL;
  struct ArrowArrayStream stream;
  CHECK(headrace_open(&path, 1, "{\"threads\": 2}", &reader, NULL) == 0);
  CHECK(headrace_stream(reader, &stream, NULL) == HEADRACE_OK);
  headrace_close(reader);
  CHECK(SumOfStream(&stream) == 4950);
}

static void ReadByNumber(const char* path) {
  headrace_dataset* dataset = NULL;
  CHECK(headrace_dataset_open(&path, 1, NULL, &dataset, NULL) == HEADRACE_OK);
  CHECK(headrace_dataset_size(dataset) == 100);
  const uint64_t rows[] = {99, 1, 1};
  struct ArrowArray array;
  CHECK(headrace_dataset_take(dataset, rows, 3, &array, NULL, NULL) == 0);
  CHECK(SumOfArray(&array) == 101);
  struct ArrowArrayStream stream;
  CHECK(headrace_dataset_stream(dataset, "{\"shuffle\": true}", &stream,
                                NULL) == HEADRACE_OK);
  // What was given out does not need the handle.
  headrace_dataset_close(dataset);
  CHECK(SumOfStream(&stream) == 4950);
  CHECK(SumOfArray(&array) == 101);
  array.release(&array);
}

static void DecodePayloads(const char* path) {
  headrace_reader* reader = NULL;
  headrace_plan* plan = NULL;
  CHECK(headrace_open(&path, 1, NULL, &reader, NULL) == HEADRACE_OK);
  CHECK(headrace_reader_plan(reader, &plan, NULL) == HEADRACE_OK);
  headrace_close(reader);
  struct ArrowArray payloads;
  CHECK(headrace_open(&path, 1, "{\"message\": \"raw\"}", &reader, NULL) == 0);
  CHECK(headrace_next(reader, &payloads, NULL, NULL) == HEADRACE_OK);
  headrace_close(reader);
  const int32_t* const offsets = payloads.children[0]->buffers[1];
  const char* const bytes = payloads.children[0]->buffers[2];
  const void* records[100];
  size_t sizes[100];
  for (int i = 0; i < 100; ++i) {
    records[i] = bytes + offsets[i];
    sizes[i] = (size_t)(offsets[i + 1] - offsets[i]);
  }
  struct ArrowArray array;
  struct ArrowSchema schema;
  CHECK(headrace_decode(plan, records, sizes, 100, NULL, &array, &schema,
                        NULL) == HEADRACE_OK);
  payloads.release(&payloads);
  headrace_plan_free(plan);
  CHECK(SumOfArray(&array) == 4950);
  array.release(&array);
  schema.release(&schema);
}

void TestRoundTrip(const char* path) {
  struct ArrowArrayStream stream;
  NumbersAsStream(100, &stream);
  CHECK(headrace_write(&stream, path, NULL, NULL) == HEADRACE_OK);
  CHECK(stream.release == NULL);
  ReadByNext(path);
  ReadByStream(path);
  ReadByNumber(path);
  DecodePayloads(path);
}
