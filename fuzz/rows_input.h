// RowsInput: an input that is a batch of records, and how to decode them.

#ifndef HEADRACE_FUZZ_ROWS_INPUT_H_
#define HEADRACE_FUZZ_ROWS_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"

namespace headrace::fuzzing {

// In bytes: kChoices bytes; then for each row two bytes of length, little
// endian, and the row. What is cut short is taken as it is.
struct RowsInput {
  static constexpr size_t kChoices = 8;
  // More rows are not looked at.
  static constexpr size_t kMaxRows = 12;

  std::string choices;
  std::vector<std::string> rows;

  static RowsInput Parse(std::string_view input);
  std::string Write() const;

  // The seed of the plan: many inputs should share few plans, and some plan of
  // thousands be met.
  uint64_t plan_seed() const;
};

// One row changed at the level of its fields, or rows put in, taken out,
// exchanged, or another plan.
std::string ChangeRows(std::string_view input, Random* random);

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_ROWS_INPUT_H_
