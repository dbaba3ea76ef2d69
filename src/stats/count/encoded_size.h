// The bytes of features as canonical protobuf: keys are sorted, numbers packed.

#ifndef HEADRACE_SRC_STATS_COUNT_ENCODED_SIZE_H_
#define HEADRACE_SRC_STATS_COUNT_ENCODED_SIZE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "headrace/message.h"
#include "src/stats/count/feature_rows.h"

namespace headrace::stats {

// Returns the bytes of all rows that have the feature, each with its key.
uint64_t EncodedSize(size_t key_size, const FeatureRows& rows);
// Does the same for one record's feature list.
uint64_t EncodedSize(size_t key_size, std::span<const Feature> steps);

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_COUNT_ENCODED_SIZE_H_
