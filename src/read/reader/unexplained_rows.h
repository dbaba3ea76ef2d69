// UnexplainedRows keeps the records of skipped rows until their errors are
// asked for.
//
// Making the text of an error needs a second walk of the record, which costs as
// much as decoding a hundred rows. The text is seldom read.

#ifndef HEADRACE_SRC_READ_READER_UNEXPLAINED_ROWS_H_
#define HEADRACE_SRC_READ_READER_UNEXPLAINED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"
#include "src/plan/compile/program.h"

namespace headrace::reader {

// Where the record of a row is.
struct RowPlace {
  const std::string* file = nullptr;  // null if none
  uint64_t record = kUnknown;
  uint64_t offset = kUnknown;
};

// Returns the error that says why a record did not become a row, and where the
// record is.
Status ExplainAt(const plan::Program& program, std::string_view payload,
                 const RowPlace& place, ErrorCode code);

class UnexplainedRows {
 public:
  // Adds a skipped row. Its file name must outlive this object. Copies its
  // record; if all copies together become too large, appends errors to `errors`
  // now.
  void Add(const plan::Program& program, std::string_view payload,
           const RowPlace& place, ErrorCode code, std::vector<Status>* errors);
  // Appends the errors of the rows to `errors` in order, and forgets the rows.
  // `program` must be the one that Add got.
  void Explain(const plan::Program& program, std::vector<Status>* errors);
  size_t size() const { return rows_.size() - next_; }
  void Clear();

 private:
  struct Row {
    RowPlace place;
    ErrorCode code;
    size_t end = 0;  // of its payload in payloads_
  };

  std::vector<Row> rows_;
  std::string payloads_;
  size_t next_ = 0;  // rows_ before this one are explained
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_UNEXPLAINED_ROWS_H_
