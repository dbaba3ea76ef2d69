// Damaged files: rows first, then an error that stays.

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/c/program/program.h"

static void ExpectDamage(const char* path) {
  headrace_reader* reader = NULL;
  headrace_error* error = NULL;
  struct ArrowArray array;
  struct ArrowArrayStream stream;
  CHECK(headrace_open(&path, 1, NULL, &reader, NULL) == HEADRACE_OK);
  CHECK(headrace_next(reader, &array, NULL, NULL) == HEADRACE_OK);
  CHECK(array.length == 2);
  for (int i = 0; i < 2; ++i) {
    struct ArrowArray after;
    CHECK(headrace_next(reader, &after, NULL, &error) == HEADRACE_HEADER_CRC);
    CHECK(after.release == NULL);
    CHECK(error->code == HEADRACE_HEADER_CRC);
    CHECK(error->record == 2);
    CHECK(strcmp(error->file, path) == 0);
    CHECK(strstr(error->message, "header_crc") != NULL);
    headrace_error_free(error);
    CHECK(headrace_stream(reader, &stream, NULL) == HEADRACE_OK);
    CHECK(stream.get_next(&stream, &after) != 0);
    CHECK(strstr(stream.get_last_error(&stream), "header_crc") != NULL);
    stream.release(&stream);
  }
  headrace_close(reader);
  CHECK(SumOfArray(&array) == 1);
  array.release(&array);
}

static void ExpectSkipping(const char* path) {
  headrace_reader* reader = NULL;
  struct ArrowArrayStream stream;
  CHECK(headrace_open(&path, 1, "{\"on_corrupt\": \"rescan\"}", &reader,
                      NULL) == HEADRACE_OK);
  CHECK(headrace_stream(reader, &stream, NULL) == HEADRACE_OK);
  CHECK(SumOfStream(&stream) == 0 + 1 + 3);
  char* json = NULL;
  CHECK(headrace_report(reader, &json, NULL) == HEADRACE_OK);
  CHECK(strstr(json, "\"reason\":\"header_crc\"") != NULL);
  headrace_text_free(json);
  headrace_close(reader);
}

void TestDamage(const char* path) {
  struct ArrowArrayStream stream;
  NumbersAsStream(4, &stream);
  CHECK(headrace_write(&stream, path, NULL, NULL) == HEADRACE_OK);
  // All records have the same size, whose CRC stands behind it.
  FILE* const file = fopen(path, "rb");
  if (!CHECK(file != NULL)) return;
  fseek(file, 0, SEEK_END);
  const long size = ftell(file) / 4;
  fclose(file);
  DamageFile(path, 2 * size + 9);
  ExpectDamage(path);
  ExpectSkipping(path);
}
