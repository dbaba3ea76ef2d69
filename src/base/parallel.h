// ForEachInParallel spreads independent pieces of work over threads.

#ifndef HEADRACE_SRC_BASE_PARALLEL_H_
#define HEADRACE_SRC_BASE_PARALLEL_H_

#include <cstddef>
#include <functional>

#include "headrace/status.h"

namespace headrace {

// Calls work(i, thread) for each i below `count`, on the caller's thread (0)
// and at most threads - 1 others, which end before this function returns. Calls
// with a lower i start first. After a failure no more calls start, and the
// failure with the lowest i is returned; lack of memory is a failure, too.
Status ForEachInParallel(
    size_t count, size_t threads,
    const std::function<Status(size_t i, size_t thread)>& work);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_PARALLEL_H_
