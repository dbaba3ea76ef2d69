/* A C program outside the tree, which sees only what was installed. */
#include <stdio.h>

#include "headrace/c.h"

int main(void) {
  const char* path = "no/such.tfrecord";
  headrace_reader* reader = NULL;
  headrace_error* error = NULL;
  const int32_t code = headrace_open(&path, 1, NULL, &reader, &error);
  printf("%s %s\n", headrace_version(), headrace_code_name(code));
  headrace_error_free(error);
  return 0;
}
