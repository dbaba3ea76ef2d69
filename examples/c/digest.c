/* Prints how many rows TFRecord files have, and a digest of their values.
 *
 *   cc digest.c $(pkg-config --cflags --libs headrace) -o digest
 *   ./digest train-*.tfrecord
 *
 * Each array in the tree of columns has its own 64-bit FNV-1a hash, so the
 * digest does not depend on batch sizes. Lists add their lengths, ~0 for null;
 * numbers add their little-endian bytes; bytes add their length and content.
 * The digest is the hash of these hashes, parents before children.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headrace/c.h"

#define MOST_ARRAYS 4096

static uint64_t hashes[MOST_ARRAYS]; /* of each array, parents first */
static int num_hashes;

static uint64_t Fnv1a(uint64_t hash, const void* bytes, size_t size) {
  const unsigned char* p = bytes;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ p[i]) * 0x100000001b3;
  return hash;
}
static const uint64_t kBasis = 0xcbf29ce484222325;

static void AddNumber(uint64_t* hash, uint64_t number) {
  *hash = Fnv1a(*hash, &number, sizeof(number));
}

static int IsNull(const struct ArrowArray* array, int64_t i) {
  const unsigned char* validity = array->buffers[0];
  return validity != NULL && !(validity[i / 8] >> (i % 8) & 1);
}

/* Adds elements [begin, end). headrace's arrays begin at offset 0. */
static void Add(const struct ArrowSchema* type, const struct ArrowArray* array,
                int64_t begin, int64_t end) {
  if (num_hashes == MOST_ARRAYS) {
    fprintf(stderr, "digest: more than %d columns\n", MOST_ARRAYS);
    exit(1);
  }
  uint64_t* hash = &hashes[num_hashes++];
  if (*hash == 0) *hash = kBasis; /* the first batch */
  const char* format = type->format;
  if (strcmp(format, "l") == 0 || strcmp(format, "f") == 0) {
    const size_t size = *format == 'l' ? 8 : 4;
    const char* values = array->buffers[1];
    *hash = Fnv1a(*hash, values + (size_t)begin * size,
                  (size_t)(end - begin) * size);
  } else if (strcmp(format, "z") == 0) {
    const int32_t* offsets = array->buffers[1];
    const char* bytes = array->buffers[2];
    for (int64_t i = begin; i < end; ++i) {
      const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
      AddNumber(hash, size);
      *hash = Fnv1a(*hash, bytes + offsets[i], size);
    }
  } else if (strcmp(format, "+l") == 0) {
    const int32_t* offsets = array->buffers[1];
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t size = (uint64_t)(offsets[i + 1] - offsets[i]);
      AddNumber(hash, IsNull(array, i) ? UINT64_MAX : size);
    }
    Add(type->children[0], array->children[0], offsets[begin], offsets[end]);
  } else if (strcmp(format, "+s") == 0) {
    for (int64_t i = 0; i < type->n_children; ++i) {
      Add(type->children[i], array->children[i], begin, end);
    }
  } /* The null type has no values. */
}

static int Fail(headrace_error* error) {
  fprintf(stderr, "digest: %s\n", error->message);
  headrace_error_free(error);
  return 1;
}

int main(int argc, char** argv) {
  headrace_reader* reader = NULL;
  headrace_error* error = NULL;
  const char* const* paths = (const char* const*)(argv + 1);
  if (headrace_open(paths, (size_t)(argc - 1), NULL, &reader, &error) != 0) {
    return Fail(error);
  }
  int64_t rows = 0;
  for (;;) {
    struct ArrowArray array;
    struct ArrowSchema schema;
    if (headrace_next(reader, &array, &schema, &error) != 0) {
      headrace_close(reader);
      return Fail(error);
    }
    if (array.release == NULL) break; /* the end */
    num_hashes = 0;
    Add(&schema, &array, 0, array.length);
    rows += array.length;
    array.release(&array);
    schema.release(&schema);
  }
  headrace_close(reader);
  uint64_t digest = kBasis;
  for (int i = 0; i < num_hashes; ++i) AddNumber(&digest, hashes[i]);
  printf("%" PRId64 " rows, digest %016" PRIx64 "\n", rows, digest);
  return 0;
}
