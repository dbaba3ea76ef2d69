// What is opened and closed a thousand times leaves no memory behind.

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "tests/c/program/program.h"

// Sanitizers keep what is freed; they find leaks by themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifndef INSTRUMENTED
#define INSTRUMENTED 0
#endif

// Bytes that the process holds: those of malloc where glibc counts them, else
// those in memory, else 0.
static long Held(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
#else
  FILE* const file = fopen("/proc/self/statm", "r");
  long all = 0;
  long resident = 0;
  if (file == NULL) return 0;
  if (fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
#endif
}

static void OpenAndClose(const char* path) {
  headrace_reader* reader = NULL;
  headrace_dataset* dataset = NULL;
  headrace_plan* plan = NULL;
  headrace_error* error = NULL;
  struct ArrowArray array;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream;
  CHECK(headrace_open(&path, 1, NULL, &reader, NULL) == HEADRACE_OK);
  CHECK(headrace_next(reader, &array, &schema, NULL) == HEADRACE_OK);
  CHECK(headrace_stream(reader, &stream, NULL) == HEADRACE_OK);
  CHECK(headrace_reader_plan(reader, &plan, NULL) == HEADRACE_OK);
  headrace_close(reader);
  array.release(&array);
  schema.release(&schema);
  stream.release(&stream);
  headrace_plan_free(plan);
  CHECK(headrace_dataset_open(&path, 1, NULL, &dataset, NULL) == HEADRACE_OK);
  const uint64_t row = 3;
  CHECK(headrace_dataset_take(dataset, &row, 1, &array, NULL, NULL) == 0);
  headrace_dataset_close(dataset);
  array.release(&array);
  CHECK(headrace_open(&path, 1, "{\"thread\": 1}", &reader, &error) ==
        HEADRACE_INVALID_ARGUMENT);
  headrace_error_free(error);
}

void TestLoop(const char* path) {
  struct ArrowArrayStream stream;
  NumbersAsStream(100, &stream);
  CHECK(headrace_write(&stream, path, NULL, NULL) == HEADRACE_OK);
  for (int i = 0; i < 100; ++i) OpenAndClose(path);
  // What a round leaves behind is there a thousand times in each window. Caches
  // of threads and fragmentation add to some windows and not to others.
  long least = LONG_MAX;
  for (int window = 0; window < 6; ++window) {
    const long before = Held();
    for (int i = 0; i < 1000; ++i) OpenAndClose(path);
    const long growth = Held() - before;
    if (growth < least) least = growth;
  }
  if (!INSTRUMENTED && !CHECK(least < 16 * 1000)) {
    printf("1,000 rounds added at least %ld bytes\n", least);
  }
}
