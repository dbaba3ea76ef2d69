// Files of random records, odd, malformed and damaged ones among them, and a
// plan to read them with.

#ifndef HEADRACE_TESTS_READER_INPUTS_RANDOM_FILES_H_
#define HEADRACE_TESTS_READER_INPUTS_RANDOM_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/types.h"

namespace headrace::testing {

struct RandomFile {
  std::string name;  // for failures
  std::string bytes;
  Plan plan;
  // What `plan` is made of; empty for tensors.
  std::vector<ColumnField> columns;
  // Records that are messages, which columns may be found from.
  bool is_inferable = false;
};

// Examples, SequenceExamples, records for tensors and bytes of any kind in
// turn; every second is damaged, every sixth longer than a window.
RandomFile RandomFileOf(uint64_t seed);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_READER_INPUTS_RANDOM_FILES_H_
