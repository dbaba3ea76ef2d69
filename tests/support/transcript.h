// A Transcript is all that a caller of a Reader can see, row by row.

#ifndef HEADRACE_TESTS_SUPPORT_TRANSCRIPT_H_
#define HEADRACE_TESTS_SUPPORT_TRANSCRIPT_H_

#include <string>
#include <vector>

#include "headrace/batch.h"
#include "headrace/reader.h"

namespace headrace::testing {

struct Transcript {
  std::vector<std::string> rows;     // origin and values, bit by bit
  std::vector<std::string> tensors;  // those of each batch
  std::vector<RowOrigin> origins;
  ReadReport report;
  Status status;    // of Open, or how the reading ended
  std::string end;  // the status in words, and counts

  // Rows begin with number `first`.
  std::vector<std::string> Tail(size_t first) const {
    return {rows.begin() + static_cast<ptrdiff_t>(first), rows.end()};
  }
};

// Reads to the end, and a little on: nothing may change any more. Without a
// plan columns are found from the data.
Transcript ReadAll(const std::vector<std::string>& paths,
                   const ReadOptions& options, const Plan* plan = nullptr);

void AddRows(const Batch& batch, Transcript* transcript);

// The text is "file:record@offset", and an r where it was recovered.
std::string ToText(const RowOrigin& origin);
// The cell is written bit by bit.
std::string CellToText(const Column& column, size_t row);
// Says how the reading ended, what was left out, what was counted.
std::string EndToText(const Reader& reader);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_TRANSCRIPT_H_
