#include <stdio.h>
#include <string.h>

#include "tests/c/program/program.h"

int failures = 0;

int Check(int holds, const char* condition, const char* file, int line) {
  if (!holds) {
    printf("%s:%d: %s does not hold\n", file, line, condition);
    ++failures;
  }
  return holds;
}

// The only argument is the path of a file that the tests may write.
int main(int argc, char** argv) {
  if (argc != 2) return 2;
  CHECK(strcmp(headrace_version(), "0.1.0rc1") == 0);
  CHECK(headrace_abi_version() == HEADRACE_ABI_VERSION);
  CHECK(strcmp(headrace_code_name(HEADRACE_HEADER_CRC), "header_crc") == 0);
  TestRoundTrip(argv[1]);
  TestNulls(argv[1]);
  TestDamage(argv[1]);
  TestLoop(argv[1]);
  remove(argv[1]);
  return failures == 0 ? 0 : 1;
}
