// AbsentSlots remembers which features of a plan no row so far had.

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

// For each slot, whether rows without its feature get a default.
std::vector<bool> HaveDefaults(const plan::Program& program);

// Reports so many records whose feature lists were left out, in all.
void NoteLists(uint64_t num_lists, ReadReport* report);

class AbsentSlots {
 public:
  AbsentSlots() = default;  // none are wanted, so none is absent
  explicit AbsentSlots(const Plan& plan);

  bool empty() const { return slots_.empty() && in_lists_.empty(); }

  // Heeds the rows of a batch before it is given away. True if the answers
  // below have changed; before the first row there are none.
  bool Note(BatchStorage* storage);

  // Gives the features in plan order, at most `most`.
  std::vector<AbsentFeature> List(const Plan& plan, size_t most) const;

 private:
  std::vector<uint32_t> slots_;
  std::vector<uint32_t> in_lists_;  // of the Examples of lists
  bool has_rows_ = false;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_ABSENT_SLOTS_H_
