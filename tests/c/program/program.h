// A test of c.h that is compiled as C. Each file checks one thing, and the
// program ends with the number of failures.

#ifndef HEADRACE_TESTS_C_PROGRAM_PROGRAM_H_
#define HEADRACE_TESTS_C_PROGRAM_PROGRAM_H_

#include <stdint.h>

#include "headrace/c.h"

extern int failures;

// Prints what does not hold, and counts it.
#define CHECK(condition) Check((condition), #condition, __FILE__, __LINE__)
int Check(int holds, const char* condition, const char* file, int line);

// An Arrow stream of `rows` rows with the int64 column n: 0, 1, 2 and so on.
void NumbersAsStream(int64_t rows, struct ArrowArrayStream* stream);

// The sum of the numbers that a stream gives, or -1 after an error. Releases
// it.
int64_t SumOfStream(struct ArrowArrayStream* stream);
int64_t SumOfArray(const struct ArrowArray* array);

// Inverts a byte of the file.
void DamageFile(const char* path, long offset);

// Each gets the path of a file that it may write.
void TestRoundTrip(const char* path);
void TestNulls(const char* path);
void TestDamage(const char* path);
void TestLoop(const char* path);

#endif  // HEADRACE_TESTS_C_PROGRAM_PROGRAM_H_
