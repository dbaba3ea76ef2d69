// ListRows holds a batch's rows for the Examples of its lists. The rows for the
// contexts of the lists are in a separate ColumnSet.

#ifndef HEADRACE_SRC_DECODE_EXAMPLE_LIST_ROWS_H_
#define HEADRACE_SRC_DECODE_EXAMPLE_LIST_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headrace/status.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/example/entry_order.h"
#include "src/plan/infer/late_features.h"

namespace headrace::decode {

// A ListCheck judges a list once all its rows are decoded.
class ListCheck {
 public:
  virtual ~ListCheck() = default;

  // Called before the rows of a list.
  virtual void Begin() = 0;
  // Judges a list. The open row of `context`, which was already judged, is the
  // row of the list's context; `count` rows were added to `examples` since
  // Begin. kOk commits all of them.
  virtual ErrorCode Check(column::ColumnSet* context,
                          column::ColumnSet* examples, size_t count) = 0;
  // Called when the rows since Begin are rolled back.
  virtual void RollBack() = 0;
};

struct ListRows {
  explicit ListRows(uint64_t budget)
      : columns(budget), unread(budget), wrapper(budget) {}

  // Empties everything; keeps the memory of earlier batches.
  void Start(const plan::Program& program);
  // Empties the rows of the Examples and releases their memory.
  void StartAfresh(const plan::Program& program);

  column::ColumnSet columns;
  EntryOrder order;
  // Null for plans of columns.
  RowCheck* check = nullptr;
  ListCheck* list_check = nullptr;
  // Row r of the contexts has the rows [ends[r], ends[r + 1]); its list had
  // sizes[r] Examples.
  std::vector<int32_t> ends;
  std::vector<int32_t> sizes;
  infer::LateFeatures late;  // of the list being decoded

  // No row of these sets is ever committed: `unread` is for Examples beyond
  // list_size, `wrapper` for the Examples around lists.
  column::ColumnSet unread;
  EntryOrder unread_order;
  column::ColumnSet wrapper;
  EntryOrder wrapper_order;
  RowCheck* wrapper_check = nullptr;  // null for kElwc

 private:
  void Forget();
};

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_LIST_ROWS_H_
