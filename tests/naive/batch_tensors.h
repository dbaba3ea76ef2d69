// Tensors have the naive decoder's form here, so two batches can be compared.

#ifndef HEADRACE_TESTS_NAIVE_BATCH_TENSORS_H_
#define HEADRACE_TESTS_NAIVE_BATCH_TENSORS_H_

#include <string>

#include "headrace/batch.h"
#include "headrace/status.h"
#include "tests/naive/naive_tensors.h"

namespace headrace::testing {

// The naive decoder would say the same of a batch or a failed decode.
NaiveTensors TensorsOf(const Batch& batch);
NaiveTensors TensorsOf(const Status& error);
NaiveTensors TensorsOf(const Result<Batch>& result);

// Says what differs; empty when nothing does. Errors agree when they have a
// class in common and for it, where both name features, one of those; records
// agree unless both are known.
std::string Difference(const NaiveTensors& expected,
                       const NaiveTensors& actual);

// Gives the first violation of what batch.h promises about tensors, or nothing.
std::string BrokenTensors(const Batch& batch);

// BrokenTensors comes first, then Difference. An error must name its record.
std::string Difference(const NaiveTensors& expected,
                       const Result<Batch>& actual);

std::string ToText(const NaiveTensor& tensor);
std::string ToText(const NaiveTensors& tensors);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_BATCH_TENSORS_H_
