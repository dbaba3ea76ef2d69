#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/c/program/program.h"

struct Numbers {
  int64_t rows_left;
  int64_t next;
};

// All that an array of one column points to.
struct Rows {
  struct ArrowArray child;
  struct ArrowArray* children[1];
  const void* buffers[1];
  const void* child_buffers[2];
  int64_t values[4];
};

static void ReleaseChild(struct ArrowArray* array) { array->release = NULL; }

static void ReleaseRows(struct ArrowArray* array) {
  free(array->private_data);
  array->release = NULL;
}

static int GetNext(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  struct Numbers* const numbers = stream->private_data;
  memset(out, 0, sizeof(*out));
  if (numbers->rows_left == 0) return 0;
  struct Rows* const rows = calloc(1, sizeof(*rows));
  if (rows == NULL) return 12;
  const int64_t count = numbers->rows_left < 4 ? numbers->rows_left : 4;
  for (int64_t i = 0; i < count; ++i) rows->values[i] = numbers->next++;
  numbers->rows_left -= count;
  rows->child_buffers[1] = rows->values;
  rows->child.length = count;
  rows->child.n_buffers = 2;
  rows->child.buffers = rows->child_buffers;
  rows->child.release = ReleaseChild;
  rows->children[0] = &rows->child;
  out->length = count;
  out->n_buffers = 1;
  out->buffers = rows->buffers;
  out->n_children = 1;
  out->children = rows->children;
  out->private_data = rows;
  out->release = ReleaseRows;
  return 0;
}

static void ReleaseSchema(struct ArrowSchema* schema) {
  free(schema->private_data);
  schema->release = NULL;
}

static void ReleaseChildSchema(struct ArrowSchema* schema) {
  schema->release = NULL;
}

struct Type {
  struct ArrowSchema child;
  struct ArrowSchema* children[1];
};

static int GetSchema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  struct Type* const type = calloc(1, sizeof(*type));
  (void)stream;
  memset(out, 0, sizeof(*out));
  if (type == NULL) return 12;
  type->child.format = "l";
  type->child.name = "n";
  type->child.release = ReleaseChildSchema;
  type->children[0] = &type->child;
  out->format = "+s";
  out->name = "";
  out->n_children = 1;
  out->children = type->children;
  out->private_data = type;
  out->release = ReleaseSchema;
  return 0;
}

static const char* GetLastError(struct ArrowArrayStream* stream) {
  (void)stream;
  return "no memory";
}

static void ReleaseStream(struct ArrowArrayStream* stream) {
  free(stream->private_data);
  stream->release = NULL;
}

void NumbersAsStream(int64_t rows, struct ArrowArrayStream* stream) {
  struct Numbers* const numbers = calloc(1, sizeof(*numbers));
  CHECK(numbers != NULL);
  numbers->rows_left = rows;
  stream->get_schema = GetSchema;
  stream->get_next = GetNext;
  stream->get_last_error = GetLastError;
  stream->release = ReleaseStream;
  stream->private_data = numbers;
}

// The column is a list of one number a row, or the numbers themselves.
int64_t SumOfArray(const struct ArrowArray* array) {
  const struct ArrowArray* column = array->children[0];
  if (column->n_children == 1) column = column->children[0];
  const int64_t* const values = column->buffers[1];
  int64_t sum = 0;
  for (int64_t i = 0; i < column->length; ++i) sum += values[i];
  return sum;
}

int64_t SumOfStream(struct ArrowArrayStream* stream) {
  int64_t sum = 0;
  struct ArrowArray array;
  int code = 0;
  while ((code = stream->get_next(stream, &array)) == 0 && array.release) {
    sum += SumOfArray(&array);
    array.release(&array);
  }
  stream->release(stream);
  return code == 0 ? sum : -1;
}

void DamageFile(const char* path, long offset) {
  FILE* const file = fopen(path, "r+b");
  if (!CHECK(file != NULL)) return;
  fseek(file, offset, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, offset, SEEK_SET);
  fputc(byte ^ 0xff, file);
  fclose(file);
}
