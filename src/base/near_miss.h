// The rooms' way to the public header.

#ifndef HEADRACE_SRC_BASE_NEAR_MISS_H_
#define HEADRACE_SRC_BASE_NEAR_MISS_H_

#include "headrace/near_miss.h"  // IWYU pragma: export

#endif  // HEADRACE_SRC_BASE_NEAR_MISS_H_
