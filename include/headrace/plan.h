// Plan: what to decode, compiled once and applied to every record.
//
// Immutable and cheap to copy; may be used from any number of threads at once.

#ifndef HEADRACE_PLAN_H_
#define HEADRACE_PLAN_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

namespace plan {
class Program;
}

// One column: the key on the wire, which is also the column's name, and the
// kind that every record must have there. Kind::kNull is a column of which no
// value is known to exist: all its rows are null.
struct ColumnField {
  std::string name = {};
  Kind kind = Kind::kNull;

  bool operator==(const ColumnField&) const = default;
};

class Plan {
 public:
  // One list column a feature, in the order given: null where a record does
  // not have the feature or it is unset, empty where its list is empty. A
  // record that holds another kind there is an error of class kWrongKind.
  //
  // kBadSpec for a name given twice or one that is not UTF-8 (no record can
  // have such a key). No column at all is fine: rows are still counted.
  static Result<Plan> ForColumns(std::vector<ColumnField> columns);

  const std::vector<ColumnField>& columns() const;
  MessageType message() const;

  // For people: one line a column.
  std::string ToString() const;

  // For the rooms of the library.
  const plan::Program& program() const { return *program_; }

  explicit Plan(std::shared_ptr<const plan::Program> program)
      : program_(std::move(program)) {}

 private:
  std::shared_ptr<const plan::Program> program_;
};

}  // namespace headrace

#endif  // HEADRACE_PLAN_H_
