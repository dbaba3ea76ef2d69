// UnexplainedRows keeps the records of skipped rows until their errors are
// asked for.
//
// The text of an error needs a second walk, which costs as much as decoding a
// hundred rows, and is seldom read.

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
  const std::string* file = nullptr;  // null: none
  uint64_t record = kUnknown;
  uint64_t offset = kUnknown;
};

// Returns the error that says why the row of a record failed, and where it is.
Status ExplainAt(const plan::Program& program, std::string_view payload,
                 const RowPlace& place, ErrorCode code);

class UnexplainedRows {
 public:
  // Adds a row. Its file name must outlive this object. Its record is copied,
  // or explained immediately if the copies would be too large.
  void Add(const plan::Program& program, std::string_view payload,
           const RowPlace& place, ErrorCode code, std::vector<Status>* errors);
  // Appends the errors of the rows in order, and forgets the rows. `program`
  // must be that of Add.
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
  size_t next_ = 0;  // rows before it are explained
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_UNEXPLAINED_ROWS_H_
