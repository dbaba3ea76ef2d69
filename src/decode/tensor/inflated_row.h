// InflatedRow holds what the zlib streams of the open row are inflated to,
// until it is known whether the row may stay.

#ifndef HEADRACE_SRC_DECODE_TENSOR_INFLATED_ROW_H_
#define HEADRACE_SRC_DECODE_TENSOR_INFLATED_ROW_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/decode/column/column_set.h"
#include "src/decode/tensor/fault.h"
#include "src/input/deflate/zlib_value.h"

namespace headrace::tensor {

Unpacked::End EndOf(compression::ZlibValue::End end);

// All rows of a batch use the same memory of the columns, so that bad rows take
// none for good.
class InflatedRow {
 public:
  // The memory of earlier batches is gone.
  void StartBatch();
  void StartRow();

  // Inflates a value in place of which the bytes shall stand. It should have
  // `wanted` of them, or any number for kAnySize.
  Unpacked Inflate(std::string_view* value, size_t wanted,
                   column::ColumnSet* columns);
  // All values of the row have this many bytes.
  size_t bytes() const { return used_; }
  // Gives the bytes memory of their own and puts them in place of their values.
  // False when there is no memory.
  bool Keep(column::ColumnSet* columns);

 private:
  struct Value {
    std::string_view* stored;
    size_t size;
  };

  // Has `room` bytes behind those in use. False when there is no memory.
  bool Reserve(size_t room, column::ColumnSet* columns);

  compression::ZlibValue zlib_;
  std::vector<Value> values_;
  uint8_t* memory_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
};

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_INFLATED_ROW_H_
