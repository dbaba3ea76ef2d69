// CellEncoder makes serialized tf.train.Features from a column's cells.

#ifndef HEADRACE_SRC_EXCHANGE_ENCODE_CELL_ENCODER_H_
#define HEADRACE_SRC_EXCHANGE_ENCODE_CELL_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/arrow.h"
#include "headrace/example_encoder.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/exchange/encode/array_view.h"

namespace headrace::encode {

// The maximum size of a field in bytes: its length has 31 bits.
inline constexpr size_t kMaxFieldBytes = std::numeric_limits<int32_t>::max();

// Returns kInvalidArgument; in its message `what` follows the column's name.
Status BadColumn(std::string_view column, std::string_view what);

// A cell is an item of the column: null, one value, or a list of values.
class CellEncoder {
 public:
  // Checks all that does not depend on values. The structures must outlive the
  // encoder. `column` is for errors. Numbers are converted to the kind
  // `wanted`.
  static Result<CellEncoder> Of(const ArrowSchema& schema,
                                const ArrowArray& array,
                                std::string_view column,
                                const EncodeOptions& options,
                                std::optional<Kind> wanted);

  bool IsNull(int64_t cell) const { return cells_.IsNull(cell); }
  // The kind of the features that the encoder makes.
  Kind kind() const { return kind_; }

  // Appends the Feature of a cell that is not null. Errors are kInvalidArgument
  // or kLimit; the caller adds column and row.
  Status Append(int64_t cell, std::string* feature);

 private:
  CellEncoder(const ArrayView& cells, const std::optional<ArrayView>& values,
              Kind kind)
      : cells_(cells), values_(values), kind_(kind) {}

  // These append the fields of a BytesList, FloatList or Int64List.
  Status AppendBytes(const ArrayView& values, ItemRange items);
  Status AppendFloats(const ArrayView& values, ItemRange items);
  Status AppendIntegers(const ArrayView& values, ItemRange items);

  ArrayView cells_;
  std::optional<ArrayView> values_;  // of lists
  Kind kind_;
  std::string list_;  // reused for its memory
};

}  // namespace headrace::encode

#endif  // HEADRACE_SRC_EXCHANGE_ENCODE_CELL_ENCODER_H_
