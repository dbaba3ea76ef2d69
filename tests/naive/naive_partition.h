// One partition of a ragged row, by the rules of docs/semantics.md alone.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_PARTITION_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_PARTITION_H_

#include <cstdint>
#include <vector>

#include "headrace/feature_spec.h"

namespace headrace::testing {

// How a partition cuts `count` values (or inner rows) into rows: the length of
// each. False if it does not fit them. Nothing is written then.
bool NaivePartition(const Partition& partition,
                    const std::vector<int64_t>& list, int64_t count,
                    std::vector<int64_t>* lengths);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_PARTITION_H_
