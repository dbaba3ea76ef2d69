// The rooms' way to the public header.

#ifndef HEADRACE_SRC_BASE_OUTPUT_FILE_H_
#define HEADRACE_SRC_BASE_OUTPUT_FILE_H_

#include "headrace/output_file.h"  // IWYU pragma: export

#endif  // HEADRACE_SRC_BASE_OUTPUT_FILE_H_
