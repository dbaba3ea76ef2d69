// A Batch has the naive decoder's form here, so two of them can be compared.

#ifndef HEADRACE_TESTS_NAIVE_BATCH_COLUMNS_H_
#define HEADRACE_TESTS_NAIVE_BATCH_COLUMNS_H_

#include <string>
#include <vector>

#include "headrace/batch.h"
#include "headrace/message.h"
#include "headrace/status.h"
#include "tests/naive/naive_columns.h"

namespace headrace::testing {

// The naive decoder would say the same of a batch or a failed decode.
NaiveResult ToNaive(const Result<Batch>& result);
NaiveResult ToNaive(const Batch& batch);
NaiveResult ToNaive(const Status& error);
NaiveMessage ToNaive(const Message& message);

// Says what differs; empty when nothing does. An error agrees when code and
// record do and its feature is one of those at fault.
std::string Difference(const NaiveResult& expected, const NaiveResult& actual);

// Gives the first violation of what batch.h promises about columns (offsets,
// validity, counts), or nothing.
std::string BrokenPromise(const Batch& batch);

// BrokenPromise comes first, then Difference.
std::string Difference(const NaiveResult& expected,
                       const Result<Batch>& actual);

// Every field of two errors must be equal: on all targets the library must say
// the same, not something equivalent.
std::string Difference(const Status& expected, const Status& actual);

// Messages show `null`, `[1, 2]`, `[3f800000]`, `[6162]`.
std::string ToText(const NaiveFeature& feature);
std::string ToText(const NaiveResult& result);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_BATCH_COLUMNS_H_
