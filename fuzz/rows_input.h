// RowsInput is a batch of records, and how to decode them.

#ifndef HEADRACE_FUZZ_ROWS_INPUT_H_
#define HEADRACE_FUZZ_ROWS_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"

namespace headrace::fuzzing {

// Its bytes are kChoices bytes; then for each row two bytes of length, little
// endian, and the row. What is cut short is taken as it is.
struct RowsInput {
  static constexpr size_t kChoices = 8;
  // Further rows are ignored.
  static constexpr size_t kMaxRows = 12;

  std::string choices;
  std::vector<std::string> rows;

  static RowsInput Parse(std::string_view input);
  std::string Write() const;

  // Many inputs should share few plans, and some plan of thousands be met.
  uint64_t plan_seed() const;
};

// Changes the fields of a row, adds, drops or exchanges rows, or takes another
// plan.
std::string ChangeRows(std::string_view input, Random* random);

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_ROWS_INPUT_H_
