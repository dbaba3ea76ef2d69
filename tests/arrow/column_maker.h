// Columns filled by hand, as a batch would hold them.

#ifndef HEADRACE_TESTS_ARROW_COLUMN_MAKER_H_
#define HEADRACE_TESTS_ARROW_COLUMN_MAKER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "src/exchange/arrow/column_batch.h"
#include "src/exchange/arrow/layout.h"

namespace headrace::testing {

// One cell a row; null, or values.
template <class T>
using CellList = std::vector<std::optional<std::vector<T>>>;
// Of a feature list: one cell a row; null, or steps that are null or values.
template <class T>
using StepCells = std::vector<std::optional<CellList<T>>>;

// All columns are given the same number of rows. Values of kind bytes are
// copied one after another into one pinned stretch a column.
class ColumnMaker {
 public:
  explicit ColumnMaker(size_t num_rows) : num_rows_(num_rows) {}
  ColumnMaker(const ColumnMaker&) = delete;
  ColumnMaker& operator=(const ColumnMaker&) = delete;

  ColumnMaker& Int64s(std::string name, const CellList<int64_t>& cells);
  ColumnMaker& Floats(std::string name, const CellList<float>& cells);
  ColumnMaker& Bytes(std::string name, const CellList<std::string>& cells);
  ColumnMaker& Nulls(std::string name);
  // Feature lists. They make the struct.
  ColumnMaker& Int64Steps(std::string name, const StepCells<int64_t>& cells);
  ColumnMaker& BytesSteps(std::string name,
                          const StepCells<std::string>& cells);
  // Without kind: how many steps each row has, or null.
  ColumnMaker& NullSteps(std::string name,
                         const std::vector<std::optional<size_t>>& cells);
  ColumnMaker& SequenceStruct();
  // One row for each of these cells; the values stay where they are.
  ColumnMaker& Views(std::string name, std::vector<std::string_view> values);

  // Pins memory of the caller besides.
  void Pin(std::string_view bytes);
  void SetOrigins(std::vector<RowOrigin> origins);

  // These live as long as the maker.
  arrow::ColumnBatch batch();
  arrow::PlanFields fields() const {
    return {.columns = fields_, .has_sequence_struct = has_sequence_struct_};
  }

 private:
  // Lists, with null ones among them.
  struct Rows {
    std::vector<int32_t> offsets = {0};
    std::vector<uint8_t> validity = {};
    size_t null_count = 0;

    void Append(std::optional<size_t> size);
    const uint8_t* validity_or_null() const {
      return null_count > 0 ? validity.data() : nullptr;
    }
  };
  struct Made {
    Rows rows = {};
    Rows steps = {};
    std::vector<int64_t> int64s = {};
    std::vector<float> floats = {};
    std::vector<std::string_view> bytes = {};
    std::string text = {};
  };

  template <class T>
  Made& Start(std::string name, Kind kind, const CellList<T>& cells);
  // All steps, one after another.
  template <class T>
  CellList<T> StartSteps(std::string name, Kind kind,
                         const StepCells<T>& cells);
  void FillBytes(const CellList<std::string>& cells, Made* made);
  void Finish(const Made& made, const void* values);

  size_t num_rows_;
  std::deque<Made> made_;
  std::vector<ColumnField> fields_;
  std::vector<Column> columns_;
  std::vector<reader::PinnedBytes> pinned_;
  std::vector<RowOrigin> origins_;
  bool has_sequence_struct_ = false;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_ARROW_COLUMN_MAKER_H_
