/* Prints a matrix and the ids of a jagged group, read with a spec.
 *
 *   cc groups.c $(pkg-config --cflags --libs headrace) -o groups
 *   headrace gen --shape people --records 3 -o people.tfrecord
 *   ./groups people.tfrecord
 *
 * In Arrow a matrix is a fixed-size list: rows of its values, one after
 * another. A jagged group is a struct with a list for each key: offsets, one
 * more than rows, and values.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "headrace/c.h"

/* "files": false: a spec from elsewhere must not choose which files to open. */
static const char kOptions[] =
    "{\"files\": false, \"batch_size\": 256, \"spec\": {\"features\": ["
    "  {\"name\": \"dense\", \"kind\": \"matrix\", \"as\": \"float\","
    "   \"features\": ["
    "     {\"name\": \"id\", \"dtype\": \"int64\", \"shape\": []},"
    "     {\"name\": \"age\", \"dtype\": \"int64\", \"shape\": [],"
    "      \"default\": [-1], \"map\": [{\"clip\": [0, 40]}]}]},"
    "  {\"name\": \"ids\", \"kind\": \"jagged\", \"as\": \"int32\","
    "   \"features\": ["
    "     {\"name\": \"tags\", \"kind\": \"ragged\", \"dtype\": \"bytes\","
    "      \"map\": [{\"hash_bucket\": 1000}]},"
    "     {\"name\": \"name\", \"kind\": \"ragged\", \"dtype\": \"bytes\","
    "      \"map\": [{\"hash_bucket\": 1000}]}]}]}}";

static void PrintMatrix(const struct ArrowSchema* type,
                        const struct ArrowArray* array) {
  int width = 0;
  sscanf(type->format, "+w:%d", &width);
  const float* values = array->children[0]->buffers[1];
  printf("%s: %" PRId64 " rows of %d\n", type->name, array->length, width);
  for (int64_t row = 0; row < array->length; ++row) {
    for (int i = 0; i < width; ++i) printf(" %g", values[row * width + i]);
    printf("\n");
  }
}

static void PrintJagged(const struct ArrowSchema* type,
                        const struct ArrowArray* array) {
  for (int64_t key = 0; key < array->n_children; ++key) {
    const struct ArrowArray* list = array->children[key];
    const int32_t* offsets = list->buffers[1];
    const int32_t* values = list->children[0]->buffers[1];
    printf("%s.%s:", type->name, type->children[key]->name);
    for (int64_t row = 0; row < list->length; ++row) {
      printf(row > 0 ? " |" : "");
      for (int32_t i = offsets[row]; i < offsets[row + 1]; ++i) {
        printf(" %" PRId32, values[i]);
      }
    }
    printf("\n");
  }
}

static int Fail(headrace_error* error) {
  fprintf(stderr, "groups: %s\n", error->message);
  headrace_error_free(error);
  return 1;
}

int main(int argc, char** argv) {
  headrace_reader* reader = NULL;
  headrace_error* error = NULL;
  const char* const* paths = (const char* const*)(argv + 1);
  if (headrace_open(paths, (size_t)(argc - 1), kOptions, &reader, &error) !=
      0) {
    return Fail(error);
  }
  for (;;) {
    struct ArrowArray batch;
    struct ArrowSchema schema;
    if (headrace_next(reader, &batch, &schema, &error) != 0) {
      headrace_close(reader);
      return Fail(error);
    }
    if (batch.release == NULL) break; /* the end */
    PrintMatrix(schema.children[0], batch.children[0]);
    PrintJagged(schema.children[1], batch.children[1]);
    batch.release(&batch);
    schema.release(&schema);
  }
  headrace_close(reader);
  return 0;
}
