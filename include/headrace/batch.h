// Batch: the columns of some consecutive records.
//
// A batch is a handle: copies are cheap and share one storage, which goes back
// to the reader's pool when the last copy is gone. A batch is immutable and may
// be read from any number of threads. Its columns are views: they live as long
// as any copy of the batch. Values of kind bytes point into the pinned input;
// they were not copied.

#ifndef HEADRACE_BATCH_H_
#define HEADRACE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "headrace/types.h"

namespace headrace {

namespace reader {
class BatchStorage;
}

// A list column: row r holds values [offsets[r], offsets[r + 1]). A null row
// (feature absent or unset) and an empty one both hold none; validity tells
// them apart. A column of kind kNull has rows, and nothing else.
struct Column {
  std::string_view name;
  Kind kind = Kind::kNull;
  size_t num_rows = 0;
  size_t null_count = 0;
  // One bit a row, least significant first, 1 for valid; bits after the last
  // row are 0. Null pointer when no row is null (for kNull: always).
  const uint8_t* validity = nullptr;
  // num_rows + 1 offsets, the first 0, never decreasing. Null for kNull.
  const int32_t* offsets = nullptr;
  // offsets[num_rows] values of the column's kind, in one array.
  const void* values = nullptr;

  size_t num_values() const {
    return offsets ? static_cast<size_t>(offsets[num_rows]) : 0;
  }
  bool IsNull(size_t row) const {
    if (kind == Kind::kNull) return true;
    return validity && !(validity[row / 8] >> (row % 8) & 1);
  }
  // All values; only for the kind they are named after.
  std::span<const int64_t> int64s() const {
    return {static_cast<const int64_t*>(values), num_values()};
  }
  std::span<const float> floats() const {
    return {static_cast<const float*>(values), num_values()};
  }
  std::span<const std::string_view> bytes() const {
    return {static_cast<const std::string_view*>(values), num_values()};
  }
};

// Where a row came from.
struct RowOrigin {
  uint64_t record = 0;     // number within the file, from 0
  uint64_t offset = 0;     // of the record, in the file's uncompressed stream
  uint32_t file = 0;       // index into Reader::files(); 0 for a Decoder
  bool recovered = false;  // found by rescanning after damage
};

class Batch {
 public:
  Batch() = default;  // no rows, no columns
  Batch(const Batch& other);
  Batch(Batch&& other) noexcept;
  Batch& operator=(Batch other) noexcept;
  ~Batch();

  size_t num_rows() const;
  // In plan order.
  std::span<const Column> columns() const;
  // Null where there is no such column.
  const Column* Find(std::string_view name) const;
  // One a row.
  std::span<const RowOrigin> origins() const;

  // For the rooms of the library: takes over one reference.
  explicit Batch(reader::BatchStorage* storage) : storage_(storage) {}
  const reader::BatchStorage* storage() const { return storage_; }

 private:
  reader::BatchStorage* storage_ = nullptr;
};

}  // namespace headrace

#endif  // HEADRACE_BATCH_H_
