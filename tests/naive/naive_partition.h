// A ragged row is partitioned by the rules of docs/semantics.md alone.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_PARTITION_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_PARTITION_H_

#include <cstdint>
#include <vector>

#include "headrace/feature_spec.h"

namespace headrace::testing {

// Gives the length of each row that a partition cuts `count` values (or inner
// rows) into. False, and nothing written, if it does not fit them.
bool NaivePartition(const Partition& partition,
                    const std::vector<int64_t>& list, int64_t count,
                    std::vector<int64_t>* lengths);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_PARTITION_H_
