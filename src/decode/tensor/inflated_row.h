// InflatedRow holds the inflated zlib streams of the open row until it is known
// whether the row may stay.

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

// All rows of a batch reuse the same memory of the columns, so that bad rows do
// not use it up.
class InflatedRow {
 public:
  // Starts a batch; the memory of earlier batches is gone.
  void StartBatch();
  void StartRow();

  // Inflates a value, which Keep will replace with the inflated bytes. There
  // should be `wanted` bytes, or any number for kAnySize.
  Unpacked Inflate(std::string_view* value, size_t wanted,
                   column::ColumnSet* columns);
  // The inflated bytes of all values of the row.
  size_t bytes() const { return used_; }
  // Copies the bytes to memory that lives as long as the batch and replaces the
  // values with them. Returns false if there is no memory.
  bool Keep(column::ColumnSet* columns);

 private:
  struct Value {
    std::string_view* stored;
    size_t size;
  };

  // Makes room for `room` bytes after the bytes in use; returns false if there
  // is no memory.
  bool Reserve(size_t room, column::ColumnSet* columns);

  compression::ZlibValue zlib_;
  std::vector<Value> values_;
  uint8_t* memory_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
};

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_INFLATED_ROW_H_
