// Transcript: all that a caller of a Reader can see, row by row.

#ifndef HEADRACE_TESTS_READER_TRANSCRIPT_H_
#define HEADRACE_TESTS_READER_TRANSCRIPT_H_

#include <string>
#include <vector>

#include "headrace/reader.h"

namespace headrace::testing {

struct Transcript {
  std::vector<std::string> rows;  // origin and values
  std::vector<RowOrigin> origins;
  ReadReport report;
  Status status;  // of Open, or how the reading ended

  // Its rows from number `first` on.
  std::vector<std::string> Tail(size_t first) const {
    return {rows.begin() + static_cast<ptrdiff_t>(first), rows.end()};
  }
};

// Reads to the end. A null plan: columns found from the data.
Transcript ReadAll(const std::vector<std::string>& paths,
                   const ReadOptions& options, const Plan* plan = nullptr);

// Adds its rows.
void AddRows(const Batch& batch, Transcript* transcript);

// "file:record@offset", and an r where it was recovered.
std::string ToText(const RowOrigin& origin);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_READER_TRANSCRIPT_H_
