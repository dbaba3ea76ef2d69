// AbsentSlots remembers which features of a plan no row has had so far.

#ifndef HEADRACE_SRC_READ_READER_ABSENT_SLOTS_H_
#define HEADRACE_SRC_READ_READER_ABSENT_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headrace/plan.h"
#include "headrace/reader.h"
#include "src/decode/column/column_set.h"
#include "src/plan/compile/program.h"
#include "src/read/batch/batch_storage.h"

namespace headrace::reader {

// Returns, for each slot, whether rows without its feature get a default.
std::vector<bool> HaveDefaults(const plan::Program& program);

// Sets the report's total of records whose feature lists were left out, and
// adds or updates its notice.
void NoteLists(uint64_t num_lists, ReadReport* report);

class AbsentSlots {
 public:
  AbsentSlots() = default;  // no features, so none is absent
  explicit AbsentSlots(const Plan& plan);

  bool empty() const { return slots_.empty() && in_lists_.empty(); }

  // Notes which features the rows of a batch have, before the batch is handed
  // out. Returns whether List has changed; before the first row it is empty.
  bool Note(BatchStorage* storage);

  // Returns the absent features in plan order, at most `most`.
  std::vector<AbsentFeature> List(const Plan& plan, size_t most) const;

 private:
  std::vector<uint32_t> slots_;
  std::vector<uint32_t> in_lists_;  // of the listed Examples
  bool has_rows_ = false;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_ABSENT_SLOTS_H_
