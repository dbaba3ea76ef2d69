// ListRows are the rows that the lists of a batch have besides the rows of
// their contexts: one row per Example.

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

// A ListCheck judges a list whose rows are all there.
class ListCheck {
 public:
  virtual ~ListCheck() = default;

  // Rows of a list come next.
  virtual void Begin() = 0;
  // The open row is that of the context, which was judged; `examples` rows of
  // Examples came since Begin. kOk commits all of them.
  virtual ErrorCode Check(column::ColumnSet* context,
                          column::ColumnSet* examples, size_t count) = 0;
  // The rows since Begin are taken back.
  virtual void RollBack() = 0;
};

struct ListRows {
  explicit ListRows(uint64_t budget)
      : columns(budget), unread(budget), wrapper(budget) {}

  // Empties all; the memory of earlier batches is kept.
  void Start(const plan::Program& program);
  void StartAfresh(const plan::Program& program);

  column::ColumnSet columns;
  EntryOrder order;
  // These are null for plans of columns.
  RowCheck* check = nullptr;
  ListCheck* list_check = nullptr;
  // Row r of the contexts has the rows [ends[r], ends[r + 1]); its list had
  // sizes[r] Examples.
  std::vector<int32_t> ends;
  std::vector<int32_t> sizes;
  infer::LateFeatures late;  // of the list being decoded

  // These never keep a row.
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
